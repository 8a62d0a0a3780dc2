//! Tests of the navigation servers as nodes, in a room with a wall, without a simulator.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use nav2_behaviors::BehaviorServer;
use nav2_controller::ControllerServer;
use nav2_costmap_2d::LayerTypes;
use nav2_planner::{PlanError, Planner, PlannerServer};
use nav2_smoother::SmootherServer;
use nav2_waypoint_follower::WaypointFollower;
use saltus::{
    ActionClient, ActionServer, Client, Context, Executor, Node, Publisher, QoS, SingleThreadedExecutor,
    Subscription, Timer,
    action::{CancelResponse, GoalHandle, GoalStatus},
    cdr::Action,
    component::{Component, NodeOptions},
    context::ContextOptions,
    executor::ExecutorHandle,
    lifecycle::{CallbackReturn, LifecycleNode},
    msgs::{
        geometry_msgs::msg::{PolygonStamped, PoseStamped, Twist},
        nav_msgs::msg::{OccupancyGrid, Odometry},
        nav2_msgs::{
            action::*,
            msg::Costmap,
            srv::{IsPathValid, IsPathValid_Request},
        },
        std_msgs::msg::Header,
    },
    tf::{StampedTransform, StaticTransformBroadcaster, TransformBroadcaster},
    types::lock,
};
use saltus_costmap::Costmap as Grid;
use saltus_motion::{Pose, Velocity};
use saltus_nav_server::{from_path, from_twist, to_path, to_stamped, to_transform, to_twist};
use saltus_server::Plugins;

/// A time limit that no step of a test needs.
const LONG: Duration = Duration::from_secs(30);

/// A room of 6 m x 6 m with a wall at x = 1 m from y = -3 m to y = 1 m, and a robot that follows each command.
struct Room {
    _folder: tempfile::TempDir,
    context: Context,
    user: Node,
    spinning: Option<(ExecutorHandle, JoinHandle<()>)>,
    robot: Arc<Mutex<(Pose, Velocity)>>,
    commands: Mutex<Receiver<Velocity>>,
    _map: Publisher<OccupancyGrid>,
    _statics: StaticTransformBroadcaster,
    _kept: (Subscription<Twist>, Timer),
}

fn map() -> OccupancyGrid {
    let mut map = OccupancyGrid::default();
    map.header.frame_id = "map".into();
    (map.info.width, map.info.height, map.info.resolution) = (60, 60, 0.1);
    (map.info.origin.position.x, map.info.origin.position.y, map.info.origin.orientation.w) =
        (-3.0, -3.0, 1.0);
    let is_wall = |(column, row): (usize, usize)| {
        [column, row].iter().any(|part| *part == 0 || *part == 59) || (column == 40 && row < 40)
    };
    map.data = (0..3600).map(|index| if is_wall((index % 60, index / 60)) { 100 } else { 0 }).collect();
    map
}

/// The period of the motion of the robot.
const STEP: Duration = Duration::from_millis(10);

