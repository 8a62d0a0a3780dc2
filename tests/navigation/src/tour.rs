//! A simulated robot with a lidar and wheel encoders, which drives around.

use saltus_costmap::Costmap;
use saltus_map::OccupancyGrid;
use saltus_motion::{Controller, GoalTolerance, Pose, Situation, Velocity};
use saltus_navfn::NavFn;
use saltus_pursuit::Pursuit;
use saltus_sim::{Command, Reading, Simulation};

use crate::{
    drive::INFLATION,
    random::Random,
    setup::{footprint, pursuit},
    world::World,
};

/// The Waffle: a round robot here, with a lidar above its middle. Its encoders are wrong by 5 mm after a metre.
const ROBOT: &str = "
step: 0.01
robots:
- model:
    body: {circle: {radius: 0.2}, mass: 1.43}
    drive: {kind: differential, wheel_separation: 0.287, wheel_radius: 0.033, max_acceleration: 1.0, max_torque: 20.0}
    odometry: {source: encoder, drift: 0.005, rate: 100.0}
    sensors:
    - lidar: {rate: 5.0, samples: 360, angle_max: 6.2, range: [0.12, 3.5], noise: 0.01, resolution: 0.015}
";

/// What the robot sees, and where it is.
pub struct Sight {
    /// Where it is in the world.
    pub truth: Pose,
    /// Where it is as its encoders say.
    pub odometry: Pose,
    /// The distances of its lidar: 360 of them, from 0 to 6.2 rad.
    pub ranges: Vec<f32>,
}

/// A simulated robot that drives to one random place after the other. It knows where it is.
pub struct Tour {
    simulation: Simulation,
    costs: Costmap,
    controller: Pursuit,
    path: Vec<Pose>,
    random: Random,
    odometry: Pose,
    velocity: Velocity,
    steps: u32,
}

/// After how many steps the controller is asked: 20 times a second.
pub(crate) const CONTROL: u32 = 5;

pub(crate) fn pose(pose: saltus_sim::Pose) -> Pose {
    Pose::new(pose.x, pose.y, pose.yaw)
}

/// Returns a simulated robot at a place in a world.
pub(crate) fn simulation(world: &World, start: Pose, seed: u64) -> Simulation {
    let (width, height) = world.map.size();
    let [x, y] = world.map.origin();
    let grid = OccupancyGrid {
        width,
        height,
        resolution: world.map.resolution(),
        origin: [x, y, 0.0],
        cells: world.values(),
    };
    let mut scene = saltus_sim::World::parse(ROBOT).expect("the robot is right");
    scene.obstacles = saltus_sim::World::from_map(&grid).expect("the map is small enough").obstacles;
    scene.seed = seed;
    scene.robots[0].pose = saltus_sim::Pose::new(start.x, start.y, start.yaw);
    Simulation::new(&scene, 1).expect("the world is right")
}

impl Tour {
    /// Returns a robot at a place in a world.
    ///
    /// # Panics
    ///
    /// If the simulator does not take the world.
    pub fn new(world: &World, start: Pose, seed: u64) -> Self {
        Self {
            simulation: simulation(world, start, seed),
            costs: world.inflated(&INFLATION),
            controller: pursuit(),
            path: Vec::new(),
            random: Random(seed),
            odometry: Pose::default(),
            velocity: Velocity::default(),
            steps: 0,
        }
    }

    /// Drives until the next scan.
    pub fn scan(&mut self) -> Sight {
        loop {
            let mut ranges = None;
            let odometry = &mut self.odometry;
            self.simulation.step(&mut |output| match output.reading {
                Reading::Scan(scan) => ranges = Some(scan.ranges),
                Reading::Odometry(reading) => *odometry = pose(reading.pose),
                _ => {}
            });
            self.steps += 1;
            if self.steps.is_multiple_of(CONTROL) {
                self.control();
            }
            if let Some(ranges) = ranges {
                let ranges = ranges.into_iter().map(|range| range as f32).collect();
                return Sight { truth: self.truth(), odometry: self.odometry, ranges };
            }
        }
    }

    /// Returns where the robot is.
    ///
    /// # Panics
    ///
    /// Never: the robot is always there.
    pub fn truth(&self) -> Pose {
        let (truth, _) = self.simulation.state("robot").expect("the robot is there");
        pose(truth)
    }

    /// Tells the robot how to move. It plans to another place when it is at the last one.
    fn control(&mut self) {
        let robot = self.truth();
        while self.path.last().is_none_or(|goal| robot.distance(goal) < 0.3) {
            self.plan(&robot);
        }
        let footprint = footprint();
        let situation = Situation {
            map: &self.costs,
            footprint: &footprint,
            robot,
            velocity: self.velocity,
            path: &self.path,
            tolerance: GoalTolerance { xy: 0.2, ..GoalTolerance::default() },
            inflation: Some(INFLATION),
            now: std::time::Duration::ZERO,
        };
        // If it is stuck, it turns, and plans to another place.
        let command = self.controller.command(&situation).unwrap_or_else(|_| {
            self.path.clear();
            Velocity::new(0.0, 0.0, 0.5)
        });
        self.velocity = command;
        self.simulation.command(0, Command { forward: command.x, turn: command.theta, ..Command::default() });
    }

    fn plan(&mut self, robot: &Pose) {
        let (width, height) = self.costs.size();
        let cell = (self.random.below(width), self.random.below(height));
        if self.costs.cost(cell) > 200 {
            return;
        }
        let points = NavFn::default().plan(&self.costs, [robot.x, robot.y], self.costs.center(cell));
        self.path = points.unwrap_or_default().iter().map(|[x, y]| Pose::new(*x, *y, 0.0)).collect();
        self.controller.start_path();
    }
}
