//! Transforms between coordinate frames.

use std::{ffi::c_char, time::Duration};

use saltus::{
    Time,
    tf::{Buffer, Gap, LookupError, StampedTransform, Transform, TransformError, WaitError},
};

use crate::{
    pointers::{self, Options},
    status::{
        Failure, SALTUS_INVALID_ARGUMENT, SALTUS_TF_BACKWARD_EXTRAPOLATION, SALTUS_TF_CONNECTIVITY,
        SALTUS_TF_FORWARD_EXTRAPOLATION, SALTUS_TF_LOOKUP, SALTUS_TF_NO_DATA, SALTUS_TF_REFUSED,
        SALTUS_TIMEOUT, Status, create, destroy, given, place, run,
    },
    wait,
};

/// The transforms between frames over the last seconds.
#[derive(Debug)]
pub struct TfBuffer(pub(crate) Buffer);

/// The pose of a source frame in a target frame at a time.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TfTransform {
    /// The size of this struct. saltus_tf_transform_init() sets it.
    pub struct_size: usize,
    /// The time in nanoseconds since 1970.
    pub stamp: i64,
    /// The position x, y, z in metres.
    pub translation: [f64; 3],
    /// The rotation as a quaternion x, y, z, w of the length 1.
    pub rotation: [f64; 4],
}

// SAFETY: it is `repr(C)`, begins with its size, and has only numbers.
unsafe impl Options for TfTransform {
    const NAME: &str = "saltus_tf_transform_t";

    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            stamp: 0,
            translation: [0.0; 3],
            rotation: [0.0, 0.0, 0.0, 1.0],
        }
    }
}

impl From<&StampedTransform> for TfTransform {
    fn from(found: &StampedTransform) -> Self {
        Self {
            struct_size: size_of::<Self>(),
            stamp: found.stamp.as_nanos(),
            translation: found.transform.translation(),
            rotation: found.transform.rotation(),
        }
    }
}

/// Sets a transform to the one that changes nothing, at the time 0. Pass sizeof(saltus_tf_transform_t).
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_transform_init(transform: *mut TfTransform, struct_size: usize) {
    pointers::write_defaults(transform, struct_size);
}

/// Creates an empty buffer. It keeps the transforms of a frame for `cache_time` nanoseconds before the newest one.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_buffer_create(cache_time: u64, buffer: Option<&mut *mut TfBuffer>) -> Status {
    create(buffer, || Ok(TfBuffer(Buffer::new(Duration::from_nanos(cache_time)))))
}

/// Destroys a buffer. Its requests stay, and their callbacks are not called any more.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_buffer_destroy(buffer: Option<Box<TfBuffer>>) {
    destroy(buffer);
}

/// Returns the time in nanoseconds for which a buffer keeps transforms.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_buffer_cache_time(buffer: Option<&TfBuffer>) -> u64 {
    buffer.map_or(0, |buffer| u64::try_from(buffer.0.cache_time().as_nanos()).unwrap_or(u64::MAX))
}

/// Adds the pose of the frame `child` in the frame `parent`. A static one holds for all times. `authority` is the name of the
/// sender. Callbacks of requests may run before this function returns. Returns SALTUS_TF_REFUSED if the transform can't be
/// used: for example if it is older than all that are kept, if a number is NaN, or if the child has another parent.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_buffer_set(
    buffer: Option<&TfBuffer>,
    parent: *const c_char,
    child: *const c_char,
    transform: *const TfTransform,
    is_static: bool,
    authority: *const c_char,
) -> Status {
    run(|| {
        let buffer = &given(buffer, "buffer")?.0;
        let authority = pointers::text(authority, "name of the sender")?;
        let (parent, child) = (pointers::text(parent, "parent")?, pointers::text(child, "child")?);
        let numbers = pointers::required(transform)?;
        let refused = |error| Failure::new(SALTUS_TF_REFUSED, refusal(error, child, authority, &numbers));
        let transform = Transform::new(numbers.translation, numbers.rotation).map_err(refused)?;
        let stamped = StampedTransform::new(parent, child, Time::from_nanos(numbers.stamp), transform);
        let set = if is_static { Buffer::set_static } else { Buffer::set };
        set(buffer, &stamped, authority).map_err(|error| Failure::new(SALTUS_TF_REFUSED, error))
    })
}

