//! A simulated robot that localizes itself, plans and follows paths.

use std::time::Duration;

use saltus_amcl::Amcl;
use saltus_costmap::Costmap;
use saltus_dwb::Dwb;
use saltus_motion::{Controller, GoalChecker, GoalTolerance, Pose, Situation, Velocity};
use saltus_navfn::NavFn;
use saltus_sim::{Command, Reading, Simulation};

use crate::{
    drive::INFLATION,
    localization::{amcl, scan},
    setup::{dwb, footprint},
    tour::{STEPS_PER_CYCLE, pose, simulation},
    world::World,
};

/// A robot that knows its pose only from its lidar and its wheel encoders.
struct LocalizedRobot {
    simulation: Simulation,
    amcl: Amcl,
    costs: Costmap,
    controller: Dwb,
    odometry: Pose,
    velocity: Velocity,
    path: Vec<Pose>,
}

/// The time of a cycle of the controller.
const CYCLE: Duration = Duration::from_millis(50);

/// Drives from a start to a goal. Returns the true pose of the robot in each control cycle; `None` if the estimated pose does not reach
/// the goal within some seconds of simulated time.
pub fn drive(world: &World, (start, goal): (Pose, Pose), seed: u64, seconds: u32) -> Option<Vec<Pose>> {
    let mut amcl = amcl(world, 2000, 60, seed);
    amcl.set_pose(start, [[0.01, 0.0, 0.0], [0.0, 0.01, 0.0], [0.0, 0.0, 0.01]]);
    let mut robot = LocalizedRobot {
        simulation: simulation(world, start, seed),
        amcl,
        costs: world.inflated(&INFLATION),
        controller: dwb(false),
        odometry: Pose::default(),
        velocity: Velocity::default(),
        path: Vec::new(),
    };
    let mut checker = GoalChecker::new(GoalTolerance::default());
    let mut poses = Vec::new();
    for cycle in 0..20 * seconds {
        (0..STEPS_PER_CYCLE).for_each(|_| robot.step());
        let estimate = robot.estimate();
        if checker.is_reached(&estimate, &goal, &robot.velocity) {
            return Some(poses);
        }
        // A new path each second, as with the trees of Nav2.
        if cycle % 20 == 0 {
            robot.plan(&estimate, &goal)?;
        }
        robot.control(&estimate, CYCLE * cycle);
        poses.push(robot.truth());
    }
    None
}

impl LocalizedRobot {
    /// Advances the simulator by a step, and reads the sensors.
    fn step(&mut self) {
        let (amcl, odometry) = (&mut self.amcl, &mut self.odometry);
        self.simulation.step(&mut |output| match output.reading {
            Reading::Odometry(reading) => *odometry = pose(reading.pose),
            Reading::Scan(reading) => {
                let ranges: Vec<f32> = reading.ranges.into_iter().map(|range| range as f32).collect();
                amcl.update(*odometry, &scan(&ranges));
            }
            _ => {}
        });
    }

    /// Returns the estimated pose: the last estimate, moved by the odometry since then.
    fn estimate(&self) -> Pose {
        let moved = self.amcl.odometry().unwrap_or_default().relative(&self.odometry);
        self.amcl.estimate().pose.then(&moved)
    }

    /// Returns the true pose.
    fn truth(&self) -> Pose {
        let (truth, _) = self.simulation.state("robot").expect("the robot is there");
        pose(truth)
    }

    /// Plans a path from the estimated pose to a goal.
    fn plan(&mut self, estimate: &Pose, goal: &Pose) -> Option<()> {
        let points = NavFn::default().plan(&self.costs, [estimate.x, estimate.y], [goal.x, goal.y])?;
        self.path = points.iter().map(|[x, y]| Pose::new(*x, *y, 0.0)).collect();
        self.path.push(*goal);
        self.controller.start_path();
        Some(())
    }

    /// Commands the next velocity.
    fn control(&mut self, estimate: &Pose, now: Duration) {
        let footprint = footprint();
        let situation = Situation {
            map: &self.costs,
            footprint: &footprint,
            robot: *estimate,
            velocity: self.velocity,
            path: &self.path,
            tolerance: GoalTolerance::default(),
            inflation: Some(INFLATION),
            now,
        };
        self.velocity = self.controller.command(&situation).unwrap_or_default();
        let (forward, turn) = (self.velocity.x, self.velocity.theta);
        self.simulation.command(0, Command { forward, turn, ..Command::default() });
    }
}