impl Room {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = ContextOptions::default().folder(folder.path()).create().unwrap();
        let user = context.node("user").create().unwrap();
        let qos = || QoS::keep_last(1).transient_local();
        let publisher = user.publisher("map").qos(qos()).create().unwrap();
        publisher.publish(&map()).unwrap();
        let statics = StaticTransformBroadcaster::new(&user).unwrap();
        let now = user.clock().now();
        statics.send(&[StampedTransform::new("map", "odom", now, to_transform(&Pose::default()))]).unwrap();
        let transforms = TransformBroadcaster::new(&user).unwrap();
        let robot = Arc::<Mutex<(Pose, Velocity)>>::default();
        let (sender, commands) = channel();
        let commanded = robot.clone();
        let set_velocity = move |twist: Twist| {
            let velocity = from_twist(&twist);
            lock(&commanded).1 = velocity;
            let _ = sender.send(velocity);
        };
        let subscription = user.subscription("cmd_vel").callback(set_velocity).unwrap();
        let (moved, clock) = (robot.clone(), user.clock().clone());
        let odometry = user.publisher("odom").create().unwrap();
        let step = move || {
            let mut robot = lock(&moved);
            let (time, velocity) = (STEP.as_secs_f64(), robot.1);
            robot.0 = robot.0.then(&Pose::new(velocity.x * time, velocity.y * time, velocity.theta * time));
            let transform = StampedTransform::new("odom", "base_link", clock.now(), to_transform(&robot.0));
            transforms.send(&[transform]).unwrap();
            let mut measured = Odometry { header: header("odom"), ..Odometry::default() };
            measured.header.stamp = clock.now().into();
            measured.twist.twist = to_twist(&velocity);
            odometry.publish(&measured).unwrap();
        };
        let timer = user.wall_timer(STEP).callback(step).unwrap();
        Self {
            _folder: folder,
            context,
            user,
            spinning: None,
            robot,
            commands: Mutex::new(commands),
            _map: publisher,
            _statics: statics,
            _kept: (subscription, timer),
        }
    }

    /// Spins the node of the room and other nodes on a thread.
    fn spin(&mut self, nodes: &[&Node]) {
        let mut executor = SingleThreadedExecutor::new(&self.context).unwrap();
        executor.add_node(&self.user);
        nodes.iter().for_each(|node| executor.add_node(node));
        let handle = executor.handle();
        self.spinning = Some((handle, thread::spawn(move || executor.spin().unwrap())));
    }

    fn options(&self, parameters: &[&str]) -> NodeOptions {
        let words = parameters.iter().flat_map(|parameter| ["-p", parameter]);
        let words: Vec<&str> = ["--ros-args"].into_iter().chain(words).collect();
        NodeOptions::new(&self.context).arguments(words).unwrap()
    }

    /// Executes a goal of an action. Returns its status and its result.
    fn act<A: Action>(&self, action: &str, goal: &A::Goal) -> (GoalStatus, A::Result) {
        let client = ActionClient::<A>::on(&self.user, action).create().unwrap();
        assert!(client.wait_for_server(LONG), "{action}");
        let result = client.execute(goal, LONG).unwrap();
        (result.status(), result.value().unwrap())
    }

    /// Waits for a commanded velocity that matches a predicate.
    fn wait_for_command(&self, matches: impl Fn(&Velocity) -> bool) {
        let commands = lock(&self.commands);
        while !matches(&commands.recv_timeout(LONG).unwrap()) {}
    }

    /// Publishes a costmap around the robot with a wall at x = `wall`, in place of the node of the local costmap. Returns the publishers of
    /// the costmap and of the footprint.
    fn local_costmap(&self, wall: f64) -> (Publisher<Costmap>, Publisher<PolygonStamped>) {
        let kept = || QoS::keep_last(1).transient_local();
        let costs = self.user.publisher("local_costmap/costmap_raw").qos(kept()).create().unwrap();
        let mut map = Costmap::default();
        map.header.frame_id = "odom".into();
        (map.metadata.size_x, map.metadata.size_y, map.metadata.resolution) = (60, 60, 0.05);
        (map.metadata.origin.position.x, map.metadata.origin.position.y) = (-1.5, -1.5);
        map.metadata.origin.orientation.w = 1.0;
        let column = ((wall + 1.5) / 0.05) as usize;
        map.data = (0..3600).map(|index| if index % 60 == column { 254 } else { 0 }).collect();
        costs.publish(&map).unwrap();
        let footprint =
            self.user.publisher("local_costmap/published_footprint").qos(kept()).create().unwrap();
        (costs, footprint)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Some((executor, thread)) = self.spinning.take() {
            executor.cancel();
            let _ = thread.join();
        }
    }
}

fn header(frame: &str) -> Header {
    Header { frame_id: frame.into(), ..Header::default() }
}

fn at(x: f64, y: f64) -> PoseStamped {
    to_stamped(&header("map"), &Pose::new(x, y, 0.0))
}

fn activate(node: &LifecycleNode) {
    assert_eq!(node.configure(), Ok(CallbackReturn::Success));
    assert_eq!(node.activate(), Ok(CallbackReturn::Success));
}

/// Returns the parameters of a costmap with only the map and inflation.
fn map_parameters(costmap: &str) -> Vec<String> {
    let static_layer =
        ["plugins:=['static_layer','inflation_layer']", "robot_radius:=0.2", "update_frequency:=20.0"];
    let kinds = [
        "static_layer.plugin:=nav2_costmap_2d::StaticLayer",
        "inflation_layer.plugin:=nav2_costmap_2d::InflationLayer",
    ];
    let all = static_layer.iter().chain(&kinds);
    all.map(|parameter| format!("{costmap}:{parameter}")).collect()
}