/// Returns the text of tf2 for numbers that are not those of a transform.
fn refusal(error: TransformError, child: &str, authority: &str, numbers: &TfTransform) -> String {
    let (kind, reason) = match error {
        TransformError::NotFinite => ("TF_NAN_INPUT", "a nan value"),
        TransformError::NotNormalized => ("TF_DENORMALIZED_QUATERNION", "an invalid quaternion"),
    };
    let ([x, y, z], [i, j, k, w]) = (numbers.translation, numbers.rotation);
    format!(
        "{kind}: Ignoring transform for child_frame_id \"{child}\" from authority \"{authority}\" because of {reason} in \
         the transform ({x} {y} {z}) ({i} {j} {k} {w})"
    )
}

/// Writes the pose of the frame `source` in the frame `target` at a time in nanoseconds. The time 0 is the latest one that all
/// frames between them have. Set the field struct_size of `transform` before. Returns SALTUS_INVALID_ARGUMENT for a name that
/// can't be that of a frame, or one of SALTUS_TF_….
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_buffer_lookup(
    buffer: Option<&TfBuffer>,
    target: *const c_char,
    source: *const c_char,
    time: i64,
    transform: Option<&mut TfTransform>,
) -> Status {
    run(|| {
        let buffer = &given(buffer, "buffer")?.0;
        let [target, source] = frames([target, source])?;
        let found = buffer.lookup(target, source, Time::from_nanos(time))?;
        pointers::write_known(place(transform, "transform")?, &(&found).into())
    })
}

/// Writes the pose of the frame `source` at one time in the frame `target` at another time. The frame `fixed` does not move
/// between these times. See saltus_tf_buffer_lookup().
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_buffer_lookup_across(
    buffer: Option<&TfBuffer>,
    target: *const c_char,
    target_time: i64,
    source: *const c_char,
    source_time: i64,
    fixed: *const c_char,
    transform: Option<&mut TfTransform>,
) -> Status {
    run(|| {
        let buffer = &given(buffer, "buffer")?.0;
        let [target, source, fixed] = frames([target, source, fixed])?;
        let [target_time, source_time] = [target_time, source_time].map(Time::from_nanos);
        let found = buffer.lookup_across(target, target_time, source, source_time, fixed)?;
        pointers::write_known(place(transform, "transform")?, &(&found).into())
    })
}

/// Returns SALTUS_OK if saltus_tf_buffer_lookup() would find a transform, otherwise the reason.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_buffer_can_transform(
    buffer: Option<&TfBuffer>,
    target: *const c_char,
    source: *const c_char,
    time: i64,
) -> Status {
    run(|| {
        let buffer = &given(buffer, "buffer")?.0;
        let [target, source] = frames([target, source])?;
        Ok(buffer.can_transform(target, source, Time::from_nanos(time))?)
    })
}

/// Returns SALTUS_OK if saltus_tf_buffer_lookup_across() would find a transform, otherwise the reason.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_buffer_can_transform_across(
    buffer: Option<&TfBuffer>,
    target: *const c_char,
    target_time: i64,
    source: *const c_char,
    source_time: i64,
    fixed: *const c_char,
) -> Status {
    run(|| {
        let buffer = &given(buffer, "buffer")?.0;
        let [target, source, fixed] = frames([target, source, fixed])?;
        let [target_time, source_time] = [target_time, source_time].map(Time::from_nanos);
        // The names are checked before the times, as in tf2.
        if let Err(error @ (LookupError::InvalidArgument { .. } | LookupError::UnknownFrame { .. })) =
            buffer.can_transform(target, source, target_time)
        {
            return Err(error.into());
        }
        buffer.can_transform(fixed, source, source_time).map_err(of_fixed_frame)?;
        Ok(buffer.can_transform(target, fixed, target_time)?)
    })
}

