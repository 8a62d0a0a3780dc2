//! The localization while the node is configured.

use std::{collections::BTreeMap, time::Duration};

use saltus::{
    Time,
    lifecycle::{LifecycleNode, LifecyclePublisher},
    msgs::{
        geometry_msgs::msg::PoseWithCovarianceStamped, nav_msgs::msg::OccupancyGrid,
        nav2_msgs::msg::ParticleCloud, sensor_msgs::msg::LaserScan, std_msgs::msg::Header,
    },
    tf::{Buffer, StampedTransform, Transform, TransformBroadcaster},
};
use saltus_amcl::{Amcl, Scan};
use saltus_motion::{Pose, wrapped};
use saltus_nav_server::{from_pose, from_transform, to_transform};

use crate::{
    convert::{from_covariance, to_estimate, to_field, to_particle},
    settings::Settings,
};

/// The publishers of the node.
pub(crate) struct Outputs {
    pub(crate) pose: LifecyclePublisher<PoseWithCovarianceStamped>,
    pub(crate) cloud: LifecyclePublisher<ParticleCloud>,
    pub(crate) transforms: TransformBroadcaster,
}

/// A pose with the covariance of x, y and the heading.
pub(crate) type Known = (Pose, [[f64; 3]; 3]);

/// The localization while the node is configured.
pub(crate) struct Localization {
    pub(crate) settings: Settings,
    buffer: Buffer,
    outputs: Outputs,
    amcl: Option<Amcl>,
    /// The pose of each lidar on the robot, by its frame.
    lidars: BTreeMap<String, Transform>,
    /// A pose that came before a map, with its covariance.
    pending: Option<Known>,
    /// Whether an initial pose was set, or the particles were distributed over the whole map.
    is_known: bool,
    /// The transform from the map to the odometry.
    correction: Option<Transform>,
    warned: Option<Time>,
}

/// The time in which a warning is not repeated.
const TELL_AGAIN: Duration = Duration::from_secs(2);

impl Localization {
    pub(crate) fn new(settings: Settings, buffer: Buffer, outputs: Outputs) -> Self {
        Self {
            settings,
            buffer,
            outputs,
            amcl: None,
            lidars: BTreeMap::new(),
            pending: None,
            is_known: false,
            correction: None,
            warned: None,
        }
    }

    /// Sets other settings.
    pub(crate) fn configure(&mut self, settings: Settings) {
        if let Some(amcl) = &mut self.amcl {
            *amcl.settings_mut() = settings.amcl;
        }
        self.lidars.clear();
        self.settings = settings;
    }

    /// Sets the map.
    pub(crate) fn set_map(&mut self, node: &LifecycleNode, map: &OccupancyGrid) {
        if self.amcl.is_some() && self.settings.first_map_only {
            return;
        }
        let info = &map.info;
        saltus::info!(
            node.logger(),
            "Received a {} X {} map @ {:.3} m/pix",
            info.width,
            info.height,
            info.resolution
        );
        let field = match to_field(map, self.settings.likelihood_distance) {
            Ok(field) => field,
            Err(error) => {
                saltus::error!(node.logger(), "Received map message is malformed. Rejecting: {error}");
                return;
            }
        };
        match &mut self.amcl {
            Some(amcl) => amcl.set_field(field),
            None => self.amcl = Some(Amcl::new(self.settings.amcl, field, SEED)),
        }
        if let Some((pose, covariance)) = self.pending.take() {
            self.start(pose, covariance);
        }
    }

    /// Sets the approximate pose of the robot. It may be old: then the robot has moved since its stamp.
    pub(crate) fn set_pose(&mut self, node: &LifecycleNode, message: &PoseWithCovarianceStamped) {
        let frame = message.header.frame_id.trim_start_matches('/');
        let Some(pose) = from_pose(&message.pose.pose).filter(|_| !frame.is_empty()) else {
            saltus::error!(node.logger(), "Received initialpose message is malformed. Rejecting.");
            return;
        };
        if frame != self.settings.global_frame {
            saltus::warn!(
                node.logger(),
                "Ignoring initial pose in frame \"{frame}\"; initial poses must be in the global frame, \"{}\"",
                self.settings.global_frame
            );
            return;
        }
        let moved = self.moved_since(Time::from(message.header.stamp)).unwrap_or_default();
        let pose = pose.then(&moved);
        saltus::info!(node.logger(), "Setting pose: {:.3} {:.3} {:.3}", pose.x, pose.y, pose.yaw);
        self.start(pose, from_covariance(&message.pose));
    }

    /// Returns the motion of the robot since a time, if the odometry knows it.
    fn moved_since(&self, stamp: Time) -> Option<Pose> {
        let Settings { base_frame, odom_frame, .. } = &self.settings;
        let latest = Time::from_nanos(0);
        let moved = self.buffer.lookup_across(base_frame, stamp, base_frame, latest, odom_frame).ok()?;
        Some(from_transform(&moved.transform))
    }

    pub(crate) fn start(&mut self, pose: Pose, covariance: [[f64; 3]; 3]) {
        match &mut self.amcl {
            Some(amcl) => self.is_known |= amcl.set_pose(pose, covariance),
            None => self.pending = Some((pose, covariance)),
        }
        self.correction = None;
    }

    /// Returns the pose of the robot with its covariance, if it is known.
    pub(crate) fn known(&self) -> Option<Known> {
        if self.pending.is_some() {
            return self.pending;
        }
        let estimate = self.amcl.as_ref().filter(|_| self.is_known)?.estimate();
        Some((estimate.pose, estimate.covariance)).filter(|(pose, _)| pose.is_finite())
    }

