//! The wheels of a robot, and their speeds for a command.

use saltus_yaml::Node;

use crate::{
    fields::{Fields, NOT_NEGATIVE, POSITIVE, Result, text},
    pose::Point,
};

/// A commanded velocity of a robot, in its own frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Command {
    /// The velocity along the axis x, in m/s.
    pub forward: f64,
    /// The velocity along the axis y, in m/s. Only robots with mecanum wheels can follow it.
    pub left: f64,
    /// The angular velocity, in rad/s.
    pub turn: f64,
}

impl Command {
    /// Whether all numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        [self.forward, self.left, self.turn].iter().all(|number| number.is_finite())
    }
}

/// The kind of a drive: the positions and the functions of its wheels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DriveKind {
    /// Two driven wheels beside the origin.
    Differential,
    /// Four mecanum wheels around the origin.
    Mecanum {
        /// The distance between front and rear wheels, in metres.
        wheel_base: f64,
    },
    /// Two driven rear wheels beside the origin, and two front wheels that are steered.
    Ackermann {
        /// The distance between front and rear wheels, in metres.
        wheel_base: f64,
        /// The largest steering angle, in radians.
        max_steering: f64,
        /// The speed of the steering, in rad/s.
        steering_speed: f64,
    },
}

/// The drive of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    /// The kind of the drive.
    pub kind: DriveKind,
    /// The distance between left and right wheels, in metres.
    pub wheel_separation: f64,
    /// The radius of the wheels, in metres.
    pub wheel_radius: f64,
    /// The largest acceleration of the rim of a wheel, in m/s².
    pub max_acceleration: f64,
    /// The largest torque of a wheel, in Nm.
    pub max_torque: f64,
    /// The coefficient of friction between wheels and ground.
    pub friction: f64,
    /// The limits of commands. Each limit applies in both directions.
    pub limits: Command,
    /// The rate at which the speeds of the wheels are set, in Hz.
    pub update_rate: f64,
    /// The names of the joints: first those of the wheels, then those of the steered wheels.
    pub joints: Vec<String>,
}

/// A wheel of a drive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wheel {
    /// The contact point with the ground, in the frame of the robot.
    pub(crate) position: Point,
    /// The direction in which the rollers transmit force, for a mecanum wheel.
    pub(crate) roller: Option<Point>,
    pub(crate) is_driven: bool,
    pub(crate) is_steered: bool,
}

/// The highest velocity that is accepted, in m/s and rad/s.
pub(crate) const MAX_VELOCITY: f64 = 1000.0;

impl Drive {
    /// Reads the mapping `drive`.
    pub(crate) fn read(node: &Node) -> Result<Self> {
        let fields = Fields::new(node)?;
        let positive = |key| fields.number(key, POSITIVE);
        let name = fields.text_or("kind", "differential")?;
        let kind = match &*name {
            "differential" => DriveKind::Differential,
            "mecanum" => DriveKind::Mecanum { wheel_base: positive("wheel_base")? },
            "ackermann" => DriveKind::Ackermann {
                wheel_base: positive("wheel_base")?,
                max_steering: fields.number_or("max_steering", (0.01, 1.5), 0.6)?,
                steering_speed: fields.number_or("steering_speed", POSITIVE, 2.0)?,
            },
            other => {
                let text = format!("`kind` must be differential, mecanum or ackermann, found `{other}`");
                return Err(fields.get("kind")?.error(text));
            }
        };
        let limit = |key| fields.number_or(key, NOT_NEGATIVE, MAX_VELOCITY);
        let drive = Self {
            kind,
            wheel_separation: positive("wheel_separation")?,
            wheel_radius: positive("wheel_radius")?,
            max_acceleration: fields.number_or("max_acceleration", POSITIVE, POSITIVE.1)?,
            max_torque: fields.number_or("max_torque", POSITIVE, POSITIVE.1)?,
            friction: fields.number_or("friction", NOT_NEGATIVE, 1.0)?,
            limits: Command {
                forward: limit("max_forward")?,
                left: limit("max_left")?,
                turn: limit("max_turn")?,
            },
            update_rate: fields.number_or("update_rate", (1.0, 10_000.0), 30.0)?,
            joints: joints(&fields, kind)?,
        };
        fields.finish()?;
        Ok(drive)
    }