/// Creates a context with parameters in its arguments, from which the costmaps of servers take them.
fn context_with(folder: &std::path::Path, parameters: &[String]) -> Context {
    let words = parameters.iter().flat_map(|parameter| ["-p".to_owned(), parameter.clone()]);
    let words: Vec<String> = ["--ros-args".to_owned()].into_iter().chain(words).collect();
    let args = saltus::context::RosArgs::parse(words).unwrap();
    ContextOptions::default().folder(folder).args(args).handle_signals(false).create().unwrap()
}

#[test]
fn paths_are_planned_and_checked() {
    let mut room = Room::new();
    let own = context_with(room._folder.path(), &map_parameters("global_costmap"));
    let planner = PlannerServer::new(&NodeOptions::new(&own)).unwrap();
    room.spin(&[]);
    let mut executor = SingleThreadedExecutor::new(&own).unwrap();
    executor.add_node(planner.node());
    let handle = executor.handle();
    let spinning = thread::spawn(move || executor.spin().unwrap());
    activate(planner.lifecycle());
    let plan = |goal, planner: &str| {
        let goal = ComputePathToPose_Goal { goal, planner_id: planner.into(), ..Default::default() };
        room.act::<ComputePathToPose>("compute_path_to_pose", &goal)
    };
    let (status, result) = plan(at(2.0, -2.0), "GridBased");
    assert_eq!(status, GoalStatus::Succeeded, "{}", result.error_msg);
    let path = from_path(&result.path).unwrap();
    // It leads around the end of the wall, and not through it.
    assert!(path.iter().any(|pose| pose.y > 1.0) && path[0].distance(&Pose::default()) < 0.15);
    assert!(path.last().unwrap().distance(&Pose::new(2.0, -2.0, 0.0)) < 1e-9);
    assert_eq!(result.path.header.frame_id, "map");
    assert_eq!(plan(at(2.0, -2.0), "").0, GoalStatus::Succeeded);
    assert_eq!(plan(at(2.0, -2.0), "Other").1.error_code, ComputePathToPose_Result::INVALID_PLANNER);
    assert_eq!(plan(at(20.0, 0.0), "").1.error_code, ComputePathToPose_Result::GOAL_OUTSIDE_MAP);
    let elsewhere = to_stamped(&header("moon"), &Pose::default());
    assert_eq!(plan(elsewhere, "").1.error_code, ComputePathToPose_Result::TF_ERROR);
    let through =
        ComputePathThroughPoses_Goal { goals: vec![at(-1.0, 1.0), at(2.0, -2.0)], ..Default::default() };
    let (status, result) = room.act::<ComputePathThroughPoses>("compute_path_through_poses", &through);
    assert_eq!(status, GoalStatus::Succeeded);
    let passes =
        |x, y| from_path(&result.path).unwrap().iter().any(|pose| pose.distance(&Pose::new(x, y, 0.0)) < 0.1);
    assert!(passes(-1.0, 1.0) && passes(2.0, -2.0));
    let (_, result) = room.act::<ComputePathThroughPoses>(
        "compute_path_through_poses",
        &ComputePathThroughPoses_Goal::default(),
    );
    assert_eq!(result.error_code, ComputePathThroughPoses_Result::NO_VIAPOINTS_GIVEN);
    let client: Client<IsPathValid> = room.user.client("is_path_valid").create().unwrap();
    let is_valid = |poses: &[Pose]| {
        let request = IsPathValid_Request { path: to_path(&header("map"), poses) };
        client.call(&request, LONG).unwrap().is_valid
    };
    // A path that leads out of the map is not free.
    assert!(!is_valid(&[Pose::default(), Pose::new(50.0, 0.0, 0.0)]));
    let far = Pose::new(2.0, 0.0, 0.0);
    assert!(
        is_valid(&path) && !is_valid(&[Pose::default(), Pose::new(1.05, 0.0, 0.0), far]) && !is_valid(&[])
    );
    planner.lifecycle().deactivate().unwrap();
    planner.lifecycle().cleanup().unwrap();
    activate(planner.lifecycle());
    assert_eq!(plan(at(2.0, -2.0), "").0, GoalStatus::Succeeded);
    handle.cancel();
    spinning.join().unwrap();
}

/// A planner that sends a message when it starts, and continues when it receives one.
struct BlockingPlanner(Sender<()>, Receiver<()>);

