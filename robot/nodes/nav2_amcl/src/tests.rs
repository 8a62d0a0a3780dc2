//! A robot in a room of 4 m x 4 m, whose lidar is at its front.

use std::{
    f64::consts::{PI, TAU},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use saltus::{
    Context, Executor, Node, Publisher, QoS, SingleThreadedExecutor, Time,
    component::{Component, NodeOptions},
    context::ContextOptions,
    lifecycle::CallbackReturn,
    msgs::{
        geometry_msgs::msg::{PoseWithCovariance, PoseWithCovarianceStamped},
        nav_msgs::msg::OccupancyGrid,
        nav2_msgs::{
            msg::ParticleCloud,
            srv::{SetInitialPose, SetInitialPose_Request},
        },
        sensor_msgs::msg::LaserScan,
        std_msgs::msg::Header,
        std_srvs::srv::{Empty, Empty_Request},
    },
    service::Call,
    tf::{
        Buffer, StampedTransform, StaticTransformBroadcaster, Transform, TransformBroadcaster,
        TransformListener,
    },
};
use saltus_motion::Pose;
use saltus_nav_server::{from_pose, from_transform, to_pose, to_transform};

use super::*;

const LONG: Duration = Duration::from_secs(20);
/// The pose of the frame of the odometry in the map.
const ODOMETRY: Pose = Pose::new(0.5, -0.3, 0.4);

struct Scene {
    _folder: tempfile::TempDir,
    _context: Context,
    user: Node,
    /// The pose of the lidar on the robot.
    lidar: Transform,
    amcl: Amcl,
    executor: SingleThreadedExecutor,
    scans: Publisher<LaserScan>,
    poses: Publisher<PoseWithCovarianceStamped>,
    transforms: TransformBroadcaster,
    _statics: StaticTransformBroadcaster,
    _map: Publisher<OccupancyGrid>,
    buffer: Buffer,
    _listener: TransformListener,
}

/// A room with walls of one cell.
fn map() -> OccupancyGrid {
    let mut map = OccupancyGrid::default();
    map.header.frame_id = "map".into();
    (map.info.width, map.info.height, map.info.resolution) = (82, 82, 0.05);
    (map.info.origin.position.x, map.info.origin.position.y) = (-2.05, -2.05);
    let is_wall = |index: usize| [index % 82, index / 82].iter().any(|part| *part == 0 || *part == 81);
    map.data = (0..82 * 82).map(|index| if is_wall(index) { 100 } else { 0 }).collect();
    map
}

impl Scene {
    fn new(parameters: &[&str]) -> Self {
        Self::with_lidar(parameters, Transform::from_xyz(0.1, 0.0, 0.0))
    }

    fn with_lidar(parameters: &[&str], lidar: Transform) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = ContextOptions::default().folder(folder.path()).create().unwrap();
        let user = context.node("user").create().unwrap();
        let parameters = parameters.iter().flat_map(|parameter| ["-p", parameter]);
        let words: Vec<&str> = ["--ros-args"].into_iter().chain(parameters).collect();
        let amcl = Amcl::new(&NodeOptions::new(&context).arguments(words).unwrap()).unwrap();
        let executor = SingleThreadedExecutor::new(&context).unwrap();
        executor.add_node(&user);
        executor.add_node(amcl.node());
        let statics = StaticTransformBroadcaster::new(&user).unwrap();
        let stamp = Time::from_nanos(1);
        statics.send(&[StampedTransform::new("base_footprint", "base_scan", stamp, lidar)]).unwrap();
        let publisher = user.publisher("map").qos(QoS::keep_last(1).transient_local()).create().unwrap();
        publisher.publish(&map()).unwrap();
        let buffer = Buffer::new(Duration::from_secs(10));
        let scene = Self {
            scans: user.publisher("scan").create().unwrap(),
            poses: user.publisher("initialpose").create().unwrap(),
            transforms: TransformBroadcaster::new(&user).unwrap(),
            _listener: TransformListener::new(&user, &buffer).unwrap(),
            buffer,
            _statics: statics,
            _map: publisher,
            _folder: folder,
            _context: context,
            user,
            lidar,
            amcl,
            executor,
        };
        assert_eq!(scene.amcl.lifecycle().configure(), Ok(CallbackReturn::Success));
        assert_eq!(scene.amcl.lifecycle().activate(), Ok(CallbackReturn::Success));
        scene
    }

    /// The robot is at a pose: publishes its odometry and a scan.
    fn look(&mut self, truth: &Pose) {
        let now = self.user.clock().now();
        let odometry = to_transform(&ODOMETRY.relative(truth));
        self.transforms.send(&[StampedTransform::new("odom", "base_footprint", now, odometry)]).unwrap();
        let mount = self.lidar;
        let lidar = truth.then(&from_transform(&mount));
        let range = |ray: u16| {
            let angle = f64::from(ray) * TAU / 360.0;
            let [x, y, _] = mount.rotate([angle.cos(), angle.sin(), 0.0]);
            let angle = truth.yaw + y.atan2(x);
            // To the walls at 2 m.
            let along = |position: f64, direction: f64| {
                if direction.abs() < 1e-9 {
                    f64::INFINITY
                } else {
                    (2.0_f64.copysign(direction) - position) / direction
                }
            };
            along(lidar.x, angle.cos()).min(along(lidar.y, angle.sin())) as f32
        };
        let scan = LaserScan {
            header: Header { stamp: now.into(), frame_id: "base_scan".into() },
            angle_increment: (TAU / 360.0) as f32,
            range_min: 0.1,
            range_max: 3.5,
            ranges: (0..360).map(range).collect(),
            ..LaserScan::default()
        };
        self.scans.publish(&scan).unwrap();
    }

    fn say(&self, frame: &str, pose: &Pose, variance: f64) {
        self.poses.publish(&about(frame, pose, variance)).unwrap();
    }

    fn received<M: saltus::cdr::Message + Send + 'static>(
        &self,
        topic: &str,
        qos: QoS,
    ) -> (saltus::Subscription<M>, Receiver<M>) {
        let (sender, received) = channel();
        let tell = move |message: M| {
            let _ = sender.send(message);
        };
        (self.user.subscription(topic).qos(qos).callback(tell).unwrap(), received)
    }

    /// Looks at places again and again until a message is right.
    fn look_until<M>(&mut self, truth: &Pose, received: &Receiver<M>, is_right: impl Fn(&M) -> bool) -> M {
        let end = std::time::Instant::now() + LONG;
        loop {
            assert!(std::time::Instant::now() < end, "it takes too long");
            self.look(truth);
            for _ in 0..20 {
                self.executor.spin_once(Some(Duration::from_millis(2))).unwrap();
            }
            if let Some(message) = received.try_iter().find(|message| is_right(message)) {
                return message;
            }
        }
    }

    fn call<S: saltus::cdr::Service>(&mut self, service: &str, request: &S::Request) {
        let client = self.user.client::<S>(service).create().unwrap();
        assert!(client.wait_for_service(LONG));
        let call: Call<S> = client.call_async(request).unwrap();
        while !call.is_done() {
            self.executor.spin_once(Some(Duration::from_millis(10))).unwrap();
        }
    }
}

