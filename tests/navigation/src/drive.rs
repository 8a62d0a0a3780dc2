//! A robot that plans and follows paths.

use std::{sync::Arc, time::Duration};

use saltus_costmap::{
    Costmap, FREE, InflationLayer, InflationSettings, LayeredCostmap, MapInput, StaticLayer, StaticSettings,
};
use saltus_motion::{Controller, GoalChecker, GoalTolerance, Pose, Situation, Velocity, is_free};
use saltus_navfn::NavFn;

use crate::{setup::footprint, world::World};

/// The outcome of a drive.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The robot has reached the goal after a time in seconds.
    Reached(f64),
    /// There was no path from a pose.
    NoPath(Pose),
    /// The time limit was reached at a pose. The text is the last error of the controller.
    Late(Pose, String),
    /// The robot touched an obstacle at a pose.
    Touched(Pose),
}

/// A robot that drives to a goal.
pub struct Drive<'a> {
    global: Costmap,
    local: LayeredCostmap,
    controller: &'a mut dyn Controller,
    /// The pose of the robot.
    pub robot: Pose,
    velocity: Velocity,
    path: Vec<Pose>,
    /// The last error of the controller.
    last_error: String,
}

pub(crate) const INFLATION: InflationSettings =
    InflationSettings { radius: 0.55, scaling: 3.0, inscribed: 0.2255 };
/// The time of a cycle, in seconds.
const CYCLE: f64 = 0.05;
/// The highest acceleration of the robot, in m/s² and rad/s².
const ACCELERATION: [f64; 2] = [2.5, 3.2];

impl<'a> Drive<'a> {
    /// Creates a robot at a pose in a world.
    pub fn new(world: &World, robot: Pose, controller: &'a mut dyn Controller) -> Self {
        let input = Arc::new(MapInput::default());
        input.set(world.map.clone());
        let layers: Vec<Box<dyn saltus_costmap::Layer>> = vec![
            Box::new(StaticLayer::new(StaticSettings::default(), input)),
            Box::new(InflationLayer::new(INFLATION.radius, INFLATION.scaling)),
        ];
        let window = Costmap::new((60, 60), 0.05, [0.0, 0.0], FREE);
        Self {
            global: world.inflated(&INFLATION),
            local: LayeredCostmap::new(window, true, footprint(), layers),
            controller,
            robot,
            velocity: Velocity::default(),
            path: Vec::new(),
            last_error: String::new(),
        }
    }

    /// Plans a path to a goal. Returns whether there is one.
    fn plan(&mut self, goal: &Pose) -> bool {
        let points = NavFn::default().plan(&self.global, [self.robot.x, self.robot.y], [goal.x, goal.y]);
        let Some(points) = points else { return false };
        self.path = points.iter().map(|[x, y]| Pose::new(*x, *y, 0.0)).collect();
        self.path.push(*goal);
        self.controller.start_path();
        true
    }

    /// Drives to a goal, for at most some seconds of simulated time.
    pub fn drive_to(&mut self, goal: &Pose, seconds: f64) -> Outcome {
        let mut checker = GoalChecker::new(GoalTolerance::default());
        for cycle in 0..(seconds / CYCLE) as u32 {
            let now = Duration::from_secs_f64(f64::from(cycle) * CYCLE);
            // A new path each second, as with the trees of Nav2.
            if cycle % 20 == 0 {
                if !self.plan(goal) {
                    return Outcome::NoPath(self.robot);
                }
                checker.reset();
            }
            if cycle % 4 == 0 {
                self.local.update(self.robot.to_array(), now);
            }
            if checker.is_reached(&self.robot, goal, &self.velocity) {
                return Outcome::Reached(f64::from(cycle) * CYCLE);
            }
            let command = self.command(now);
            self.step(command);
            if is_free(&self.global, &footprint(), &self.robot).is_err() {
                return Outcome::Touched(self.robot);
            }
        }
        Outcome::Late(self.robot, self.last_error.clone())
    }

    /// Returns the velocity that the controller commands.
    fn command(&mut self, now: Duration) -> Velocity {
        let situation = Situation {
            map: self.local.map(),
            footprint: self.local.footprint(),
            robot: self.robot,
            velocity: self.velocity,
            path: &self.path,
            tolerance: GoalTolerance::default(),
            inflation: Some(INFLATION),
            now,
        };
        self.controller.command(&situation).unwrap_or_else(|error| {
            self.last_error = error.to_string();
            Velocity::default()
        })
    }

    /// Moves the robot by one cycle.
    fn step(&mut self, command: Velocity) {
        let steps = 5;
        let time = CYCLE / f64::from(steps);
        for _ in 0..steps {
            let change = ACCELERATION.map(|acceleration| acceleration * time);
            self.velocity.x += (command.x - self.velocity.x).clamp(-change[0], change[0]);
            self.velocity.theta += (command.theta - self.velocity.theta).clamp(-change[1], change[1]);
            let turn = Pose::new(0.0, 0.0, self.velocity.theta * time / 2.0);
            let translation = Pose::new(self.velocity.x * time, 0.0, 0.0);
            self.robot = self.robot.then(&turn).then(&translation).then(&turn);
        }
    }
}