impl Planner for BlockingPlanner {
    fn plan(&mut self, _map: &Grid, start: &Pose, goal: &Pose) -> Result<Vec<Pose>, PlanError> {
        self.0.send(()).unwrap();
        self.1.recv().unwrap();
        Ok(vec![*start, *goal])
    }
}

#[test]
fn a_planner_stops_at_the_next_goal_when_the_goal_is_canceled() {
    let mut room = Room::new();
    let own = context_with(room._folder.path(), &map_parameters("global_costmap"));
    let ((started, starts), (resume, resumed)) = (channel(), channel());
    let slow = Mutex::new(Some(BlockingPlanner(started, resumed)));
    let mut planners = Plugins::<Box<dyn Planner>>::default();
    planners.add("test::Slow", move |_| Ok(Box::new(lock(&slow).take().ok_or("there is one only")?)));
    let kind =
        NodeOptions::new(&own).arguments(["--ros-args", "-p", "GridBased.plugin:=test::Slow"]).unwrap();
    let planner = PlannerServer::with(&kind, planners, LayerTypes::standard()).unwrap();
    room.spin(&[]);
    let mut executor = SingleThreadedExecutor::new(&own).unwrap();
    executor.add_node(planner.node());
    let handle = executor.handle();
    let spinning = thread::spawn(move || executor.spin().unwrap());
    activate(planner.lifecycle());
    let client = ActionClient::<ComputePathThroughPoses>::on(&room.user, "compute_path_through_poses")
        .create()
        .unwrap();
    assert!(client.wait_for_server(LONG));
    let goal = ComputePathThroughPoses_Goal { goals: vec![at(1.0, 0.0); 10_000], ..Default::default() };
    let canceled = client.send_goal(&goal).unwrap().wait(LONG).unwrap();
    starts.recv_timeout(LONG).unwrap();
    canceled.cancel(LONG).unwrap();
    resume.send(()).unwrap();
    assert_eq!(canceled.result().unwrap().wait(LONG).unwrap().status(), GoalStatus::Canceled);
    // A newer goal also ends the planning.
    let before = client.send_goal(&goal).unwrap().wait(LONG).unwrap();
    starts.recv_timeout(LONG).unwrap();
    let newer = ComputePathThroughPoses_Goal { goals: vec![at(1.0, 0.0)], ..Default::default() };
    let newer = client.send_goal(&newer).unwrap().wait(LONG).unwrap();
    // The server knows of the newer goal soon after its client.
    let mut ended = before.result().unwrap();
    let before = loop {
        resume.send(()).unwrap();
        if let Ok(ended) = ended.wait(Duration::from_millis(20)) {
            break ended;
        }
    };
    assert_eq!(before.status(), GoalStatus::Aborted);
    resume.send(()).unwrap();
    assert_eq!(newer.result().unwrap().wait(LONG).unwrap().status(), GoalStatus::Succeeded);
    assert!(starts.try_iter().count() < 5000);
    handle.cancel();
    spinning.join().unwrap();
}

/// Starts a controller server that follows paths with pure pursuit.
fn controller(room: &Room, parameters: &[&str]) -> (ControllerServer, ExecutorHandle, JoinHandle<()>) {
    let local = [
        "rolling_window:=true",
        "width:=3",
        "height:=3",
        "resolution:=0.05",
        "global_frame:=odom",
        "robot_radius:=0.2",
        "update_frequency:=20.0",
        "plugins:=['inflation_layer']",
        "inflation_layer.plugin:=nav2_costmap_2d::InflationLayer",
    ];
    let local: Vec<String> = local.iter().map(|parameter| format!("local_costmap:{parameter}")).collect();
    let own = context_with(room._folder.path(), &local);
    let always = [
        "FollowPath.plugin:=nav2_regulated_pure_pursuit_controller::RegulatedPurePursuitController",
        "FollowPath.use_collision_detection:=false",
    ];
    let words = always.iter().chain(parameters).flat_map(|parameter| ["-p", parameter]);
    let words: Vec<&str> = ["--ros-args"].into_iter().chain(words).collect();
    let controller = ControllerServer::new(&NodeOptions::new(&own).arguments(words).unwrap()).unwrap();
    let mut executor = SingleThreadedExecutor::new(&own).unwrap();
    executor.add_node(controller.node());
    let handle = executor.handle();
    let spinning = thread::spawn(move || executor.spin().unwrap());
    activate(controller.lifecycle());
    (controller, handle, spinning)
}

