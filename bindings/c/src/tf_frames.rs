//! The frames of a buffer of transforms.

use std::{ffi::c_char, fmt::Write as _};

use saltus::tf::FrameInfo;

use crate::{
    pointers::{self, Options},
    status::{Failure, SALTUS_NOTHING, Status, create, destroy, given, place, run, value},
    text::{self, Text},
    tf::{TfBuffer, frames},
};

/// The frames of a buffer, as they were at one moment.
#[derive(Debug)]
pub struct TfFrames(Vec<ListedFrame>);

/// A frame in the form of C, with the texts that it points to.
#[derive(Debug)]
struct ListedFrame {
    info: TfFrame,
    _texts: [Text; 3],
}

/// A frame. The texts are valid as long as the list.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TfFrame {
    /// The size of this struct: sizeof(saltus_tf_frame_t).
    pub struct_size: usize,
    /// The name of the frame.
    pub name: *const c_char,
    /// The name of its parent, or NULL if it has none. The fields below are 0 then.
    pub parent: *const c_char,
    /// The name of the sender of its transforms, or NULL.
    pub authority: *const c_char,
    /// The time in nanoseconds of its oldest transform; 0 if it is static.
    pub oldest: i64,
    /// The time in nanoseconds of its newest transform; 0 if it is static.
    pub newest: i64,
    /// How many transforms it has.
    pub count: usize,
    /// 1 if its transform never changes.
    pub is_static: u8,
}

// SAFETY: it is `repr(C)`, begins with its size, and has only numbers and pointers.
unsafe impl Options for TfFrame {
    const NAME: &str = "saltus_tf_frame_t";

    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            name: std::ptr::null(),
            parent: std::ptr::null(),
            authority: std::ptr::null(),
            oldest: 0,
            newest: 0,
            count: 0,
            is_static: 0,
        }
    }
}

impl ListedFrame {
    fn new(name: &str, frame: Option<&FrameInfo>) -> Self {
        let of_frame = |text: fn(&FrameInfo) -> &str| Text::new(frame.map_or("", text));
        let texts = [Text::new(name), of_frame(|frame| &frame.parent), of_frame(|frame| &frame.authority)];
        let mut info = TfFrame { name: texts[0].pointer(), ..TfFrame::defaults() };
        if let Some(frame) = frame {
            info.parent = texts[1].pointer();
            info.authority = texts[2].pointer();
            (info.oldest, info.newest) = (frame.oldest.as_nanos(), frame.newest.as_nanos());
            (info.count, info.is_static) = (frame.count, u8::from(frame.is_static));
        }
        Self { info, _texts: texts }
    }
}

/// Writes a list of all frames of a buffer.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_buffer_frames(
    buffer: Option<&TfBuffer>,
    frames: Option<&mut *mut TfFrames>,
) -> Status {
    create(frames, || {
        let buffer = &given(buffer, "buffer")?.0;
        // Both lists have the same order. The one of the names is read later, so it has all names.
        let infos = buffer.frames();
        let mut infos = infos.iter().peekable();
        let names = buffer.names();
        let listed =
            names.iter().map(|name| ListedFrame::new(name, infos.next_if(|info| info.name == *name)));
        Ok(TfFrames(listed.collect()))
    })
}

/// Frees a list of frames.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_frames_destroy(frames: Option<Box<TfFrames>>) {
    destroy(frames);
}

/// Returns how many frames there are.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_frames_count(frames: Option<&TfFrames>) -> usize {
    frames.map_or(0, |frames| frames.0.len())
}

/// Writes a frame. Set the field struct_size of `frame` before. Returns SALTUS_NOTHING if there is none with this index. A frame
/// keeps its index as long as the buffer exists.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_frames_get(
    frames: Option<&TfFrames>,
    index: usize,
    frame: Option<&mut TfFrame>,
) -> Status {
    run(|| {
        let found = given(frames, "list of frames")?.0.get(index);
        let found =
            found.ok_or_else(|| Failure::new(SALTUS_NOTHING, format!("there is no frame {index}")))?;
        pointers::write_known(place(frame, "frame")?, &found.info)
    })
}

/// Returns whether there is a frame with this name.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_buffer_has_frame(buffer: Option<&TfBuffer>, name: *const c_char) -> bool {
    value(false, || match (buffer, frames([name])) {
        (Some(buffer), Ok([name])) => buffer.0.has_frame(name),
        _ => false,
    })
}

