//! The observations of sensors.

use std::{any::Any, sync::Arc, time::Duration};

use saltus::{
    QoS, Time,
    component::ComponentError,
    msgs::sensor_msgs::msg::{LaserScan, PointCloud2},
    msgs::std_msgs::msg::Header,
    tf::{Buffer, MessageFilter},
    time::Clock,
};
use saltus_costmap::{Observation, Observations, Reach};
use saltus_nav_server::time_since_start;
use saltus_server::{Parameters, range};

use crate::{
    cloud::{cloud_points, scan_points},
    context::LayerContext,
};

/// The largest number of messages of a sensor that wait for their transforms.
const WAITING: usize = 50;

/// The observations of a sensor, and the subscription that adds them.
pub(crate) struct Source {
    pub(crate) observations: Arc<Observations>,
    pub(crate) subscription: Box<dyn Any + Send>,
}

/// Returns the sensors that the parameter `observation_sources` of a layer names.
pub(crate) fn sources(context: &LayerContext<'_>) -> Result<Vec<Source>, ComponentError> {
    let names = context.parameters.text("observation_sources", "")?;
    let limits = [
        context.parameters.number("min_obstacle_height", 0.0, range::NUMBER)?,
        context.parameters.number("max_obstacle_height", 2.0, range::NUMBER)?,
    ];
    names.split_whitespace().map(|name| source(context, name, limits)).collect()
}

fn source(context: &LayerContext<'_>, name: &str, limits: [f64; 2]) -> Result<Source, ComponentError> {
    let parameters = context.parameters.part(name);
    let topic = context.topic(&parameters.text("topic", name)?);
    let kind = parameters.text("data_type", "LaserScan")?;
    let observations = Arc::new(observations(&parameters, limits)?);
    let receiver = Receiver {
        buffer: context.frames.buffer().clone(),
        target: context.global_frame.to_owned(),
        sensor_frame: parameters.text("sensor_frame", "")?,
        observations: observations.clone(),
        clock: context.node.clock().clone(),
        logger: context.node.logger(),
    };
    let (node, group) = (context.node, context.group);
    let sensor_frame = receiver.sensor_frame.clone();
    let targets: Vec<&str> =
        [context.global_frame, sensor_frame.as_str()].into_iter().filter(|name| !name.is_empty()).collect();
    let inf_is_valid: bool = parameters.get("inf_is_valid", false)?;
    let buffer = context.frames.buffer();
    let qos = QoS::sensor_data();
    let subscription: Box<dyn Any + Send> = match &*kind {
        "LaserScan" => {
            let seen =
                move |scan: LaserScan| receiver.receive(&scan.header, scan_points(&scan, inf_is_valid));
            let filter = MessageFilter::new(buffer, &targets, WAITING, seen);
            let add = move |scan: LaserScan| {
                let (frame, stamp) = (scan.header.frame_id.clone(), Time::from(scan.header.stamp));
                filter.add(&frame, stamp, scan);
            };
            Box::new(node.subscription(&topic).qos(qos).callback_group(group).callback(add)?)
        }
        "PointCloud2" => {
            let seen = move |cloud: PointCloud2| match cloud_points(&cloud) {
                Ok(points) => receiver.receive(&cloud.header, points),
                Err(error) => saltus::error!(receiver.logger, "a cloud is not used: {error}"),
            };
            let filter = MessageFilter::new(buffer, &targets, WAITING, seen);
            let add = move |cloud: PointCloud2| {
                let (frame, stamp) = (cloud.header.frame_id.clone(), Time::from(cloud.header.stamp));
                filter.add(&frame, stamp, cloud);
            };
            Box::new(node.subscription(&topic).qos(qos).callback_group(group).callback(add)?)
        }
        other => {
            let text =
                format!("Only topics that use PointCloud2 or LaserScan are currently supported, not {other}");
            return Err(text.into());
        }
    };
    Ok(Source { observations, subscription })
}

fn observations(parameters: &Parameters, marks: [f64; 2]) -> Result<Observations, ComponentError> {
    let number = |name, default| parameters.number(name, default, range::NUMBER);
    let distance = |name, default| parameters.number(name, default, 0.0..=f64::INFINITY);
    let reach = Reach {
        obstacles: [distance("obstacle_min_range", 0.0)?, distance("obstacle_max_range", 2.5)?],
        clearing: [distance("raytrace_min_range", 0.0)?, distance("raytrace_max_range", 3.0)?],
        heights: [number("min_obstacle_height", 0.0)?, number("max_obstacle_height", 0.0)?],
        marks,
    };
    let expected = parameters.seconds("expected_update_rate", 0.0)?;
    let expected = (expected > Duration::ZERO).then_some(expected);
    let mut observations =
        Observations::new(reach, parameters.seconds("observation_persistence", 0.0)?, expected);
    observations.is_marking = parameters.get("marking", true)?;
    observations.is_clearing = parameters.get("clearing", false)?;
    Ok(observations)
}

/// Adds the points of a sensor to its observations.
struct Receiver {
    buffer: Buffer,
    target: String,
    /// The frame of the sensor, if it is not that of its messages.
    sensor_frame: String,
    observations: Arc<Observations>,
    clock: Clock,
    logger: saltus::log::Logger,
}

impl Receiver {
    /// Adds points in the frame of a message.
    fn receive(&self, header: &Header, points: Vec<[f64; 3]>) {
        let frame = header.frame_id.trim_start_matches('/');
        let stamp = Time::from(header.stamp);
        let sensor = if self.sensor_frame.is_empty() { frame } else { &self.sensor_frame };
        let found = self.buffer.lookup(&self.target, frame, stamp);
        match found.and_then(|found| Ok((found, self.buffer.lookup(&self.target, sensor, stamp)?))) {
            Ok((found, sensor)) => {
                let points = points.into_iter().map(|point| found.transform.apply(point)).collect();
                let (origin, stamp) = (sensor.transform.translation(), time_since_start(stamp));
                let now = time_since_start(self.clock.now());
                self.observations.add(Observation { origin, points, stamp }, now);
            }
            Err(error) => saltus::error!(
                self.logger,
                "TF Exception that should never happen for sensor frame: {sensor}, cloud frame: {frame}, {error}"
            ),
        }
    }
}
