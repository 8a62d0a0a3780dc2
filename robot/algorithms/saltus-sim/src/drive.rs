//! The wheels of a robot, and their speeds for a command.

use saltus_yaml::Node;

use crate::{
    fields::{Fields, NOT_NEGATIVE, POSITIVE, Result, text},
    pose::Point,
};

/// The velocity that a robot is told to have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Command {
    /// Along its axis x, in metres per second.
    pub forward: f64,
    /// Along its axis y, in metres per second. Only mecanum wheels can do that.
    pub left: f64,
    /// In radians per second.
    pub turn: f64,
}

impl Command {
    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        [self.forward, self.left, self.turn].iter().all(|number| number.is_finite())
    }
}

/// How wheels are placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DriveKind {
    /// Two driven wheels beside the origin.
    Differential,
    /// Four mecanum wheels around the origin.
    Mecanum {
        /// The distance between front and rear wheels.
        wheel_base: f64,
    },
    /// Two driven rear wheels beside the origin, and two front wheels that are steered.
    Ackermann {
        /// The distance between front and rear wheels.
        wheel_base: f64,
        /// The largest angle of steering.
        max_steering: f64,
        /// How fast the steering moves, in radians per second.
        steering_speed: f64,
    },
}

/// How a robot drives.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    /// How the wheels are placed.
    pub kind: DriveKind,
    /// The distance between left and right wheels.
    pub wheel_separation: f64,
    /// The radius of the wheels.
    pub wheel_radius: f64,
    /// How fast the speed of a wheel's rim changes at most, in metres per second squared.
    pub max_acceleration: f64,
    /// The largest torque of a wheel, in newton metres.
    pub max_torque: f64,
    /// The coefficient of friction between wheels and ground.
    pub friction: f64,
    /// The largest velocities of commands: forward, left, turn.
    pub limits: Command,
    /// How often the speeds of wheels are set, in hertz.
    pub update_rate: f64,
    /// The names of the joints: first those of the wheels, then those of the steering.
    pub joints: Vec<String>,
}

/// A wheel: where it touches the ground, and what it does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wheel {
    pub(crate) at: Point,
    /// For a mecanum wheel: the direction in which its rollers carry force.
    pub(crate) roller: Option<Point>,
    pub(crate) is_driven: bool,
    pub(crate) is_steered: bool,
}

/// Velocities above this, in metres or radians per second, are not those of a robot.
pub(crate) const FASTEST: f64 = 1000.0;

impl Drive {
    /// Reads the mapping `drive`.
    pub(crate) fn read(node: &Node) -> Result<Self> {
        let fields = Fields::of(node)?;
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
        let limit = |key| fields.number_or(key, NOT_NEGATIVE, FASTEST);
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
        fields.end()?;
        Ok(drive)
    }

    /// Returns the wheels: left before right, and front before rear.
    pub(crate) fn wheels(&self) -> Vec<Wheel> {
        let side = self.wheel_separation / 2.0;
        let wheel = |x, y| Wheel { at: Point::new(x, y), roller: None, is_driven: true, is_steered: false };
        match self.kind {
            DriveKind::Differential => vec![wheel(0.0, side), wheel(0.0, -side)],
            DriveKind::Mecanum { wheel_base } => {
                let front = wheel_base / 2.0;
                let places = [(front, side), (front, -side), (-front, side), (-front, -side)];
                let roller = |x: f64, y: f64| Point::new(1.0, -(x * y).signum()).normalize();
                places.map(|(x, y)| Wheel { roller: Some(roller(x, y)), ..wheel(x, y) }).to_vec()
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

    /// Returns the angle of steering that a command needs, as if there were one front wheel in the middle.
    pub(crate) fn steering(&self, command: Command) -> f64 {
        let DriveKind::Ackermann { wheel_base, max_steering, .. } = self.kind else { return 0.0 };
        if command.forward.abs() < 1e-6 {
            return 0.0;
        }
        (wheel_base * command.turn / command.forward).atan().clamp(-max_steering, max_steering)
    }

    /// Returns the speed of a wheel's rim for a command, with the angle of steering that there is.
    pub(crate) fn rim_speed(&self, wheel: &Wheel, command: Command, steering: f64) -> f64 {
        let Command { forward, mut left, mut turn } = command;
        match self.kind {
            DriveKind::Differential => left = 0.0,
            DriveKind::Mecanum { .. } => {}
            DriveKind::Ackermann { wheel_base, .. } => {
                (left, turn) = (0.0, forward * steering.tan() / wheel_base);
            }
        }
        let velocity = Point::new(forward - turn * wheel.at.y, left + turn * wheel.at.x);
        match wheel.roller {
            // Along the rollers a mecanum wheel is free, so its rim only needs the rest.
            Some(roller) => velocity.dot(roller) / roller.x,
            None => velocity.x,
        }
    }

    /// Returns the angle of a steered wheel. The axles of all wheels meet in one point.
    pub(crate) fn wheel_angle(&self, wheel: &Wheel, steering: f64) -> f64 {
        let DriveKind::Ackermann { wheel_base, .. } = self.kind else { return 0.0 };
        if !wheel.is_steered {
            return 0.0;
        }
        let tangent = steering.tan();
        (wheel_base * tangent).atan2(wheel_base - wheel.at.y * tangent)
    }

    /// Returns how fast the angle of a steered wheel changes if that of the steering changes at `rate`: the derivative of
    /// [`wheel_angle`](Self::wheel_angle).
    pub(crate) fn wheel_turn(&self, wheel: &Wheel, steering: f64, rate: f64) -> f64 {
        let DriveKind::Ackermann { wheel_base, .. } = self.kind else { return 0.0 };
        let tangent = steering.tan();
        let (ahead, aside) = (wheel_base * tangent, wheel_base - wheel.at.y * tangent);
        wheel_base * wheel_base * (1.0 + tangent * tangent) / (ahead * ahead + aside * aside) * rate
    }
}

fn joints(fields: &Fields<'_>, kind: DriveKind) -> Result<Vec<String>> {
    let usual: &[&str] = match kind {
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
        return Ok(usual.iter().map(|name| (*name).to_owned()).collect());
    }
    if names.len() != usual.len() {
        let text = format!("`joints` must have {} names, as in {}", usual.len(), usual.join(", "));
        return Err(fields.get("joints")?.error(text));
    }
    Ok(names)
}
