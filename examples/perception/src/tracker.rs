//! Estimates the velocity of the square.

use saltus::{
    Node, Subscription, Time,
    component::{Component, ComponentError, NodeOptions},
    msgs::geometry_msgs::msg::{PointStamped, TwistStamped, Vector3},
};

/// Publishes `track`, the velocity between a `detection` and the one before, in pixels per second.
#[derive(Debug)]
pub struct Tracker {
    node: Node,
    _detections: Subscription<PointStamped>,
}

impl Component for Tracker {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("tracker").create()?;
        let tracks = node.publisher::<TwistStamped>("track").create()?;
        let logger = node.logger();
        let mut last: Option<PointStamped> = None;
        let detections = node.subscription::<PointStamped>("detection").callback(move |now| {
            if let Some(track) = last.as_ref().and_then(|before| velocity(before, &now))
                && let Err(error) = tracks.publish(&track)
            {
                saltus::error!(logger, "can't publish a track: {error}");
            }
            last = Some(now);
        })?;
        Ok(Self { node, _detections: detections })
    }

    fn node(&self) -> &Node {
        &self.node
    }
}

/// Returns the velocity between two detections. It has the stamp of the second one.
fn velocity(before: &PointStamped, now: &PointStamped) -> Option<TwistStamped> {
    let seconds = |detection: &PointStamped| Time::from(detection.header.stamp).as_secs_f64();
    let time = seconds(now) - seconds(before);
    if time <= 0.0 {
        return None;
    }
    let mut track = TwistStamped { header: now.header.clone(), ..TwistStamped::default() };
    track.twist.linear = Vector3 {
        x: (now.point.x - before.point.x) / time,
        y: (now.point.y - before.point.y) / time,
        z: 0.0,
    };
    Some(track)
}
