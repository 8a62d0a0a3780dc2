//! The controller.

use saltus_motion::{
    Collision, ControlError, Controller, Pose, Situation, SpeedLimit, Velocity, is_free, path, wrapped,
};

use crate::{
    carrot::{carrot, curvature, cusp},
    regulation::{approaching, obstacle_distance, regulated},
    settings::PursuitSettings,
};

/// The controller regulated pure pursuit.
#[derive(Clone, Debug)]
pub struct Pursuit {
    settings: PursuitSettings,
    limit: SpeedLimit,
    /// The index of the first pose of the path that the robot has not passed.
    start: usize,
    is_at_goal: bool,
    is_canceled: bool,
    is_stopped: bool,
    /// The part of the path in the costmap, in the frame of the robot.
    local_path: Vec<Pose>,
    /// The lookahead point, in the frame of the robot.
    point: Pose,
}

impl Pursuit {
    /// Creates a controller.
    pub fn new(settings: PursuitSettings) -> Self {
        Self {
            settings,
            limit: SpeedLimit::None,
            start: 0,
            is_at_goal: false,
            is_canceled: false,
            is_stopped: false,
            local_path: Vec::new(),
            point: Pose::default(),
        }
    }

    /// Returns the settings for changes.
    pub fn settings_mut(&mut self) -> &mut PursuitSettings {
        &mut self.settings
    }

    /// Returns the part of the path that the last cycle followed, in the frame of the robot.
    pub fn local_path(&self) -> &[Pose] {
        &self.local_path
    }

    /// Returns the lookahead point of the last cycle, in the frame of the robot.
    pub fn point(&self) -> Pose {
        self.point
    }

    /// Selects the part of the path from the nearest pose to the robot to the edge of the costmap.
    fn shorten(&mut self, situation: &Situation<'_>) -> Result<(), ControlError> {
        let rest = &situation.path[self.start.min(situation.path.len())..];
        let distance = self.settings.max_robot_pose_search_dist;
        let searched = path::index_after(rest, if distance < 0.0 { f64::INFINITY } else { distance });
        let Some(nearest) = path::nearest(&rest[..searched], &situation.robot) else {
            return Err(ControlError::Path("Resulting plan has 0 poses in it.".into()));
        };
        // At least two poses, so that the path has a direction.
        let nearest = nearest.min(rest.len().saturating_sub(2));
        let (width, height) = situation.map.size();
        let half = f64::from(width.max(height)) * situation.map.resolution() / 2.0;
        let is_far = |pose: &Pose| pose.distance(&situation.robot) > half;
        let count = rest[nearest..].iter().position(is_far).unwrap_or(rest.len() - nearest);
        self.start += nearest;
        let relative = |pose: &Pose| situation.robot.relative(pose);
        self.local_path = rest[nearest..nearest + count].iter().map(relative).collect();
        match self.local_path.is_empty() {
            true => Err(ControlError::Path("Resulting plan has 0 poses in it.".into())),
            false => Ok(()),
        }
    }

    /// Returns the distance of the lookahead point, in metres.
    fn lookahead(&self, speed: f64) -> f64 {
        let settings = &self.settings;
        let distance = match settings.use_velocity_scaled_lookahead_dist {
            true => (speed.abs() * settings.lookahead_time)
                .max(settings.min_lookahead_dist)
                .min(settings.max_lookahead_dist),
            false => settings.lookahead_dist,
        };
        self.before_cusp(distance)
    }

    /// Limits a distance to the first cusp of the path, if the robot may reverse.
    fn before_cusp(&self, distance: f64) -> f64 {
        let cusp = cusp(&self.local_path).filter(|_| self.settings.allow_reversing);
        cusp.map_or(distance, |cusp| distance.min(cusp))
    }

    /// Returns the velocity for a turn on the spot by an angle, in radians.
    fn turn(&self, angle: f64, current: &Velocity) -> Velocity {
        let settings = &self.settings;
        let change = settings.max_angular_accel.abs() / settings.controller_frequency;
        let target = settings.rotate_to_heading_angular_vel.copysign(angle);
        // Not `clamp`, which panics if a parameter is NaN.
        let turning = target.max(current.theta - change).min(current.theta + change);
        // The robot must be able to stop in time.
        let limit = (2.0 * settings.max_angular_accel.abs() * angle.abs()).sqrt();
        Velocity::new(0.0, 0.0, turning.max(-limit).min(limit))
    }

    /// Returns the settings with the speed limit.
    fn limited(&self) -> PursuitSettings {
        let desired = self.settings.desired_linear_vel;
        let desired_linear_vel = match self.limit {
            SpeedLimit::None => desired,
            SpeedLimit::Percent(percent) => desired * (percent / 100.0).min(1.0),
            SpeedLimit::Absolute(speed) => speed,
        };
        PursuitSettings { desired_linear_vel, ..self.settings }
    }