/// Returns a goal for a path along the axis x with a start and a length in metres.
fn straight_goal(from: f64, length: f64) -> FollowPath_Goal {
    let poses: Vec<Pose> =
        (0..=(length / 0.05) as usize).map(|step| Pose::new(from + step as f64 * 0.05, 0.0, 0.0)).collect();
    FollowPath_Goal { path: to_path(&header("odom"), &poses), ..Default::default() }
}

#[test]
fn a_controller_stops_the_robot_when_its_component_ends() {
    let mut room = Room::new();
    room.spin(&[]);
    let (controller, handle, spinning) = controller(&room, &["publish_zero_velocity:=false"]);
    let client = ActionClient::<FollowPath>::on(&room.user, "follow_path").create().unwrap();
    assert!(client.wait_for_server(LONG));
    let _sent = client.send_goal(&straight_goal(0.0, 5.0)).unwrap().wait(LONG).unwrap();
    room.wait_for_command(|velocity| velocity.x > 0.1);
    // The server is dropped as when its component is unloaded, or when its program ends.
    handle.cancel();
    spinning.join().unwrap();
    drop(controller);
    room.wait_for_command(|velocity| *velocity == Velocity::default());
}

#[test]
fn a_robot_stops_when_the_transform_of_its_path_is_too_old() {
    let mut room = Room::new();
    room.spin(&[]);
    let (_controller, handle, spinning) = controller(&room, &["FollowPath.transform_tolerance:=0.2"]);
    let transforms = TransformBroadcaster::new(&room.user).unwrap();
    let localize = || {
        let (now, transform) = (room.user.clock().now(), to_transform(&Pose::default()));
        transforms.send(&[StampedTransform::new("odom", "floor", now, transform)]).unwrap();
    };
    let mut goal = straight_goal(0.0, 5.0);
    goal.path.header.frame_id = "floor".into();
    let client = ActionClient::<FollowPath>::on(&room.user, "follow_path").create().unwrap();
    assert!(client.wait_for_server(LONG));
    let end = std::time::Instant::now() + LONG;
    // The first transforms may come too late for a goal.
    let mut call = client.send_goal(&goal).unwrap().wait(LONG).unwrap().result().unwrap();
    while lock(&room.robot).0.x < 0.2 {
        assert!(std::time::Instant::now() < end, "it does not move");
        localize();
        if call.wait(Duration::from_millis(20)).is_ok() {
            call = client.send_goal(&goal).unwrap().wait(LONG).unwrap().result().unwrap();
        }
    }
    let result = call.wait(LONG).unwrap();
    assert_eq!(result.value().unwrap().error_code, FollowPath_Result::TF_ERROR);
    room.wait_for_command(|velocity| *velocity == Velocity::default());
    handle.cancel();
    spinning.join().unwrap();
}

#[test]
fn a_canceled_robot_slows_down_and_ends_canceled_even_at_its_goal() {
    let mut room = Room::new();
    room.spin(&[]);
    let slow = [
        "FollowPath.use_cancel_deceleration:=true",
        "FollowPath.cancel_deceleration:=0.2",
        "controller_frequency:=50.0",
    ];
    let (_controller, handle, spinning) = controller(&room, &slow);
    let client = ActionClient::<FollowPath>::on(&room.user, "follow_path").create().unwrap();
    assert!(client.wait_for_server(LONG));
    // The second path is so short that the robot reaches its goal before it stands.
    for (length, least) in [(5.0, 0.3), (0.8, 0.3)] {
        let from = lock(&room.robot).0.x;
        let sent = client.send_goal(&straight_goal(from, length)).unwrap().wait(LONG).unwrap();
        let end = std::time::Instant::now() + LONG;
        while lock(&room.robot).0.x <= from + least {
            assert!(std::time::Instant::now() < end, "it does not move");
            thread::yield_now();
        }
        lock(&room.commands).try_iter().for_each(drop);
        sent.cancel(LONG).unwrap();
        assert_eq!(sent.result().unwrap().wait(LONG).unwrap().status(), GoalStatus::Canceled);
        // It does not stop at once.
        room.wait_for_command(|velocity| velocity.x > 0.0 && velocity.x < 0.45);
        room.wait_for_command(|velocity| *velocity == Velocity::default());
        let driven = lock(&room.robot).0.x - from;
        assert!(driven > least && driven < length, "{driven}");
    }
    handle.cancel();
    spinning.join().unwrap();
}

