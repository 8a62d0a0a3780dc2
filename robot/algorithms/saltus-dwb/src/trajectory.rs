//! The simulation of trajectories.

use saltus_costmap::Costmap;
use saltus_motion::{Pose, Velocity};

use crate::kinematics::Kinematics;

/// The poses of a robot over time after a velocity is commanded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    /// The commanded velocity.
    pub velocity: Velocity,
    /// The poses in the frame of the costmap. The first one is the current pose.
    pub poses: Vec<Pose>,
    /// The times of the poses, in seconds from now.
    pub times: Vec<f64>,
    /// The indices of the cells of the poses in the costmap; `None` outside of it.
    cell_indices: Vec<Option<u32>>,
}

impl Trajectory {
    /// Returns the last pose; the default one if there is none.
    pub fn end(&self) -> Pose {
        self.poses.last().copied().unwrap_or_default()
    }

    /// Returns the indices of the cells of the poses in the costmap; `None` outside of it.
    pub fn cell_indices(&self) -> impl DoubleEndedIterator<Item = Option<usize>> {
        self.cell_indices.iter().map(|index| index.map(|index| index as usize))
    }

    fn clear(&mut self, velocity: Velocity) {
        self.velocity = velocity;
        self.poses.clear();
        self.times.clear();
        self.cell_indices.clear();
    }

    #[inline]
    fn push(&mut self, map: &Costmap, pose: Pose, time: f64) {
        self.poses.push(pose);
        self.times.push(time);
        let cell = map.cell_at([pose.x, pose.y]);
        self.cell_indices.push(cell.and_then(|cell| u32::try_from(map.index(cell)).ok()));
    }
}

/// The settings of the simulation of trajectories.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simulation {
    /// The time of a trajectory, in seconds.
    pub time: f64,
    /// The time between two poses in seconds; `None` if it follows from `linear_step` and `angular_step`.
    pub time_step: Option<f64>,
    /// The largest distance between two poses without a `time_step`, in metres.
    pub linear_step: f64,
    /// The largest turn between two poses without a `time_step`, in radians.
    pub angular_step: f64,
    /// Whether the last pose is added twice, as in Nav2. Critics that add up all poses then count it twice.
    pub repeats_end: bool,
}

impl Default for Simulation {
    fn default() -> Self {
        Self { time: 1.7, time_step: None, linear_step: 0.5, angular_step: 0.025, repeats_end: true }
    }
}

/// The maximum number of steps of a trajectory. Settings with tiny steps would need too much time.
const MAX_STEPS: f64 = 10_000.0;

impl Simulation {
    /// Returns the number of steps of a trajectory with a velocity.
    fn steps(&self, velocity: &Velocity) -> u32 {
        let steps = self.time_step.map_or_else(
            || {
                let (distance, turn) = (velocity.speed() * self.time, velocity.theta.abs() * self.time);
                (distance / self.linear_step).max(turn / self.angular_step)
            },
            |step| self.time / step,
        );
        steps.ceil().clamp(1.0, MAX_STEPS) as u32
    }

    /// Simulates a robot from its pose and velocity after another velocity is commanded, and replaces `trajectory` by the result.
    pub(crate) fn run(
        &self,
        kinematics: &Kinematics,
        map: &Costmap,
        (robot, current): (Pose, Velocity),
        command: Velocity,
        trajectory: &mut Trajectory,
    ) {
        trajectory.clear(command);
        trajectory.push(map, robot, 0.0);
        let steps = self.steps(&command);
        let step = self.time / f64::from(steps);
        let (mut pose, mut velocity) = (robot, current);
        let mut heading = Rotation::new(robot.yaw);
        // The velocity soon reaches the command, so most turns are equal.
        let (mut turning, mut turn) = (f64::NAN, Rotation::new(0.0));
        for count in 1..=steps {
            let approach = |axis, from, to| kinematics.approach(axis, from, to, step);
            velocity = Velocity::new(
                approach(0, velocity.x, command.x),
                approach(1, velocity.y, command.y),
                approach(2, velocity.theta, command.theta),
            );
            if velocity.theta != turning {
                (turning, turn) = (velocity.theta, Rotation::new(velocity.theta * step));
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

/// A rotation in the plane: the cosine and the sine of its angle.
#[derive(Clone, Copy)]
struct Rotation([f64; 2]);

impl Rotation {
    fn new(angle: f64) -> Self {
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
