//! `saltus tf tree`

use std::{collections::BTreeMap, fmt::Write, fs, path::Path, time::Duration};

use saltus::{
    Context, Executor, SingleThreadedExecutor, Time,
    tf::{Buffer, FrameInfo},
};

use super::listening::Listening;
use crate::error::Error;

/// The size of a box and the spaces around it, in pixels. They are constants, because no font is read.
const WIDTH: f64 = 200.0;
const HEIGHT: f64 = 30.0;
const SPACE: f64 = 24.0;
/// The space for the lines of an edge.
const EDGE: f64 = 64.0;

/// How many frames are shown one below the other. A hostile sender can make a tree that is as deep as it has frames.
const DEEPEST: usize = 100;

/// Gathers transforms, and prints or draws their tree.
pub(super) fn run(period: Duration, output: Option<&Path>) -> Result<(), Error> {
    let context = Context::new()?;
    let Listening { node, buffer, _listener } = Listening::new(&context)?;
    let mut executor = SingleThreadedExecutor::new(&context)?;
    executor.add_node(&node);
    eprintln!("Listening to tf data for {} seconds...", period.as_secs_f64());
    executor.spin_until_future_complete(std::future::pending::<()>(), Some(period))?;
    let roots = roots(&buffer, node.clock().now());
    if roots.is_empty() {
        return Err("no transforms were received".into());
    }
    match output {
        Some(path) => fs::write(path, drawing(&roots))
            .map_err(|error| format!("can't write {}: {error}", path.display()).into()),
        None => {
            print!("{}", text(&roots));
            Ok(())
        }
    }
}

/// A frame, how it is known, and those below it.
struct Frame {
    name: String,
    /// The rate, the age and the publisher of its transform; empty for a frame without a parent.
    details: Vec<String>,
    children: Vec<Frame>,
}

/// Returns the frames without parents, with all frames below them.
fn roots(buffer: &Buffer, now: Time) -> Vec<Frame> {
    let mut known = buffer.frames();
    known.sort_by(|left, right| left.name.cmp(&right.name));
    let is_child = |name: &str| known.iter().any(|info| *info.name == *name);
    let mut names: Vec<_> =
        known.iter().map(|info| info.parent.clone()).filter(|name| !is_child(name)).collect();
    names.sort();
    names.dedup();
    let mut below = BTreeMap::<_, Vec<_>>::new();
    known.iter().for_each(|info| below.entry(&*info.parent).or_default().push(info));
    names.iter().map(|name| frame((name, Vec::new()), &below, now, 0)).collect()
}

/// Returns a frame and those below it.
fn frame(
    (name, mut details): (&str, Vec<String>),
    known: &BTreeMap<&str, Vec<&FrameInfo>>,
    now: Time,
    depth: usize,
) -> Frame {
    let mut below = known.get(name).map(Vec::as_slice).unwrap_or_default();
    if depth == DEEPEST && !below.is_empty() {
        details.push("those below are left out".into());
        below = &[];
    }
    let children =
        below.iter().map(|info| frame((&info.name, details_of(info, now)), known, now, depth + 1)).collect();
    Frame { name: name.into(), details, children }
}

fn details_of(info: &FrameInfo, now: Time) -> Vec<String> {
    let publisher = format!("by {}", info.authority);
    if info.is_static {
        return vec!["static".into(), publisher];
    }
    let seconds = |from: Time, to: Time| (to.as_nanos() - from.as_nanos()) as f64 / 1e9;
    // As in ROS 2, an interval has one transform more than periods.
    let rate = info.count as f64 / seconds(info.oldest, info.newest).max(1e-4);
    let rate = if info.count < 2 { "once".into() } else { format!("{rate:.1} Hz") };
    vec![rate, format!("{:.3} s old", seconds(info.newest, now)), publisher]
}