    /// Whether an initial pose was set.
    pub(crate) fn has_initial_pose(&self) -> bool {
        self.is_known || self.pending.is_some()
    }

    /// Distributes the particles over the whole map.
    pub(crate) fn start_anywhere(&mut self) {
        if let Some(amcl) = &mut self.amcl {
            amcl.set_anywhere();
            self.is_known = true;
            self.correction = None;
        }
    }

    /// Lets the next scan count, even if the robot has not moved.
    pub(crate) fn force_update(&mut self) {
        if let Some(amcl) = &mut self.amcl {
            amcl.force_update();
        }
    }

    /// Handles a scan. Returns the reason if it is not used.
    pub(crate) fn receive(&mut self, node: &LifecycleNode, message: &LaserScan) -> Result<(), String> {
        let frame = message.header.frame_id.trim_start_matches('/');
        let stamp = Time::from(message.header.stamp);
        let (sensor, angle_min, angle_increment) = directions(&self.lidar(frame)?, message);
        let Settings { base_frame, odom_frame, .. } = &self.settings;
        let odometry =
            self.buffer.lookup(odom_frame, base_frame, stamp).map_err(|error| error.to_string())?;
        let odometry = from_transform(&odometry.transform);
        let Some(amcl) = &mut self.amcl else {
            return Err("Waiting for map....".into());
        };
        let [least, most] = self.settings.laser_range;
        let (range_min, range_max) = (f64::from(message.range_min), f64::from(message.range_max));
        let scan = Scan {
            sensor,
            angle_min,
            angle_increment,
            range_min: if least > 0.0 { range_min.max(least) } else { range_min },
            range_max: if most > 0.0 { range_max.min(most) } else { range_max },
            ranges: &message.ranges,
        };
        let update = amcl.update(odometry, &scan);
        if !self.is_known {
            return Err(
                "AMCL cannot publish a pose or update the transform. Please set the initial pose...".into()
            );
        }
        if update.is_weighed {
            self.publish_particles(stamp);
        }
        if update.is_resampled || self.correction.is_none() {
            self.publish_pose(stamp, &odometry);
        }
        self.broadcast(node, stamp);
        Ok(())
    }

    /// Returns the pose of a lidar on the robot.
    fn lidar(&mut self, frame: &str) -> Result<Transform, String> {
        if let Some(mount) = self.lidars.get(frame) {
            return Ok(*mount);
        }
        let found = self.buffer.lookup(&self.settings.base_frame, frame, Time::from_nanos(0));
        let mount = found.map_err(|error| error.to_string())?.transform;
        self.lidars.insert(frame.into(), mount);
        Ok(mount)
    }

    fn header(&self, stamp: Time) -> Header {
        Header { stamp: stamp.into(), frame_id: self.settings.global_frame.clone() }
    }

    fn publish_particles(&self, stamp: Time) {
        let Some(amcl) = &self.amcl else { return };
        let particles = amcl.particles().iter().map(to_particle).collect();
        // A failure does not matter: the next messages come soon.
        let _ = self.outputs.cloud.publish(&ParticleCloud { header: self.header(stamp), particles });
    }

    /// Publishes the pose of the robot, and the correction of the odometry.
    fn publish_pose(&mut self, stamp: Time, odometry: &Pose) {
        let Some(amcl) = &self.amcl else { return };
        let estimate = amcl.estimate();
        if !estimate.pose.is_finite() {
            return;
        }
        self.correction = Some(to_transform(&estimate.pose).compose(&to_transform(odometry).inverse()));
        let pose = to_estimate(&estimate);
        let _ = self.outputs.pose.publish(&PoseWithCovarianceStamped { header: self.header(stamp), pose });
    }

    /// Sends the transform from the map to the odometry. Its stamp is ahead by the tolerance.
    fn broadcast(&self, node: &LifecycleNode, stamp: Time) {
        let Some(correction) = self.correction.filter(|_| self.settings.broadcasts) else { return };
        let Settings { global_frame, odom_frame, tolerance, .. } = &self.settings;
        let stamp = stamp + *tolerance;
        let transform = StampedTransform::new(global_frame, odom_frame, stamp, correction);
        if let Err(error) = self.outputs.transforms.send(&[transform]) {
            saltus::error!(node.logger(), "can't send the transform to the odometry: {error}");
        }
    }

    /// Logs the reason why a scan was not used, but not too often.
    pub(crate) fn warn(&mut self, node: &LifecycleNode, why: &str) {
        let now = node.clock().now();
        let is_due = self.warned.is_none_or(|before| now < before || now.since(before) > TELL_AGAIN);
        if is_due {
            saltus::warn!(node.logger(), "{why}");
            self.warned = Some(now);
        }
    }
}

/// Returns where a lidar is on the robot, the direction of its first ray there, and the angle to the next ray. If the lidar is mounted
/// upside down, that angle has the other sign.
fn directions(mount: &Transform, scan: &LaserScan) -> (Pose, f64, f64) {
    let direction = |angle: f64| {
        let [x, y, _] = mount.rotate([angle.cos(), angle.sin(), 0.0]);
        y.atan2(x)
    };
    let [x, y, _] = mount.translation();
    let angle_min = f64::from(scan.angle_min);
    let [first, second] = [angle_min, angle_min + f64::from(scan.angle_increment)].map(direction);
    (Pose::new(x, y, 0.0), first, wrapped(second - first))
}

/// The seed of the random numbers. All robots have the same, so that a run can be repeated.
const SEED: u64 = 1;
