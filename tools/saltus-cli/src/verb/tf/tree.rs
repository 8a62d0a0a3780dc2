//! `saltus tf tree`

use std::{collections::BTreeMap, fs, path::Path, time::Duration};

use saltus::{
    Context, Executor, SingleThreadedExecutor, Time,
    tf::{Buffer, FrameInfo},
};

use super::listening::Listening;
use saltus_verb::{
    drawing::{Branch, DEEPEST, drawing, text},
    error::{Ended, Error},
    output::print_text,
};

/// Gathers transforms, and prints or draws their tree.
pub(super) fn run(period: Duration, output: Option<&Path>) -> Result<(), Error> {
    let context = Context::new()?;
    let Listening { node, buffer, _listener } = Listening::new(&context)?;
    let mut executor = SingleThreadedExecutor::new(&context)?;
    executor.add_node(&node);
    saltus_verb::output::tell!("Listening to tf data for {} seconds...", period.as_secs_f64());
    executor.spin_until_future_complete(std::future::pending::<()>(), Some(period))?;
    let roots = roots(&buffer, node.clock().now());
    if roots.is_empty() && context.is_shut_down() {
        return Err(Ended::Interrupted.into());
    }
    if roots.is_empty() {
        return Err("no transforms were received".into());
    }
    match output {
        Some(path) => fs::write(path, drawing(&roots))
            .map_err(|error| format!("can't write {}: {error}", path.display()).into()),
        None => print_text(&text(&roots)),
    }
}

/// Returns the frames without parents, with all frames below them.
fn roots(buffer: &Buffer, now: Time) -> Vec<Branch> {
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
) -> Branch {
    let mut frames = known.get(name).map(Vec::as_slice).unwrap_or_default();
    if depth == DEEPEST && !frames.is_empty() {
        details.push("those below are left out".into());
        frames = &[];
    }
    let below =
        frames.iter().map(|info| frame((&info.name, details_of(info, now)), known, now, depth + 1)).collect();
    Branch { name: name.into(), details, below }
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
}