    /// Returns the velocity on an arc with a curvature in 1/m. `direction` is 1 forward, and -1 backward.
    fn drive(&mut self, situation: &Situation<'_>, curve: f64, direction: f64) -> Velocity {
        let settings = self.limited();
        let inscribed = situation.footprint.inscribed_radius();
        let distance = obstacle_distance(&settings, situation.map, &situation.robot, inscribed);
        let speed = regulated(&settings, curve, distance);
        let mut speed =
            approaching(&settings, &self.local_path, speed).clamp(0.0, settings.desired_linear_vel.max(0.0));
        if self.is_canceled {
            let change = settings.cancel_deceleration / settings.controller_frequency;
            speed = (direction * situation.velocity.x - change).max(0.0);
            self.is_stopped = speed == 0.0;
        }
        Velocity::new(direction * speed, 0.0, direction * speed * curve)
    }

    /// Whether the robot would touch an obstacle before it reaches the lookahead point.
    fn collides(&self, situation: &Situation<'_>, velocity: &Velocity) -> bool {
        // As in Nav2, the robot may drive over unknown cells and outside of the costmap, but not over its edge.
        let touches = |pose: &Pose| match is_free(situation.map, situation.footprint, pose) {
            Err(Collision::OffGrid) => situation.map.cell_at([pose.x, pose.y]).is_some(),
            result => result == Err(Collision::Obstacle),
        };
        if touches(&situation.robot) {
            return true;
        }
        // In one step, no corner of the robot moves farther than half a cell.
        let radius = situation.footprint.circumscribed_radius();
        let fastest = velocity.x.abs() + velocity.theta.abs() * radius;
        let step = situation.map.resolution() / 2.0 / fastest;
        if !(step.is_finite() && step > 0.0) {
            return false;
        }
        let farthest = self.point.x.hypot(self.point.y);
        let mut pose = situation.robot;
        let mut time = step;
        while time < self.settings.max_allowed_time_to_collision_up_to_carrot {
            let (sine, cosine) = pose.yaw.sin_cos();
            pose.x += step * velocity.x * cosine;
            pose.y += step * velocity.x * sine;
            pose.yaw += step * velocity.theta;
            if pose.distance(&situation.robot) > farthest {
                return false;
            }
            if touches(&pose) {
                return true;
            }
            time += step;
        }
        false
    }

    /// Returns the next velocity: a turn on the spot or an arc.
    fn choose(&mut self, situation: &Situation<'_>) -> Velocity {
        let distance = self.lookahead(situation.velocity.x);
        self.point = carrot(&self.local_path, distance);
        let (range, settings) = (self.point.x.hypot(self.point.y), self.settings);
        let target = match settings.use_fixed_curvature_lookahead {
            true => carrot(&self.local_path, self.before_cusp(settings.curvature_lookahead_dist)),
            false => self.point,
        };
        let is_backward = settings.allow_reversing && self.point.x < 0.0;
        self.is_at_goal = range < situation.tolerance.xy || (self.is_at_goal && settings.stateful);
        if settings.use_rotate_to_heading && self.is_at_goal {
            let end = self.local_path.last().copied().unwrap_or_default();
            return self.turn(end.yaw, &situation.velocity);
        }
        let angle = target.y.atan2(target.x);
        let angle = if is_backward { wrapped(angle + std::f64::consts::PI) } else { angle };
        if settings.use_rotate_to_heading && angle.abs() > settings.rotate_to_heading_min_angle {
            return self.turn(angle, &situation.velocity);
        }
        self.drive(situation, curvature(&target), if is_backward { -1.0 } else { 1.0 })
    }
}

impl Controller for Pursuit {
    fn start_path(&mut self) {
        self.start = 0;
        self.reset();
    }

    fn command(&mut self, situation: &Situation<'_>) -> Result<Velocity, ControlError> {
        situation.check()?;
        self.shorten(situation)?;
        let velocity = self.choose(situation);
        if self.settings.use_collision_detection && self.collides(situation, &velocity) {
            // The text is Nav2's.
            let text = "RegulatedPurePursuitController detected collision ahead!";
            return Err(ControlError::NoValidControl(text.into()));
        }
        Ok(velocity)
    }

    fn limit_speed(&mut self, limit: SpeedLimit) {
        if limit.is_possible() {
            self.limit = limit;
        }
    }

    fn reset(&mut self) {
        (self.is_at_goal, self.is_canceled, self.is_stopped) = (false, false, false);
    }

    fn cancel(&mut self) -> bool {
        self.is_canceled = self.settings.use_cancel_deceleration;
        !self.is_canceled || self.is_stopped
    }
}