/// Parameter changes do not restart the check of the progress.
#[test]
fn a_robot_without_progress_fails_despite_parameter_changes() {
    let mut room = Room::new();
    room.spin(&[]);
    let stuck = ["progress_checker.movement_time_allowance:=0.5", "FollowPath.desired_linear_vel:=0.0"];
    let (controller, handle, spinning) = controller(&room, &stuck);
    let client = ActionClient::<FollowPath>::on(&room.user, "follow_path").create().unwrap();
    assert!(client.wait_for_server(LONG));
    let sent = client.send_goal(&straight_goal(0.0, 5.0)).unwrap().wait(LONG).unwrap();
    let mut result = sent.result().unwrap();
    let end = std::time::Instant::now() + LONG;
    let result = loop {
        assert!(std::time::Instant::now() < end);
        controller.node().set_parameter("FollowPath.lookahead_dist", 0.6).unwrap();
        if let Ok(result) = result.wait(Duration::from_millis(50)) {
            break result;
        }
    };
    assert_eq!(result.value().unwrap().error_code, FollowPath_Result::FAILED_TO_MAKE_PROGRESS);
    handle.cancel();
    spinning.join().unwrap();
}

#[test]
fn paths_are_followed_canceled_and_refused() {
    let mut room = Room::new();
    room.spin(&[]);
    let (controller, handle, spinning) = controller(&room, &[]);
    let straight: Vec<Pose> = (0..=20).map(|step| Pose::new(f64::from(step) * 0.05, 0.0, 0.0)).collect();
    let follow = |poses: &[Pose], controller: &str, checker: &str| {
        let path = to_path(&header("map"), poses);
        let goal = FollowPath_Goal {
            path,
            controller_id: controller.into(),
            goal_checker_id: checker.into(),
            ..Default::default()
        };
        room.act::<FollowPath>("follow_path", &goal)
    };
    assert_eq!(follow(&straight, "Other", "").1.error_code, FollowPath_Result::INVALID_CONTROLLER);
    assert_eq!(follow(&straight, "", "other").1.error_code, FollowPath_Result::UNKNOWN);
    assert_eq!(follow(&[], "", "").1.error_code, FollowPath_Result::INVALID_PATH);
    let (status, result) = follow(&straight, "FollowPath", "");
    assert_eq!(status, GoalStatus::Succeeded, "{}", result.error_msg);
    assert!(lock(&room.robot).0.distance(&Pose::new(1.0, 0.0, 0.0)) < 0.3);
    // A long path, which is canceled.
    let far: Vec<Pose> = (0..=100).map(|step| Pose::new(1.0 + f64::from(step) * 0.05, 0.0, 0.0)).collect();
    let client = ActionClient::<FollowPath>::on(&room.user, "follow_path").create().unwrap();
    let goal = FollowPath_Goal { path: to_path(&header("odom"), &far), ..Default::default() };
    lock(&room.commands).try_iter().for_each(drop);
    let sent = client.send_goal(&goal).unwrap().wait(LONG).unwrap();
    room.wait_for_command(|velocity| velocity.x > 0.1);
    sent.cancel(LONG).unwrap();
    assert_eq!(sent.result().unwrap().wait(LONG).unwrap().status(), GoalStatus::Canceled);
    room.wait_for_command(|velocity| *velocity == Velocity::default());
    // The deactivation also ends a goal.
    lock(&room.commands).try_iter().for_each(drop);
    let sent = client.send_goal(&goal).unwrap().wait(LONG).unwrap();
    room.wait_for_command(|velocity| velocity.x > 0.1);
    controller.lifecycle().deactivate().unwrap();
    room.wait_for_command(|velocity| *velocity == Velocity::default());
    assert_eq!(sent.result().unwrap().wait(LONG).unwrap().status(), GoalStatus::Aborted);
    handle.cancel();
    spinning.join().unwrap();
}