fn text(roots: &[Frame]) -> String {
    fn add(text: &mut String, frames: &[Frame], indent: &str) {
        for (place, frame) in frames.iter().enumerate() {
            let is_last = place + 1 == frames.len();
            let (branch, rest) = if is_last { ("└── ", "    ") } else { ("├── ", "│   ") };
            text.push_str(&format!("{indent}{branch}{}  ({})\n", frame.name, frame.details.join(", ")));
            add(text, &frame.children, &format!("{indent}{rest}"));
        }
    }
    let mut all = String::new();
    for root in roots {
        all.push_str(&format!("{}\n", root.name));
        add(&mut all, &root.children, "");
    }
    all
}

/// Draws the trees side by side: children below their parents.
fn drawing(roots: &[Frame]) -> String {
    let (mut body, mut x, mut height) = (String::new(), SPACE, 0.0_f64);
    for root in roots {
        let (_, right, bottom) = draw(&mut body, root, x, SPACE);
        (x, height) = (right, height.max(bottom));
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{x}\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"12\" text-anchor=\"middle\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n"
    )
}

/// Draws a frame and those below it. Returns the middle of its box, and where the next one may begin to its right and below.
fn draw(body: &mut String, frame: &Frame, left: f64, top: f64) -> (f64, f64, f64) {
    let bottom = top + HEIGHT;
    let (mut right, mut lowest) = (left, bottom + SPACE);
    let mut middles = Vec::new();
    for child in &frame.children {
        let (middle, next, below) = draw(body, child, right, bottom + EDGE);
        (right, lowest) = (next, lowest.max(below));
        middles.push((middle, child));
    }
    right = right.max(left + WIDTH + SPACE);
    let middle = match (middles.first(), middles.last()) {
        (Some((first, _)), Some((last, _))) => f64::midpoint(*first, *last),
        _ => left + WIDTH / 2.0,
    };
    let end = bottom + EDGE;
    for (x, child) in middles {
        // Writing to a text does not fail.
        let _ = writeln!(body, "<path d=\"M{middle} {bottom}L{x} {end}\" stroke=\"#888\" fill=\"none\"/>");
        for (line, detail) in child.details.iter().enumerate() {
            let y = end - 38.0 + 14.0 * line as f64;
            let detail = escaped(detail);
            let _ =
                writeln!(body, "<text x=\"{x}\" y=\"{y}\" fill=\"#555\" font-size=\"11\">{detail}</text>");
        }
    }
    let (x, y, name) = (middle - WIDTH / 2.0, top + 20.0, escaped(&frame.name));
    let _ = writeln!(
        body,
        "<rect x=\"{x}\" y=\"{top}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\" fill=\"#eef4fb\" stroke=\"#5b84b1\"/>\n\
         <text x=\"{middle}\" y=\"{y}\">{name}</text>"
    );
    (middle, right, lowest)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use saltus::tf::{StampedTransform, Transform};

    use super::*;

    fn robot() -> Buffer {
        let buffer = Buffer::default();
        for step in 0..11 {
            let stamp = Time::from_nanos(step * 100_000_000);
            let odom = StampedTransform::new("odom", "base", stamp, Transform::IDENTITY);
            buffer.set(&odom, "/driver").unwrap();
        }
        for name in ["laser<2>", "camera"] {
            let fixed = StampedTransform::new("base", name, Time::default(), Transform::IDENTITY);
            buffer.set_static(&fixed, "/model").unwrap();
        }
        buffer
    }

    #[test]
    fn the_tree_has_rates_ages_and_publishers() {
        let want = "odom\n\
                    └── base  (11.0 Hz, 0.500 s old, by /driver)\n    \
                        ├── camera  (static, by /model)\n    \
                        └── laser<2>  (static, by /model)\n";
        assert_eq!(text(&roots(&robot(), Time::from_nanos(1_500_000_000))), want);
    }

    #[test]
    fn the_drawing_is_xml_with_a_box_for_each_frame() {
        let svg = drawing(&roots(&robot(), Time::default()));
        assert_eq!(svg.matches("<rect x=").count(), 4);
        assert_eq!(svg.matches("<path").count(), 3);
        assert!(svg.contains(">laser&lt;2&gt;</text>") && svg.contains(">by /driver</text>"));
    }
}