/// Writes the name of the parent of a frame. Returns SALTUS_NOTHING if it has none.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_buffer_parent(
    buffer: Option<&TfBuffer>,
    name: *const c_char,
    parent: Option<&mut *mut Text>,
) -> Status {
    text::write(parent, || {
        let [name] = frames([name])?;
        let parent = given(buffer, "buffer")?.0.parent(name);
        let none = || Failure::new(SALTUS_NOTHING, format!("the frame '{name}' has no parent"));
        Ok(parent.ok_or_else(none)?.to_string())
    })
}

/// Writes a line for each frame that has a parent.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_buffer_list(buffer: Option<&TfBuffer>, text: Option<&mut *mut Text>) -> Status {
    text::write(text, || {
        let infos = given(buffer, "buffer")?.0.frames();
        let line = |info: &FrameInfo| format!("Frame {} exists with parent {}.\n", info.name, info.parent);
        Ok(infos.iter().map(line).collect())
    })
}

/// Writes all frames that have a parent in YAML, in the form of tf2. `now` is a time in nanoseconds for the ages; 0 leaves them
/// out.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_buffer_yaml(
    buffer: Option<&TfBuffer>,
    now: i64,
    text: Option<&mut *mut Text>,
) -> Status {
    text::write(text, || {
        let infos = given(buffer, "buffer")?.0.frames();
        if infos.is_empty() {
            return Ok("[]".into());
        }
        Ok(infos.iter().map(|info| yaml(info, now)).collect())
    })
}

/// Writes all frames that have a parent as a graph of Graphviz, in the form of tf2. `now` is as for saltus_tf_buffer_yaml().
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_buffer_dot(
    buffer: Option<&TfBuffer>,
    now: i64,
    text: Option<&mut *mut Text>,
) -> Status {
    text::write(text, || {
        let infos = given(buffer, "buffer")?.0.frames();
        let edges: String = infos.iter().map(|info| edge(info, now)).collect();
        let empty = if infos.is_empty() { "\"no tf data received\"\n" } else { "" };
        Ok(format!("digraph G {{\n{empty}{edges}}}\n"))
    })
}

/// Returns seconds.
fn seconds(nanos: i64) -> f64 {
    nanos as f64 / 1e9
}

/// Returns how many transforms came per second. One has no rate: it counts as if it took 0.1 ms, as in tf2.
fn rate(info: &FrameInfo) -> f64 {
    info.count as f64 / length(info).max(1e-4)
}

/// Returns the time in seconds from the oldest to the newest transform.
fn length(info: &FrameInfo) -> f64 {
    seconds(info.newest.as_nanos().saturating_sub(info.oldest.as_nanos()))
}

fn yaml(info: &FrameInfo, now: i64) -> String {
    let [parent, authority] = [&info.parent, &info.authority].map(|text| text.replace('\'', "''"));
    let (newest, oldest) = (info.newest.as_nanos(), info.oldest.as_nanos());
    let mut text = format!(
        "{}: \n  parent: '{parent}'\n  broadcaster: '{authority}'\n  rate: {:.3}\n  most_recent_transform: {:.6}\n  \
         oldest_transform: {:.6}\n",
        info.name,
        rate(info),
        seconds(newest),
        seconds(oldest)
    );
    if now != 0 {
        let _ = writeln!(text, "  transform_delay: {:.6}", seconds(now.saturating_sub(newest)));
    }
    let _ = writeln!(text, "  buffer_length: {:.3}", length(info));
    text
}

fn edge(info: &FrameInfo, now: i64) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let newest = info.newest.as_nanos();
    let age = match now {
        0 => String::new(),
        now => format!("( {:.3} sec old)", seconds(now.saturating_sub(newest))),
    };
    format!(
        "\"{}\" -> \"{}\"[label=\"Broadcaster: {}\\nAverage rate: {:.3} Hz\\nMost recent transform: {:.6} {age}\\nBuffer \
         length: {:.3} sec\\n\"];\n",
        quoted(&info.parent),
        quoted(&info.name),
        quoted(&info.authority),
        rate(info),
        seconds(newest),
        length(info)
    )
}
