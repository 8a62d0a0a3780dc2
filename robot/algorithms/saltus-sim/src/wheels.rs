//! The wheels of a robot while it drives.

use crate::{
    drive::{Command, Drive, DriveKind, Wheel},
    noise::Noise,
    pose::{Point, Pose, Velocity, wrapped},
    traction::{Body, Contact, Impulse, solve},
};

/// The acceleration of gravity, in metres per second squared.
pub(crate) const GRAVITY: f64 = 9.80665;

/// The wheels of a robot.
#[derive(Debug)]
pub(crate) struct Wheels {
    wheels: Vec<Wheel>,
    /// The speeds of the rims, and those that the motors try to reach.
    speeds: Vec<f64>,
    targets: Vec<f64>,
    /// The angles by which the wheels have turned.
    angles: Vec<f64>,
    /// The angle of the steering, how fast it changes, and where it moves to.
    steering: f64,
    steering_rate: f64,
    wanted_steering: f64,
    /// The same from step to step, to save allocations.
    contacts: Vec<Contact>,
    impulses: Vec<Impulse>,
    /// Where the robot is, as the wheels say.
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
            wanted_steering: 0.0,
            contacts: Vec::with_capacity(count),
            impulses: vec![Impulse::default(); count],
            odometer: Pose::default(),
        }
    }

    /// Sets the speeds that the motors try to reach for a command, as far as the acceleration allows in `seconds`.
    pub(crate) fn control(&mut self, drive: &Drive, command: Command, seconds: f64) {
        self.wanted_steering = drive.steering(command);
        let most = drive.max_acceleration * seconds;
        for (place, wheel) in self.wheels.iter().enumerate() {
            if wheel.is_driven {
                let speed = self.speeds[place];
                let wanted = drive.rim_speed(wheel, command, self.steering);
                self.targets[place] = speed + (wanted - speed).clamp(-most, most);
            }
        }
    }

    /// Changes the velocity of the body as the wheels push it in one step. `center` is the centre of mass in the frame of the
    /// robot, and `mass` the mass of the robot.
    pub(crate) fn push(
        &mut self,
        drive: &Drive,
        pose: &Pose,
        center: Point,
        mass: f64,
        body: &mut Body,
        seconds: f64,
    ) {
        self.steer(drive, seconds);
        let grip = drive.friction * mass * GRAVITY / self.wheels.len() as f64 * seconds;
        self.contacts.clear();
        for (wheel, target) in self.wheels.iter().zip(&self.targets) {
            let heading = Point::from_angle(drive.wheel_angle(wheel, self.steering));
            let along = wheel.roller.unwrap_or(heading);
            self.contacts.push(Contact {
                arm: pose.rotate(wheel.at - center),
                along: pose.rotate(along),
                surface: wheel.is_driven.then(|| target * heading.dot(along)),
                holds: wheel.roller.is_none(),
                // The wheel of a roller feels only a part of the force along the roller.
                motor: drive.max_torque / drive.wheel_radius / heading.dot(along).abs() * seconds,
                grip,
            });
        }
        solve(body, &self.contacts, &mut self.impulses);
        self.turn(drive, body, seconds);
    }

    fn steer(&mut self, drive: &Drive, seconds: f64) {
        if let DriveKind::Ackermann { steering_speed, .. } = drive.kind {
            let most = steering_speed * seconds;
            let moved = (self.wanted_steering - self.steering).clamp(-most, most);
            self.steering += moved;
            self.steering_rate = moved / seconds;
        }
    }

    /// Turns the wheels. One whose motor is too weak, or that rolls freely, turns as fast as the ground moves.
    fn turn(&mut self, drive: &Drive, body: &Body, seconds: f64) {
        for (place, wheel) in self.wheels.iter().enumerate() {
            let contact = &self.contacts[place];
            let is_free = !wheel.is_driven || self.impulses[place].is_at_limit(contact);
            self.speeds[place] = if is_free {
                let along = wheel.roller.map_or(1.0, |roller| roller.x);
                body.velocity_at(contact.arm).dot(contact.along) / along
            } else {
                self.targets[place]
            };
            self.angles[place] += self.speeds[place] / drive.wheel_radius * seconds;
        }
    }

    /// Moves the odometer as the wheels have moved in one step.
    pub(crate) fn measure(&mut self, drive: &Drive, drift: f64, noise: &mut Noise, seconds: f64) {
        let velocity = self.velocity(drive);
        let mut wrong = |speed: f64| {
            let distance = speed.abs() * seconds;
            speed * seconds + if distance > 0.0 { noise.normal(drift * distance.sqrt()) } else { 0.0 }
        };
        let half = drive.wheel_separation / 2.0;
        let [left, right] = [-half, half].map(|side| wrong(velocity.forward + velocity.turn * side));
        let (forward, turned) = (f64::midpoint(left, right), (right - left) / drive.wheel_separation);
        let middle = Pose { yaw: self.odometer.yaw + turned / 2.0, ..self.odometer };
        let moved = middle.rotate(Point::new(forward, velocity.left * seconds)) + self.odometer.point();
        self.odometer = Pose { x: moved.x, y: moved.y, yaw: wrapped(self.odometer.yaw + turned) };
    }

    pub(crate) fn odometer(&self) -> Pose {
        self.odometer
    }

    /// Returns the velocity of the robot if no wheel slips.
    pub(crate) fn velocity(&self, drive: &Drive) -> Velocity {
        let speed = |place: usize| self.speeds[place];
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

    /// Returns the angles of the joints and how fast they change: first the wheels, then the steering.
    pub(crate) fn joints(&self, drive: &Drive) -> (Vec<f64>, Vec<f64>) {
        let (mut angles, mut velocities) = (self.angles.clone(), Vec::with_capacity(drive.joints.len()));
        velocities.extend(self.speeds.iter().map(|speed| speed / drive.wheel_radius));
        for wheel in self.wheels.iter().filter(|wheel| wheel.is_steered) {
            angles.push(drive.wheel_angle(wheel, self.steering));
            velocities.push(drive.wheel_turn(wheel, self.steering, self.steering_rate));
        }
        (angles, velocities)
    }
}
