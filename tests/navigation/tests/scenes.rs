//! Tests that the commands of controllers in random scenes do not lead into an obstacle.

use std::time::Duration;

use saltus_costmap::{Costmap, FREE, Inflation, InflationSettings, LETHAL};
use saltus_dwb::Dwb;
use saltus_motion::{Collision, ControlError, Controller, GoalTolerance, Pose, Situation, Velocity, is_free};
use saltus_navigation_tests::{Random, dwb, footprint, pursuit};

const SCENES: usize = 10_000;

/// A robot among obstacles, with a path.
struct Scene {
    map: Costmap,
    robot: Pose,
    velocity: Velocity,
    path: Vec<Pose>,
}

impl Scene {
    fn random(random: &mut Random) -> Self {
        let mut map = Costmap::new((60, 60), 0.05, [-1.5, -1.5], FREE);
        for _ in 0..random.below(16) {
            let (left, bottom) = (random.below(60), random.below(60));
            let (width, height) = (1 + random.below(12), 1 + random.below(12));
            for row in bottom..(bottom + height).min(60) {
                (left..(left + width).min(60)).for_each(|column| map.set((column, row), LETHAL));
            }
        }
        let settings = InflationSettings { radius: 0.55, scaling: 3.0, inscribed: 0.2255 };
        let area = map.area();
        Inflation::new(&settings, 0.05).apply(&mut map, area);
        let robot = Pose::new(0.0, 0.0, random.between(-3.1, 3.1));
        let velocity = Velocity::new(random.between(0.0, 0.26), 0.0, random.between(-1.0, 1.0));
        Self { map, robot, velocity, path: path(random) }
    }

    fn situation(&self, footprint: &'static saltus_costmap::Footprint) -> Situation<'_> {
        Situation {
            map: &self.map,
            footprint,
            robot: self.robot,
            velocity: self.velocity,
            path: &self.path,
            tolerance: GoalTolerance::default(),
            inflation: None,
            now: Duration::ZERO,
        }
    }
}

/// Returns a path with bends that starts near the robot, and may lead through obstacles.
fn path(random: &mut Random) -> Vec<Pose> {
    let mut pose = Pose::new(random.between(-0.2, 0.2), random.between(-0.2, 0.2), random.between(-3.1, 3.1));
    let mut path = vec![pose];
    let mut turning = 0.0;
    for _ in 0..5 + random.below(120) {
        turning = (turning + random.between(-0.05, 0.05)).clamp(-0.1, 0.1);
        pose = pose.then(&Pose::new(0.025, 0.0, turning));
        path.push(pose);
    }
    path
}

fn touches(map: &Costmap, pose: &Pose) -> bool {
    is_free(map, &footprint(), pose) == Err(Collision::Obstacle)
}

/// Gets a command from a controller in each scene, and checks the poses of the robot, which `poses` returns. Returns the number of
/// commands.
fn check_commands<C: Controller>(
    mut controller: C,
    poses: impl Fn(&C, &Scene, Velocity) -> Vec<Pose>,
) -> usize {
    let footprint: &'static _ = Box::leak(Box::new(footprint()));
    let mut random = Random(7);
    let mut commands = 0;
    for scene in 0..SCENES {
        let random_scene = Scene::random(&mut random);
        controller.start_path();
        match controller.command(&random_scene.situation(footprint)) {
            Ok(velocity) => {
                commands += 1;
                let poses = poses(&controller, &random_scene, velocity);
                let touching = poses.iter().position(|pose| touches(&random_scene.map, pose));
                assert_eq!(touching, None, "scene {scene}: {velocity:?}");
            }
            Err(ControlError::NoValidControl(_)) => {}
            Err(error) => panic!("scene {scene}: {error}"),
        }
    }
    commands
}

#[test]
fn trajectories_of_dwb_touch_nothing() {
    let poses = |dwb: &Dwb, _: &Scene, velocity: Velocity| {
        assert_eq!(dwb.best().velocity, velocity);
        dwb.best().poses.clone()
    };
    let commands = check_commands(dwb(true), poses);
    println!("dwb: {commands} of {SCENES}");
    assert!(commands > SCENES / 4, "{commands}");
}

#[test]
fn arcs_of_pursuit_touch_nothing() {
    let poses = |pursuit: &saltus_pursuit::Pursuit, scene: &Scene, velocity: Velocity| {
        // Up to the lookahead point, and for at most a second.
        let farthest = pursuit.point().x.hypot(pursuit.point().y);
        let step = 0.025 / (velocity.x.abs() + velocity.theta.abs() * 0.2341);
        let mut pose = scene.robot;
        let mut poses = vec![pose];
        for _ in 0..(1.0 / step) as usize {
            let (sine, cosine) = pose.yaw.sin_cos();
            pose = Pose {
                x: pose.x + velocity.x * step * cosine,
                y: pose.y + velocity.x * step * sine,
                yaw: pose.yaw + velocity.theta * step,
            };
            if pose.distance(&scene.robot) > farthest {
                break;
            }
            poses.push(pose);
        }
        poses
    };
    let commands = check_commands(pursuit(), poses);
    println!("pursuit: {commands} of {SCENES}");
    assert!(commands > SCENES / 4, "{commands}");
}