fn about(frame: &str, pose: &Pose, variance: f64) -> PoseWithCovarianceStamped {
    let mut covariance = [0.0; 36];
    [0, 7, 35].iter().for_each(|index| covariance[*index] = variance);
    let header = Header { frame_id: frame.into(), ..Header::default() };
    PoseWithCovarianceStamped { header, pose: PoseWithCovariance { pose: to_pose(pose), covariance } }
}

fn latched() -> QoS {
    QoS::keep_last(1).transient_local()
}

#[test]
fn a_robot_is_found_near_its_initial_pose_and_followed() {
    let mut scene = Scene::new(&["laser_model_type:=likelihood_field_prob"]);
    let (_subscription, poses) = scene.received::<PoseWithCovarianceStamped>("amcl_pose", latched());
    let mut truth = Pose::new(-0.5, 0.4, 0.3);
    scene.say("map", &Pose::new(-0.4, 0.3, 0.2), 0.02);
    let found = scene.look_until(&truth, &poses, |_| true);
    assert_eq!(found.header.frame_id, "map");
    let near = |truth: Pose| {
        move |message: &PoseWithCovarianceStamped| {
            from_pose(&message.pose.pose).unwrap().distance(&truth) < 0.1
        }
    };
    for _ in 0..4 {
        truth = truth.then(&Pose::new(0.3, 0.0, 0.1));
        scene.look_until(&truth, &poses, near(truth));
    }
    // The transform leads from the map to the robot, a second ahead of the last scan.
    let end = std::time::Instant::now() + LONG;
    let found = loop {
        assert!(std::time::Instant::now() < end);
        scene.executor.spin_once(Some(Duration::from_millis(10))).unwrap();
        if let Ok(found) = scene.buffer.lookup("map", "odom", Time::from_nanos(0)) {
            break found;
        }
    };
    let robot = from_transform(&found.transform).then(&ODOMETRY.relative(&truth));
    assert!(robot.distance(&truth) < 0.15, "{robot:?} {truth:?}");
}