#[test]
fn behaviors_move_the_robot_unless_an_obstacle_blocks_it() {
    let mut room = Room::new();
    let server =
        BehaviorServer::new(&room.options(&["cycle_frequency:=50.0", "max_rotational_vel:=3.0"])).unwrap();
    room.spin(&[server.node()]);
    activate(server.lifecycle());
    let (_costs, footprint) = room.local_costmap(0.6);
    let mut outline = PolygonStamped { header: header("odom"), ..Default::default() };
    outline.polygon.points = [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)]
        .map(|(x, y)| saltus::msgs::geometry_msgs::msg::Point32 { x, y, z: 0.0 })
        .to_vec();
    // The server ignores the footprint until the transforms are there.
    let sending = room.user.wall_timer(STEP).callback(move || footprint.publish(&outline).unwrap()).unwrap();
    let spin = Spin_Goal { target_yaw: 1.0, ..Default::default() };
    let end = std::time::Instant::now() + LONG;
    while room.act::<Spin>("spin", &spin).0 != GoalStatus::Succeeded {
        assert!(std::time::Instant::now() < end, "it does not turn");
    }
    drop(sending);
    let turned = lock(&room.robot).0.yaw;
    assert!(turned > 0.95, "{turned}");
    lock(&room.robot).0 = Pose::default();
    let mut drive = DriveOnHeading_Goal { speed: 0.3, ..Default::default() };
    drive.target.x = -1.0;
    let (_, result) = room.act::<DriveOnHeading>("drive_on_heading", &drive);
    assert_eq!(result.error_code, DriveOnHeading_Result::INVALID_INPUT);
    drive.target.x = 1.0;
    let (status, result) = room.act::<DriveOnHeading>("drive_on_heading", &drive);
    assert_eq!((status, result.error_code), (GoalStatus::Aborted, DriveOnHeading_Result::COLLISION_AHEAD));
    let mut back = BackUp_Goal { speed: 0.2, ..Default::default() };
    back.target.x = 0.3;
    let start = lock(&room.robot).0;
    assert_eq!(room.act::<BackUp>("backup", &back).0, GoalStatus::Succeeded);
    let driven = lock(&room.robot).0.distance(&start);
    assert!((0.28..0.5).contains(&driven), "{driven}");
    let mut wait = Wait_Goal::default();
    wait.time.nanosec = 50_000_000;
    let (status, result) = room.act::<Wait>("wait", &wait);
    let elapsed = (result.total_elapsed_time.sec, result.total_elapsed_time.nanosec);
    assert!(status == GoalStatus::Succeeded && elapsed >= (0, 50_000_000), "{elapsed:?}");
    let late = Spin_Goal {
        target_yaw: 100.0,
        time_allowance: saltus_nav_server::to_duration(Duration::from_millis(100)),
    };
    assert_eq!(room.act::<Spin>("spin", &late).1.error_code, Spin_Result::TIMEOUT);
}

#[test]
fn paths_become_smooth() {
    let mut room = Room::new();
    let parameters =
        ["costmap_topic:=local_costmap/costmap_raw", "footprint_topic:=local_costmap/published_footprint"];
    let server = SmootherServer::new(&room.options(&parameters)).unwrap();
    room.spin(&[server.node()]);
    activate(server.lifecycle());
    let zigzag: Vec<Pose> = (0..20)
        .map(|step| Pose::new(f64::from(step) * 0.05 - 0.5, f64::from(step % 2) * 0.03, 0.0))
        .collect();
    let smooth = |poses: &[Pose], smoother: &str| {
        let goal = SmoothPath_Goal {
            path: to_path(&header("odom"), poses),
            smoother_id: smoother.into(),
            max_smoothing_duration: saltus_nav_server::to_duration(LONG),
            ..Default::default()
        };
        room.act::<SmoothPath>("smooth_path", &goal)
    };
    assert_eq!(smooth(&zigzag, "").1.error_msg, "Costmap is not available");
    let _costmap = room.local_costmap(1.4);
    let end = std::time::Instant::now() + LONG;
    let result = loop {
        let (status, result) = smooth(&zigzag, "simple_smoother");
        if status == GoalStatus::Succeeded {
            break result;
        }
        assert!(std::time::Instant::now() < end, "{}", result.error_msg);
    };
    let bends = |path: &[Pose]| path.windows(2).map(|pair| (pair[0].y - pair[1].y).abs()).sum::<f64>();
    let path = from_path(&result.path).unwrap();
    assert!(result.was_completed && bends(&path) < bends(&zigzag) / 2.0);
    assert_eq!(smooth(&zigzag, "other").1.error_code, SmoothPath_Result::INVALID_SMOOTHER);
    assert_eq!(smooth(&[], "").1.error_code, SmoothPath_Result::INVALID_PATH);
}

