//! Where a velocity leads to.

use saltus_costmap::Costmap;
use saltus_motion::{Pose, Velocity};

use crate::kinematics::Kinematics;

/// Where a robot is at some times if it is told a velocity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    /// The velocity that it is told.
    pub velocity: Velocity,
    /// Where it is. The first pose is where it is now.
    pub poses: Vec<Pose>,
    /// When it is there, in seconds from now.
    pub times: Vec<f64>,
    /// The places of the poses in the costmap; `None` outside of it.
    places: Vec<Option<u32>>,
}

impl Trajectory {
    /// Returns the last pose; the default one if there is none.
    pub fn end(&self) -> Pose {
        self.poses.last().copied().unwrap_or_default()
    }

    /// Returns the places of the poses in the costmap; `None` outside of it.
    pub fn places(&self) -> impl DoubleEndedIterator<Item = Option<usize>> {
        self.places.iter().map(|place| place.map(|place| place as usize))
    }

    fn clear(&mut self, velocity: Velocity) {
        self.velocity = velocity;
        self.poses.clear();
        self.times.clear();
        self.places.clear();
    }

    fn push(&mut self, map: &Costmap, pose: Pose, time: f64) {
        self.poses.push(pose);
        self.times.push(time);
        let cell = map.cell_at([pose.x, pose.y]);
        self.places.push(cell.and_then(|cell| u32::try_from(map.place(cell)).ok()));
    }
}

/// How trajectories are simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simulation {
    /// How far ahead, in seconds.
    pub time: f64,
    /// The time between two poses in seconds, if all have the same.
    pub time_step: Option<f64>,
    /// Otherwise the longest way between two poses in metres.
    pub linear_step: f64,
    /// And the largest turn between two poses in radians.
    pub angular_step: f64,
    /// Whether the last pose is there twice. It has no other effect than that critics which add up all poses count it twice.
    pub repeats_end: bool,
}

impl Default for Simulation {
    fn default() -> Self {
        Self { time: 1.7, time_step: None, linear_step: 0.5, angular_step: 0.025, repeats_end: true }
    }
}

/// The most poses of a trajectory. Settings with tiny steps would need too much time.
const MOST: f64 = 10_000.0;

impl Simulation {
    fn steps(&self, velocity: &Velocity) -> u32 {
        let steps = self.time_step.map_or_else(
            || {
                let (way, turn) = (velocity.speed() * self.time, velocity.theta.abs() * self.time);
                (way / self.linear_step).max(turn / self.angular_step)
            },
            |step| self.time / step,
        );
        steps.ceil().clamp(1.0, MOST) as u32
    }

    /// Simulates a robot that has a velocity and is told another one.
    pub(crate) fn run(
        &self,
        kinematics: &Kinematics,
        map: &Costmap,
        (robot, current): (Pose, Velocity),
        told: Velocity,
        trajectory: &mut Trajectory,
    ) {
        trajectory.clear(told);
        trajectory.push(map, robot, 0.0);
        let steps = self.steps(&told);
        let step = self.time / f64::from(steps);
        let (mut pose, mut velocity) = (robot, current);
        let mut heading = Turn::by(robot.yaw);
        // The velocity is soon the one that it is told, so most turns are the same.
        let (mut turning, mut turn) = (f64::NAN, Turn::by(0.0));
        for count in 1..=steps {
            let approach = |axis, from, to| kinematics.approach(axis, from, to, step);
            velocity = Velocity::new(
                approach(0, velocity.x, told.x),
                approach(1, velocity.y, told.y),
                approach(2, velocity.theta, told.theta),
            );
            if velocity.theta != turning {
                (turning, turn) = (velocity.theta, Turn::by(velocity.theta * step));
            }
            let [x, y] = heading.apply([velocity.x * step, velocity.y * step]);
            pose = Pose { x: pose.x + x, y: pose.y + y, yaw: pose.yaw + velocity.theta * step };
            heading = heading.then(&turn);
            trajectory.push(map, pose, f64::from(count) * step);
        }
        if self.repeats_end {
            trajectory.push(map, pose, self.time);
        }
    }
}

/// The cosine and the sine of an angle.
#[derive(Clone, Copy)]
struct Turn([f64; 2]);

impl Turn {
    fn by(angle: f64) -> Self {
        Self([angle.cos(), angle.sin()])
    }

    fn apply(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [cosine, sine] = self.0;
        [cosine * x - sine * y, sine * x + cosine * y]
    }

    fn then(&self, other: &Self) -> Self {
        Self(self.apply(other.0))
    }
}
