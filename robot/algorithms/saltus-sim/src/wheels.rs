//! The wheels of a robot while it drives.

use crate::{
    drive::{Command, Drive, DriveKind, Wheel},
    noise::Noise,
    pose::{Point, Pose, Velocity, wrapped},
    traction::{Contact, Impulse, WheeledBody, solve},
};

/// The standard acceleration of gravity, in m/s².
pub(crate) const GRAVITY: f64 = 9.80665;

/// The state of the wheels of a robot.
#[derive(Debug)]
pub(crate) struct Wheels {
    wheels: Vec<Wheel>,
    /// The speeds of the rims, and the speeds that the motors try to reach, in m/s.
    speeds: Vec<f64>,
    targets: Vec<f64>,
    /// The angles by which the wheels have turned, in radians.
    angles: Vec<f64>,
    /// The steering angle in radians, its rate in rad/s, and its target.
    steering: f64,
    steering_rate: f64,
    steering_target: f64,
    /// Kept from step to step to save allocations.
    contacts: Vec<Contact>,
    impulses: Vec<Impulse>,
    /// The pose of the robot by the encoders of its wheels.
    odometer: Pose,
}

impl Wheels {
    pub(crate) fn new(drive: &Drive) -> Self {
        let wheels = drive.wheels();
        let count = wheels.len();
        Self {
            wheels,
            speeds: vec![0.0; count],
            targets: vec![0.0; count],
            angles: vec![0.0; count],
            steering: 0.0,
            steering_rate: 0.0,
            steering_target: 0.0,
            contacts: Vec::with_capacity(count),
            impulses: vec![Impulse::default(); count],
            odometer: Pose::default(),
        }
    }

    /// Sets the target speeds of the motors for a command, within the acceleration over `seconds`.
    pub(crate) fn control(&mut self, drive: &Drive, command: Command, seconds: f64) {
        self.steering_target = drive.steering(command);
        let limit = drive.max_acceleration * seconds;
        for (index, wheel) in self.wheels.iter().enumerate() {
            if wheel.is_driven {
                let speed = self.speeds[index];
                let target = drive.rim_speed(wheel, command, self.steering);
                self.targets[index] = speed + (target - speed).clamp(-limit, limit);
            }
        }
    }

    /// Applies the forces of the wheels to the body for one step of `seconds`. `center` is the centre of mass in the frame of the robot, and
    /// `mass` the mass of the robot in kg.
    pub(crate) fn push(
        &mut self,
        drive: &Drive,
        pose: &Pose,
        center: Point,
        mass: f64,
        body: &mut WheeledBody,
        seconds: f64,
    ) {
        self.steer(drive, seconds);
        let grip = drive.friction * mass * GRAVITY / self.wheels.len() as f64 * seconds;
        self.contacts.clear();
        for (wheel, target) in self.wheels.iter().zip(&self.targets) {
            let heading = Point::from_angle(drive.wheel_angle(wheel, self.steering));
            let along = wheel.roller.unwrap_or(heading);
            self.contacts.push(Contact {
                arm: pose.rotate(wheel.position - center),
                along: pose.rotate(along),
                surface: wheel.is_driven.then(|| target * heading.dot(along)),
                holds: wheel.roller.is_none(),
                // Only a part of the force along the rollers acts against the motor.
                motor: drive.max_torque / drive.wheel_radius / heading.dot(along).abs() * seconds,
                grip,
            });
        }
        solve(body, &self.contacts, &mut self.impulses);
        self.turn(drive, body, seconds);
    }

    /// Moves the steering toward its target.
    fn steer(&mut self, drive: &Drive, seconds: f64) {
        if let DriveKind::Ackermann { steering_speed, .. } = drive.kind {
            let limit = steering_speed * seconds;
            let moved = (self.steering_target - self.steering).clamp(-limit, limit);
            self.steering += moved;
            self.steering_rate = moved / seconds;
        }
    }

    /// Turns the wheels. A wheel that rolls freely, or whose motor is at its limit, turns with the ground.
    fn turn(&mut self, drive: &Drive, body: &WheeledBody, seconds: f64) {
        for (index, wheel) in self.wheels.iter().enumerate() {
            let contact = &self.contacts[index];
            let is_free = !wheel.is_driven || self.impulses[index].is_at_limit(contact);
            self.speeds[index] = if is_free {
                let along = wheel.roller.map_or(1.0, |roller| roller.x);
                body.velocity_at(contact.arm).dot(contact.along) / along
            } else {
                self.targets[index]
            };
            self.angles[index] += self.speeds[index] / drive.wheel_radius * seconds;
        }
    }

    /// Moves the odometer by the motion of the wheels in one step. `drift` is the standard deviation after one metre, in metres.
    pub(crate) fn measure(&mut self, drive: &Drive, drift: f64, noise: &mut Noise, seconds: f64) {
        let velocity = self.velocity(drive);
        let mut measured = |speed: f64| {
            let distance = speed.abs() * seconds;
            speed * seconds + if distance > 0.0 { noise.normal(drift * distance.sqrt()) } else { 0.0 }
        };
        let half = drive.wheel_separation / 2.0;
        let [left, right] = [-half, half].map(|side| measured(velocity.forward + velocity.turn * side));
        let (forward, turned) = (f64::midpoint(left, right), (right - left) / drive.wheel_separation);
        let middle = Pose { yaw: self.odometer.yaw + turned / 2.0, ..self.odometer };
        let moved = middle.rotate(Point::new(forward, velocity.left * seconds)) + self.odometer.point();
        self.odometer = Pose { x: moved.x, y: moved.y, yaw: wrapped(self.odometer.yaw + turned) };
    }

    /// Returns the pose of the robot by the encoders of its wheels.
    pub(crate) fn odometer(&self) -> Pose {
        self.odometer
    }

    /// Returns the velocity of the robot by the speeds of its wheels, as if no wheel slipped.
    pub(crate) fn velocity(&self, drive: &Drive) -> Velocity {
        let speed = |index: usize| self.speeds[index];
        let (left, right) = (speed(0), speed(1));
        match drive.kind {
            DriveKind::Mecanum { wheel_base } => {
                let (rear_left, rear_right) = (speed(2), speed(3));
                let sum = wheel_base + drive.wheel_separation;
                Velocity {
                    forward: (left + right + rear_left + rear_right) / 4.0,
                    left: (right - left + rear_left - rear_right) / 4.0,
                    turn: (right - left - rear_left + rear_right) / 4.0 / (sum / 2.0),
                }
            }
            DriveKind::Differential | DriveKind::Ackermann { .. } => Velocity {
                forward: f64::midpoint(left, right),
                left: 0.0,
                turn: (right - left) / drive.wheel_separation,
            },
        }
    }

    /// Returns the angles of the joints and their angular velocities: first the wheels, then the steered wheels.
    pub(crate) fn joints(&self, drive: &Drive) -> (Vec<f64>, Vec<f64>) {
        let (mut angles, mut velocities) = (self.angles.clone(), Vec::with_capacity(drive.joints.len()));
        velocities.extend(self.speeds.iter().map(|speed| speed / drive.wheel_radius));
        for wheel in self.wheels.iter().filter(|wheel| wheel.is_steered) {
            angles.push(drive.wheel_angle(wheel, self.steering));
            velocities.push(drive.wheel_angle_rate(wheel, self.steering, self.steering_rate));
        }
        (angles, velocities)
    }
}