#[test]
fn waypoints_are_followed_missed_and_canceled() {
    let mut room = Room::new();
    let parameters =
        ["stop_on_failure:=false", "loop_rate:=100", "wait_at_waypoint.waypoint_pause_duration:=20"];
    let follower = WaypointFollower::new(&room.options(&parameters)).unwrap();
    let held = Arc::<Mutex<Vec<GoalHandle<NavigateToPose>>>>::default();
    let holding = held.clone();
    let _server = ActionServer::<NavigateToPose>::on(&room.user, "navigate_to_pose")
        .on_cancel(|_| CancelResponse::Accept)
        .on_canceling(|goal| {
            let goal = goal.clone();
            thread::spawn(move || goal.canceled(NavigateToPose_Result::default()));
        })
        .execute(move |goal: GoalHandle<NavigateToPose>| {
            match goal.goal_value().unwrap().pose.pose.position.x {
                x if x > 9.0 => lock(&holding).push(goal),
                x if x < 0.0 => {
                    goal.abort(NavigateToPose_Result { error_code: 208, ..Default::default() }).unwrap();
                }
                _ => goal.succeed(NavigateToPose_Result::default()).unwrap(),
            }
        })
        .unwrap();
    room.spin(&[follower.node()]);
    activate(follower.lifecycle());
    let follow = |poses: Vec<PoseStamped>| {
        room.act::<FollowWaypoints>("follow_waypoints", &FollowWaypoints_Goal { poses, ..Default::default() })
    };
    let (status, result) = follow(vec![at(1.0, 0.0), at(-1.0, 0.0), at(2.0, 0.0)]);
    assert_eq!(status, GoalStatus::Succeeded);
    let missed: Vec<(u32, u16)> =
        result.missed_waypoints.iter().map(|missed| (missed.index, missed.error_code)).collect();
    assert_eq!(missed, [(1, 208)]);
    assert_eq!(follow(vec![]).0, GoalStatus::Aborted);
    let client = ActionClient::<FollowWaypoints>::on(&room.user, "follow_waypoints").create().unwrap();
    let goal = FollowWaypoints_Goal { poses: vec![at(10.0, 0.0)], ..Default::default() };
    let sent = client.send_goal(&goal).unwrap().wait(LONG).unwrap();
    let end = std::time::Instant::now() + LONG;
    while lock(&held).is_empty() {
        assert!(std::time::Instant::now() < end);
        thread::yield_now();
    }
    sent.cancel(LONG).unwrap();
    assert_eq!(sent.result().unwrap().wait(LONG).unwrap().status(), GoalStatus::Canceled);
    assert_eq!(lock(&held)[0].status(), GoalStatus::Canceled);
    // A newer goal replaces the one before, and the robot does not stop.
    let holds = |count: usize| {
        while lock(&held).len() < count {
            assert!(std::time::Instant::now() < end);
            thread::yield_now();
        }
    };
    let before = client.send_goal(&goal).unwrap().wait(LONG).unwrap();
    holds(2);
    let newer = client.send_goal(&goal).unwrap().wait(LONG).unwrap();
    holds(3);
    assert_eq!(before.result().unwrap().wait(LONG).unwrap().status(), GoalStatus::Aborted);
    assert_eq!(lock(&held)[1].status(), GoalStatus::Executing);
    // A goal without poses stops the robot.
    let nowhere = client.send_goal(&FollowWaypoints_Goal::default()).unwrap().wait(LONG).unwrap();
    assert_eq!(newer.result().unwrap().wait(LONG).unwrap().status(), GoalStatus::Aborted);
    assert_eq!(nowhere.result().unwrap().wait(LONG).unwrap().status(), GoalStatus::Aborted);
    assert_eq!(lock(&held)[2].status(), GoalStatus::Canceled);
    // The goal before is canceled as well, because the navigator may have continued with it.
    let until = |index: usize, wanted: GoalStatus| {
        while lock(&held)[index].status() != wanted {
            assert!(std::time::Instant::now() < end);
            thread::yield_now();
        }
    };
    until(1, GoalStatus::Canceled);
    // The navigator rejects the newer goal, and continues with the one before.
    let _before = client.send_goal(&goal).unwrap().wait(LONG).unwrap();
    holds(4);
    let (status, result) = follow(vec![at(-1.0, 0.0)]);
    assert_eq!((status, result.missed_waypoints.len()), (GoalStatus::Succeeded, 1));
    until(3, GoalStatus::Canceled);
}
