//! A simulated robot with a lidar and wheel encoders, which drives to random points.

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

/// The TurtleBot3 Waffle as a round robot, with a lidar above its middle. The standard deviation of its encoders is 5 mm after a metre.
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

/// A scan of the robot with its poses.
pub struct Sighting {
    /// The true pose in the world.
    pub truth: Pose,
    /// The pose by its wheel encoders.
    pub odometry: Pose,
    /// The 360 distances of its lidar from 0 to 6.2 rad, in metres.
    pub ranges: Vec<f32>,
}

/// A simulated robot that drives from one random point to the next. It knows its true pose.
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

/// The number of steps of a control cycle: 20 cycles per second.
pub(crate) const STEPS_PER_CYCLE: u32 = 5;

/// Converts a pose of the simulator.
pub(crate) fn pose(pose: saltus_sim::Pose) -> Pose {
    Pose::new(pose.x, pose.y, pose.yaw)
}

/// Creates the simulation of a robot at a pose in a world.
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
    let mut scene = saltus_sim::World::parse(ROBOT).expect("the robot is valid");
    scene.obstacles = saltus_sim::World::from_map(&grid).expect("the map is small enough").obstacles;
    scene.seed = seed;
    scene.robots[0].pose = saltus_sim::Pose::new(start.x, start.y, start.yaw);
    Simulation::new(&scene, 1).expect("the world is valid")
}

impl Tour {
    /// Creates a robot at a pose in a world.
    ///
    /// # Panics
    ///
    /// Panics if the world is too large for the simulator.
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
    pub fn scan(&mut self) -> Sighting {
        loop {
            let mut ranges = None;
            let odometry = &mut self.odometry;
            self.simulation.step(&mut |output| match output.reading {
                Reading::Scan(scan) => ranges = Some(scan.ranges),
                Reading::Odometry(reading) => *odometry = pose(reading.pose),
                _ => {}
            });
            self.steps += 1;
            if self.steps.is_multiple_of(STEPS_PER_CYCLE) {
                self.control();
            }
            if let Some(ranges) = ranges {
                let ranges = ranges.into_iter().map(|range| range as f32).collect();
                return Sighting { truth: self.truth(), odometry: self.odometry, ranges };
            }
        }
    }

    /// Returns the true pose of the robot.
    ///
    /// # Panics
    ///
    /// Never: the simulation always contains the robot.
    pub fn truth(&self) -> Pose {
        let (truth, _) = self.simulation.state("robot").expect("the robot is there");
        pose(truth)
    }

    /// Commands the next velocity. A robot at its goal plans a path to another one first.
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
        // A robot that is stuck turns, and plans a path to another goal.
        let command = self.controller.command(&situation).unwrap_or_else(|_| {
            self.path.clear();
            Velocity::new(0.0, 0.0, 0.5)
        });
        self.velocity = command;
        self.simulation.command(0, Command { forward: command.x, turn: command.theta, ..Command::default() });
    }

    /// Plans a path to a random point. If the point is not free, the path stays.
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