/// Names the fixed frame in an error about the name of a target frame.
fn of_fixed_frame(mut error: LookupError) -> LookupError {
    if let LookupError::InvalidArgument { argument, .. } | LookupError::UnknownFrame { argument, .. } =
        &mut error
        && argument.ends_with("target_frame")
    {
        *argument = "canTransform argument fixed_frame";
    }
    error
}

/// Waits until saltus_tf_buffer_lookup() finds a transform, and writes it; `transform` may be NULL. A negative timeout in
/// nanoseconds is none. Another thread must add transforms. Returns SALTUS_TIMEOUT after the timeout, or one of SALTUS_TF_… if
/// the transform can never be there.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_buffer_wait(
    buffer: Option<&TfBuffer>,
    target: *const c_char,
    source: *const c_char,
    time: i64,
    timeout: i64,
    transform: Option<&mut TfTransform>,
) -> Status {
    run(|| {
        let buffer = &given(buffer, "buffer")?.0;
        let [target, source] = frames([target, source])?;
        let limit = wait::timeout(timeout).unwrap_or(Duration::MAX);
        let found = saltus::tf::wait_for_transform(buffer, target, source, Time::from_nanos(time), limit);
        let found = found.map_err(|error| match error {
            WaitError::Timeout(..) => Failure::new(SALTUS_TIMEOUT, error),
            WaitError::Never(error) => error.into(),
        })?;
        transform.map_or(Ok(()), |transform| pointers::write_known(transform, &(&found).into()))
    })
}

/// Writes the latest time in nanoseconds that all frames between two frames have; 0 if all of them are static.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_buffer_latest_common_time(
    buffer: Option<&TfBuffer>,
    target: *const c_char,
    source: *const c_char,
    time: Option<&mut i64>,
) -> Status {
    run(|| {
        let buffer = &given(buffer, "buffer")?.0;
        let [target, source] = frames([target, source])?;
        *place(time, "time")? = buffer.latest_common_time(target, source)?.as_nanos();
        Ok(())
    })
}

/// Removes the transforms that are not static. The frames stay known.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_buffer_clear(buffer: Option<&TfBuffer>) -> Status {
    run(|| {
        given(buffer, "buffer")?.0.clear();
        Ok(())
    })
}

/// Returns the names of frames.
///
/// # Errors
/// Returns an error if one is NULL or not UTF-8.
pub(crate) fn frames<'a, const N: usize>(names: [*const c_char; N]) -> Result<[&'a str; N], Failure> {
    let mut read = [""; N];
    for (place, name) in read.iter_mut().zip(names) {
        *place = pointers::text(name, "name of a frame")?;
    }
    Ok(read)
}

impl From<LookupError> for Failure {
    fn from(error: LookupError) -> Self {
        let status = match &error {
            LookupError::InvalidArgument { .. } => SALTUS_INVALID_ARGUMENT,
            LookupError::UnknownFrame { .. } => SALTUS_TF_LOOKUP,
            LookupError::Connectivity { .. } => SALTUS_TF_CONNECTIVITY,
            LookupError::Extrapolation { gap: Gap::Past { .. }, .. } => SALTUS_TF_BACKWARD_EXTRAPOLATION,
            LookupError::Extrapolation { gap: Gap::Future { .. }, .. } => SALTUS_TF_FORWARD_EXTRAPOLATION,
            LookupError::Extrapolation { gap: Gap::OnlyOne { .. }, .. } => SALTUS_TF_NO_DATA,
        };
        Self::new(status, error)
    }
}