    /// Returns the wheels: left before right, and front before rear.
    pub(crate) fn wheels(&self) -> Vec<Wheel> {
        let side = self.wheel_separation / 2.0;
        let wheel =
            |x, y| Wheel { position: Point::new(x, y), roller: None, is_driven: true, is_steered: false };
        match self.kind {
            DriveKind::Differential => vec![wheel(0.0, side), wheel(0.0, -side)],
            DriveKind::Mecanum { wheel_base } => {
                let front = wheel_base / 2.0;
                let positions = [(front, side), (front, -side), (-front, side), (-front, -side)];
                let roller = |x: f64, y: f64| Point::new(1.0, -(x * y).signum()).normalize();
                positions.map(|(x, y)| Wheel { roller: Some(roller(x, y)), ..wheel(x, y) }).to_vec()
            }
            DriveKind::Ackermann { wheel_base, .. } => {
                let front = |y| Wheel { is_driven: false, is_steered: true, ..wheel(wheel_base, y) };
                vec![wheel(0.0, side), wheel(0.0, -side), front(side), front(-side)]
            }
        }
    }

    /// Returns a command within the limits.
    pub(crate) fn limited(&self, command: Command) -> Command {
        let Command { forward, left, turn } = self.limits;
        Command {
            forward: command.forward.clamp(-forward, forward),
            left: command.left.clamp(-left, left),
            turn: command.turn.clamp(-turn, turn),
        }
    }

    /// Returns the steering angle for a command, in radians. It is the angle of a front wheel in the middle of the robot.
    pub(crate) fn steering(&self, command: Command) -> f64 {
        let DriveKind::Ackermann { wheel_base, max_steering, .. } = self.kind else { return 0.0 };
        if command.forward.abs() < 1e-6 {
            return 0.0;
        }
        (wheel_base * command.turn / command.forward).atan().clamp(-max_steering, max_steering)
    }

    /// Returns the speed of the rim of a wheel for a command and the current steering angle, in m/s.
    pub(crate) fn rim_speed(&self, wheel: &Wheel, command: Command, steering: f64) -> f64 {
        let Command { forward, mut left, mut turn } = command;
        match self.kind {
            DriveKind::Differential => left = 0.0,
            DriveKind::Mecanum { .. } => {}
            DriveKind::Ackermann { wheel_base, .. } => {
                (left, turn) = (0.0, forward * steering.tan() / wheel_base);
            }
        }
        let velocity = Point::new(forward - turn * wheel.position.y, left + turn * wheel.position.x);
        match wheel.roller {
            // A mecanum wheel rolls freely across the force direction, so its rim only follows the rest of the velocity.
            Some(roller) => velocity.dot(roller) / roller.x,
            None => velocity.x,
        }
    }

    /// Returns the angle of a wheel, in radians. The axles of all wheels meet in one point (Ackermann steering).
    pub(crate) fn wheel_angle(&self, wheel: &Wheel, steering: f64) -> f64 {
        let DriveKind::Ackermann { wheel_base, .. } = self.kind else { return 0.0 };
        if !wheel.is_steered {
            return 0.0;
        }
        let tangent = steering.tan();
        (wheel_base * tangent).atan2(wheel_base - wheel.position.y * tangent)
    }

    /// Returns the angular velocity of the angle of a steered wheel, in rad/s, if the steering angle changes at `rate`. It is the derivative
    /// of [`wheel_angle`](Self::wheel_angle).
    pub(crate) fn wheel_angle_rate(&self, wheel: &Wheel, steering: f64, rate: f64) -> f64 {
        let DriveKind::Ackermann { wheel_base, .. } = self.kind else { return 0.0 };
        let tangent = steering.tan();
        let (opposite, adjacent) = (wheel_base * tangent, wheel_base - wheel.position.y * tangent);
        wheel_base * wheel_base * (1.0 + tangent * tangent) / (opposite * opposite + adjacent * adjacent)
            * rate
    }
}

/// Reads the names of the joints. Without names, they are the default ones of the kind.
fn joints(fields: &Fields<'_>, kind: DriveKind) -> Result<Vec<String>> {
    let defaults: &[&str] = match kind {
        DriveKind::Differential => &["wheel_left_joint", "wheel_right_joint"],
        DriveKind::Mecanum { .. } => &[
            "wheel_front_left_joint",
            "wheel_front_right_joint",
            "wheel_rear_left_joint",
            "wheel_rear_right_joint",
        ],
        DriveKind::Ackermann { .. } => &[
            "wheel_rear_left_joint",
            "wheel_rear_right_joint",
            "wheel_front_left_joint",
            "wheel_front_right_joint",
            "steering_left_joint",
            "steering_right_joint",
        ],
    };
    let names = fields.list("joints")?.iter().map(|node| text(node, "joints")).collect::<Result<Vec<_>>>()?;
    if names.is_empty() {
        return Ok(defaults.iter().map(|name| (*name).to_owned()).collect());
    }
    if names.len() != defaults.len() {
        let text = format!("`joints` must have {} names, as in {}", defaults.len(), defaults.join(", "));
        return Err(fields.get("joints")?.error(text));
    }
    Ok(names)
}
