//! `saltus tf monitor`

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};

use saltus::{
    Context, Executor, QoS, SingleThreadedExecutor, Time,
    msgs::tf2_msgs::msg::TFMessage,
    tf::Buffer,
    types::{Gid, lock},
};

use super::listening::Listening;
use saltus_verb::{
    error::{Ended, Error},
    output::print_text,
};

/// The largest number of delays of a frame that are kept.
const MOST: usize = 1000;
/// The interval at which the user is told that a transform is awaited.
const SILENCE: Duration = Duration::from_secs(1);

/// The delays of transforms, by their frames, and the times of messages, by their publishers.
#[derive(Default)]
struct Statistics {
    frames: BTreeMap<String, VecDeque<f64>>,
    publishers: BTreeMap<Gid, Publisher>,
}

#[derive(Default)]
struct Publisher {
    /// A frame whose transforms it sends.
    frame: String,
    times: VecDeque<f64>,
    delays: VecDeque<f64>,
}

fn push(values: &mut VecDeque<f64>, value: f64) {
    if values.len() == MOST {
        values.pop_front();
    }
    values.push_back(value);
}

impl Statistics {
    fn add(&mut self, message: &TFMessage, publisher: Gid, now: Time) {
        // Simulated time has not begun.
        if now == Time::default() {
            return;
        }
        let mut delays = Vec::new();
        for transform in &message.transforms {
            let stamp = Time::from(transform.header.stamp);
            let delay = (now.as_nanos() - stamp.as_nanos()) as f64 / 1e9;
            push(self.frames.entry(transform.child_frame_id.clone()).or_default(), delay);
            delays.push(delay);
        }
        let Some(first) = message.transforms.first() else { return };
        let publisher = self.publishers.entry(publisher).or_default();
        publisher.frame.clone_from(&first.child_frame_id);
        push(&mut publisher.times, now.as_secs_f64());
        push(&mut publisher.delays, delays.iter().sum::<f64>() / delays.len() as f64);
    }

    /// Returns the results for all frames, or for those of a chain, as `tf2_monitor` prints them.
    fn text(&self, chain: Option<&[String]>, buffer: &Buffer) -> String {
        let mut lines = vec![String::new(), "Frames:".into()];
        for (frame, delays) in &self.frames {
            if chain.is_none_or(|chain| chain.contains(frame)) {
                let (average, longest) = summary(delays);
                let publisher = authority(buffer, frame);
                lines.push(format!(
                    "Frame: {frame}, published by {publisher}, Average Delay: {average:.6}, Max Delay: {longest:.6}"
                ));
            }
        }
        lines.extend([String::new(), "All Broadcasters:".into()]);
        for Publisher { frame, times, delays } in self.publishers.values() {
            let name = authority(buffer, frame);
            let (average, longest) = summary(delays);
            let length = times.back().zip(times.front()).map_or(0.0, |(last, first)| last - first);
            let rate = times.len() as f64 / length.max(1e-8);
            lines.push(format!(
                "Node: {name} {rate:.3} Hz, Average Delay: {average:.6} Max Delay: {longest:.6}"
            ));
        }
        lines.join("\n") + "\n"
    }
}

/// Returns who publishes the transform of a frame.
fn authority(buffer: &Buffer, frame: &str) -> String {
    let info = buffer.frames().into_iter().find(|info| *info.name == *frame);
    info.map_or("<no authority available>".into(), |info| info.authority.to_string())
}

/// Returns the mean and the largest value.
fn summary(values: &VecDeque<f64>) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    (mean, values.iter().copied().fold(0.0, f64::max))
}

/// Prints results after each period.
pub(super) fn run(frames: &[String], period: Duration, once: bool) -> Result<(), Error> {
    let context = Context::new()?;
    let listening = Listening::new(&context)?;
    let Listening { node, buffer, .. } = &listening;
    let statistics = Arc::<Mutex<Statistics>>::default();
    let subscription = |topic, qos: QoS| {
        let (statistics, clock) = (statistics.clone(), node.clock().clone());
        node.subscription::<TFMessage>(topic).qos(qos).received(move |received| {
            // The listener logs what is not a TFMessage.
            if let Ok(message) = received.value() {
                lock(&statistics).add(&message, received.info().publisher, clock.now());
            }
        })
    };
    let queue = QoS::keep_last(100);
    let _subscriptions = [subscription("/tf", queue)?, subscription("/tf_static", queue.transient_local())?];
    let mut executor = SingleThreadedExecutor::new(&context)?;
    executor.add_node(node);
    let ends = match frames {
        [source, target] => Some((source.as_str(), target.as_str())),
        _ => None,
    };
    if let Some((source, target)) = ends {
        while executor
            .spin_until_future_complete(buffer.wait(source, target, Time::default()), Some(SILENCE))?
            .is_none()
        {
            if context.is_shut_down() {
                return Err(Ended::Interrupted.into());
            }
            saltus_verb::output::tell!("Waiting for transform {source} ->  {target}");
            listening.tell_meant([source, target])?;
        }
    }
    let what = ends.map_or("all frames".into(), |(source, target)| format!("{source} -> {target}"));
    print_text(&format!("Gathering data on {what} for {} seconds...\n", period.as_secs_f64()))?;
    while !context.is_shut_down() {
        executor.spin_until_future_complete(std::future::pending::<()>(), Some(period))?;
        let text = match ends {
            None => format!("\n\n\nRESULTS: for all Frames\n{}", lock(&statistics).text(None, buffer)),
            Some((source, target)) => {
                let chain = chain(buffer, source, target);
                let delay = buffer.latest_common_time(source, target)?;
                let delay = (node.clock().now().as_nanos() - delay.as_nanos()) as f64 / 1e9;
                format!(
                    "\n\n\nRESULTS: for {source} to {target}\nChain is: {}\nNet delay: {delay:.6}\n{}",
                    chain.join(" -> "),
                    lock(&statistics).text(Some(&chain), buffer)
                )
            }
        };
        print_text(&text)?;
        if once {
            break;
        }
    }
    Ok(())
}

/// Returns the frames between two frames.
fn chain(buffer: &Buffer, from: &str, to: &str) -> Vec<String> {
    let up = |name: &str| -> Vec<String> {
        let above = |name: &String| buffer.parent(name).map(|parent| parent.to_string());
        std::iter::successors(Some(name.to_owned()), above).take(buffer.names().len()).collect()
    };
    let (left, right) = (up(from), up(to));
    let meet = left.iter().position(|name| right.contains(name)).unwrap_or_default();
    let mut chain = left[..=meet].to_vec();
    chain.extend(
        right.iter().take_while(|name| **name != left[meet]).cloned().collect::<Vec<_>>().into_iter().rev(),
    );
    chain
}

#[cfg(test)]
mod tests {
    use saltus::tf::{StampedTransform, Transform};

    use super::*;

    #[test]
    fn the_chain_goes_over_the_common_frame() {
        let buffer = Buffer::default();
        for (parent, child) in [("map", "odom"), ("odom", "base"), ("base", "laser"), ("base", "arm")] {
            let stamped = StampedTransform::new(parent, child, Time::from_nanos(1), Transform::IDENTITY);
            buffer.set(&stamped, "/robot").unwrap();
        }
        assert_eq!(chain(&buffer, "laser", "arm"), ["laser", "base", "arm"]);
        assert_eq!(chain(&buffer, "map", "base"), ["map", "odom", "base"]);
        assert_eq!(chain(&buffer, "base", "map"), ["base", "odom", "map"]);
    }
}
