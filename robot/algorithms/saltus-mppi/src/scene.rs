//! What critics look at.

use std::cell::OnceCell;

use saltus_costmap::{Costmap, Footprint, INSCRIBED, InflationSettings, LETHAL, UNKNOWN};
use saltus_motion::{Pose, footprint_cost};

use crate::{batch::Batch, settings::MotionModel};

/// A place near the robot: metres in the frame of the costmap, with the robot at the origin, and radians.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// In metres.
    pub x: f32,
    /// In metres.
    pub y: f32,
    /// In radians.
    pub yaw: f32,
}

impl Place {
    pub(crate) fn of(pose: &Pose, robot: &Pose) -> Self {
        Self { x: (pose.x - robot.x) as f32, y: (pose.y - robot.y) as f32, yaw: pose.yaw as f32 }
    }

    /// Returns the distance to a point.
    pub fn distance(self, x: f32, y: f32) -> f32 {
        (self.x - x).hypot(self.y - y)
    }
}

/// What critics look at.
#[derive(Debug)]
pub struct Scene<'a> {
    /// The motions that are rated.
    pub batch: &'a Batch,
    /// The part of the path that counts. It is not empty.
    pub path: Vec<Place>,
    /// The end of the whole path.
    pub goal: Place,
    /// The heading of the robot, which is at the origin.
    pub yaw: f32,
    /// The time of a step, in seconds.
    pub time: f32,
    /// How the robot can move.
    pub model: MotionModel,
    /// How near the goal must be, in metres.
    pub tolerance: f32,
    /// What the robot covers on the ground.
    pub footprint: &'a Footprint,
    /// How costs around obstacles fall, if that is known.
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
            path: path.iter().map(|pose| Place::of(pose, &robot)).collect(),
            goal: Place::of(&goal, &robot),
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

    /// Returns the cost at a point; that of unknown cells outside of the costmap.
    pub fn cost(&self, x: f32, y: f32) -> u8 {
        let point = [self.robot.x + f64::from(x), self.robot.y + f64::from(y)];
        self.map.cell_at(point).map_or(UNKNOWN, |cell| self.map.cost(cell))
    }

    /// Returns the highest cost below the outline of the robot at a place; that of an obstacle outside of the costmap.
    pub fn footprint_cost(&self, x: f32, y: f32, yaw: f32) -> u8 {
        let pose = Pose::new(self.robot.x + f64::from(x), self.robot.y + f64::from(y), f64::from(yaw));
        footprint_cost(self.map, self.footprint, &pose).unwrap_or(LETHAL)
    }

    /// Whether a cost means that the robot touches something. If the cost is that of the centre, it does so also at the cost of cells
    /// that are within the radius of the robot.
    pub fn is_collision(&self, cost: u8, is_outline: bool) -> bool {
        match cost {
            LETHAL => true,
            INSCRIBED => !is_outline,
            UNKNOWN => self.map.default_cost() != UNKNOWN,
            _ => false,
        }
    }

    /// Returns the cost from which on the outline of the robot may touch something; 0 if that is not known.
    pub fn possible_collision(&self) -> u8 {
        let radius = self.footprint.circumscribed_radius();
        self.inflation
            .filter(|inflation| inflation.radius >= radius)
            .map_or(0, |inflation| inflation.cost(radius))
    }

    /// Returns the place on the path of the furthest point that is the nearest one to the end of a motion.
    pub fn furthest(&self) -> usize {
        *self.furthest.get_or_init(|| {
            let mut furthest = 0;
            for trajectory in self.batch.trajectories() {
                let (Some(x), Some(y)) = (trajectory.x.last(), trajectory.y.last()) else { continue };
                let distance = |place: &Place| (place.x - x).powi(2) + (place.y - y).powi(2);
                let nearest = (furthest..self.path.len())
                    .min_by(|one, other| distance(&self.path[*one]).total_cmp(&distance(&self.path[*other])));
                furthest = nearest.unwrap_or(furthest);
            }
            furthest
        })
    }

    /// Returns whether the centre of the robot could be at each point of the path.
    pub fn valid(&self) -> &[bool] {
        self.valid.get_or_init(|| {
            let is_valid = |place: &Place| match self.cost(place.x, place.y) {
                LETHAL | INSCRIBED => false,
                UNKNOWN => {
                    let point = [self.robot.x + f64::from(place.x), self.robot.y + f64::from(place.y)];
                    self.map.cell_at(point).is_some() && self.map.default_cost() == UNKNOWN
                }
                _ => true,
            };
            self.path.iter().map(is_valid).collect()
        })
    }
}
