//! The input of critics.

use std::cell::OnceCell;

use saltus_costmap::{Costmap, Footprint, INSCRIBED, InflationSettings, LETHAL, UNKNOWN};
use saltus_motion::{Pose, footprint_cost};

use crate::{batch::Batch, settings::MotionModel};

/// A pose relative to the position of the robot, with the axes of the frame of the costmap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RelativePose {
    /// The position along x, in metres.
    pub x: f32,
    /// The position along y, in metres.
    pub y: f32,
    /// The heading in the frame of the costmap, in radians.
    pub yaw: f32,
}

impl RelativePose {
    /// Converts a pose in the frame of the costmap.
    pub(crate) fn new(pose: &Pose, robot: &Pose) -> Self {
        Self { x: (pose.x - robot.x) as f32, y: (pose.y - robot.y) as f32, yaw: pose.yaw as f32 }
    }

    /// Returns the distance to a position relative to the robot, in metres.
    pub fn distance(self, x: f32, y: f32) -> f32 {
        (self.x - x).hypot(self.y - y)
    }
}

/// The input of critics. Positions are relative to the robot, with the axes of the frame of the costmap.
#[derive(Debug)]
pub struct Scene<'a> {
    /// The motions that are rated.
    pub batch: &'a Batch,
    /// The part of the path that counts. It is not empty.
    pub path: Vec<RelativePose>,
    /// The end of the whole path.
    pub goal: RelativePose,
    /// The heading of the robot, in radians.
    pub yaw: f32,
    /// The time of a step, in seconds.
    pub time: f32,
    /// The motion model of the robot.
    pub model: MotionModel,
    /// The distance tolerance of the goal, in metres.
    pub tolerance: f32,
    /// The footprint of the robot.
    pub footprint: &'a Footprint,
    /// The settings of the inflation of the costmap, if they are known.
    pub inflation: Option<InflationSettings>,
    map: &'a Costmap,
    robot: Pose,
    furthest: OnceCell<usize>,
    valid: OnceCell<Vec<bool>>,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(
        situation: &saltus_motion::Situation<'a>,
        path: &[Pose],
        batch: &'a Batch,
        (model, time): (MotionModel, f64),
    ) -> Self {
        let robot = situation.robot;
        let goal = situation.path.last().copied().unwrap_or(robot);
        Self {
            batch,
            path: path.iter().map(|pose| RelativePose::new(pose, &robot)).collect(),
            goal: RelativePose::new(&goal, &robot),
            yaw: robot.yaw as f32,
            time: time as f32,
            model,
            tolerance: situation.tolerance.xy as f32,
            footprint: situation.footprint,
            inflation: situation.inflation,
            map: situation.map,
            robot,
            furthest: OnceCell::new(),
            valid: OnceCell::new(),
        }
    }

    /// Whether the robot is nearer to the goal than a distance in metres.
    pub fn is_near_goal(&self, distance: f32) -> bool {
        self.goal.distance(0.0, 0.0) < distance
    }

    /// Returns the cost at a position; [`UNKNOWN`] outside of the costmap.
    pub fn cost(&self, x: f32, y: f32) -> u8 {
        let point = [self.robot.x + f64::from(x), self.robot.y + f64::from(y)];
        self.map.cell_at(point).map_or(UNKNOWN, |cell| self.map.cost(cell))
    }

    /// Returns the highest cost below the outline of the robot at a pose; [`LETHAL`] if the outline leaves the costmap.
    pub fn footprint_cost(&self, x: f32, y: f32, yaw: f32) -> u8 {
        let pose = Pose::new(self.robot.x + f64::from(x), self.robot.y + f64::from(y), f64::from(yaw));
        footprint_cost(self.map, self.footprint, &pose).unwrap_or(LETHAL)
    }

    /// Whether a cost means a collision. `is_outline` is true if it is the cost of the outline of the robot. For the cost of its centre,
    /// [`INSCRIBED`] is a collision as well.
    pub fn is_collision(&self, cost: u8, is_outline: bool) -> bool {
        match cost {
            LETHAL => true,
            INSCRIBED => !is_outline,
            UNKNOWN => self.map.default_cost() != UNKNOWN,
            _ => false,
        }
    }

    /// Returns the cost of the centre from which on the outline of the robot may touch an obstacle; 0 if it is not known.
    pub fn possible_collision(&self) -> u8 {
        let radius = self.footprint.circumscribed_radius();
        self.inflation
            .filter(|inflation| inflation.radius >= radius)
            .map_or(0, |inflation| inflation.cost(radius))
    }

    /// Returns the index of the furthest point of the path that is the nearest one to the end of a motion.
    pub fn furthest(&self) -> usize {
        *self.furthest.get_or_init(|| {
            let mut furthest = 0;
            for trajectory in self.batch.trajectories() {
                let (Some(x), Some(y)) = (trajectory.x.last(), trajectory.y.last()) else { continue };
                let distance = |pose: &RelativePose| (pose.x - x).powi(2) + (pose.y - y).powi(2);
                let nearest = (furthest..self.path.len())
                    .min_by(|one, other| distance(&self.path[*one]).total_cmp(&distance(&self.path[*other])));
                furthest = nearest.unwrap_or(furthest);
            }
            furthest
        })
    }

    /// Returns for each point of the path whether the centre of the robot can be there.
    pub fn valid(&self) -> &[bool] {
        self.valid.get_or_init(|| {
            let is_valid = |pose: &RelativePose| match self.cost(pose.x, pose.y) {
                LETHAL | INSCRIBED => false,
                UNKNOWN => {
                    let point = [self.robot.x + f64::from(pose.x), self.robot.y + f64::from(pose.y)];
                    self.map.cell_at(point).is_some() && self.map.default_cost() == UNKNOWN
                }
                _ => true,
            };
            self.path.iter().map(is_valid).collect()
        })
    }
}