#[test]
fn a_lidar_may_be_mounted_upside_down() {
    let upside_down = Transform::from_xyz_rpy([0.1, 0.0, 0.2], [PI, 0.0, 0.5]);
    let mut scene = Scene::with_lidar(&["laser_model_type:=likelihood_field_prob"], upside_down);
    let (_subscription, poses) = scene.received::<PoseWithCovarianceStamped>("amcl_pose", latched());
    let mut truth = Pose::new(-0.5, 0.4, 0.3);
    scene.say("map", &truth, 0.02);
    scene.look_until(&truth, &poses, |_| true);
    for _ in 0..4 {
        truth = truth.then(&Pose::new(0.3, 0.0, 0.1));
        scene.look_until(&truth, &poses, |message| {
            let found = from_pose(&message.pose.pose).unwrap();
            found.distance(&truth) < 0.1 && (found.yaw - truth.yaw).abs() < 0.1
        });
    }
}

#[test]
fn poses_that_are_wrong_are_ignored() {
    let mut scene = Scene::new(&[]);
    let (_subscription, poses) = scene.received::<PoseWithCovarianceStamped>("amcl_pose", latched());
    let truth = Pose::new(0.2, 0.1, 0.0);
    scene.say("odom", &truth, 0.01);
    scene.say("map", &Pose::new(f64::NAN, 0.0, 0.0), 0.01);
    for _ in 0..20 {
        scene.look(&truth);
        scene.executor.spin_once(Some(Duration::from_millis(5))).unwrap();
    }
    assert!(poses.try_recv().is_err());
    scene.say("/map", &truth, 0.01);
    scene.look_until(&truth, &poses, |_| true);
}

#[test]
fn services_say_where_the_robot_is_and_ask_for_updates() {
    let mut scene = Scene::new(&[]);
    let (_cloud, clouds) = scene.received::<ParticleCloud>("particle_cloud", QoS::sensor_data());
    let truth = Pose::new(0.2, 0.1, PI / 4.0);
    scene.call::<SetInitialPose>(
        "set_initial_pose",
        &SetInitialPose_Request { pose: about("map", &truth, 0.001) },
    );
    let spread = |cloud: &ParticleCloud| {
        let distance = |particle: &saltus::msgs::nav2_msgs::msg::Particle| {
            from_pose(&particle.pose).unwrap().distance(&truth)
        };
        cloud.particles.iter().map(distance).fold(0.0, f64::max)
    };
    assert!(spread(&scene.look_until(&truth, &clouds, |_| true)) < 0.5);
    scene.call::<Empty>("request_nomotion_update", &Empty_Request::default());
    scene.look_until(&truth, &clouds, |_| true);
    scene.call::<Empty>("reinitialize_global_localization", &Empty_Request::default());
    scene.look_until(&truth, &clouds, |cloud| spread(cloud) > 1.0);
}

#[test]
fn the_pose_is_kept_when_the_node_is_configured_again() {
    let mut scene = Scene::new(&[]);
    let (_subscription, poses) = scene.received::<PoseWithCovarianceStamped>("amcl_pose", latched());
    let truth = Pose::new(0.5, -0.6, 0.3);
    scene.say("map", &truth, 0.001);
    scene.look_until(&truth, &poses, |_| true);
    let lifecycle = scene.amcl.lifecycle().clone();
    let again = |forgets: bool| {
        lifecycle.deactivate().unwrap();
        lifecycle.cleanup().unwrap();
        lifecycle.set_parameter("always_reset_initial_pose", forgets).unwrap();
        assert_eq!(lifecycle.configure(), Ok(CallbackReturn::Success));
        assert_eq!(lifecycle.activate(), Ok(CallbackReturn::Success));
        while poses.try_recv().is_ok() {}
    };
    again(false);
    let found = scene.look_until(&truth, &poses, |_| true);
    assert!(from_pose(&found.pose.pose).unwrap().distance(&truth) < 0.1);
    again(true);
    for _ in 0..20 {
        scene.look(&truth);
        scene.executor.spin_once(Some(Duration::from_millis(5))).unwrap();
    }
    assert!(poses.try_recv().is_err());
}

#[test]
fn the_initial_pose_may_be_a_parameter() {
    let parameters =
        ["set_initial_pose:=true", "initial_pose.x:=0.2", "initial_pose.y:=0.1", "min_particles:=100"];
    let mut scene = Scene::new(&parameters);
    let (_subscription, poses) = scene.received::<PoseWithCovarianceStamped>("amcl_pose", latched());
    let truth = Pose::new(0.2, 0.1, 0.0);
    let found = scene.look_until(&truth, &poses, |_| true);
    assert!(from_pose(&found.pose.pose).unwrap().distance(&truth) < 0.05);
}
