//! Trees with servers that do what the tests say.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, mpsc::channel},
    task::Waker,
    thread,
    time::Duration,
};

use saltus::{
    ActionClient, ActionServer, Context, Executor, Node, Publisher, Server, SingleThreadedExecutor, Time,
    action::{CancelResponse, GoalHandle, GoalResponse, GoalStatus},
    component::{Component, NodeOptions},
    context::ContextOptions,
    executor::ExecutorHandle,
    lifecycle::CallbackReturn,
    msgs::{
        geometry_msgs::msg::PoseStamped,
        nav_msgs::msg::Path,
        nav2_msgs::{
            action::*,
            msg::BehaviorTreeLog,
            srv::{ClearEntireCostmap, ClearEntireCostmap_Response, IsPathValid, IsPathValid_Response},
        },
        std_msgs::msg::{Header, String as Text},
    },
    tf::{StampedTransform, StaticTransformBroadcaster, Transform},
    types::lock,
};
use saltus_behavior_tree::{Boards, Factory, Status, Tree, Value};
use saltus_motion::{Pose, Velocity};
use saltus_nav_server::{Frames, to_stamped};
use saltus_server::{Parameters, Worker};

use super::*;
use crate::{odometry::Odometry, world::Settings};

const LONG: Duration = Duration::from_secs(20);

/// The plan of the servers, and the requests that they got.
#[derive(Default)]
struct Script {
    /// The codes of errors of the next plans; then plans succeed.
    plan_errors: Vec<u16>,
    /// The distance to the left to which the next plan leads, in metres.
    left: f64,
    /// Goals of the controller, which the tests end.
    following: Vec<GoalHandle<FollowPath>>,
    /// Whether the controller takes no more goals.
    rejects: bool,
    requests: Vec<String>,
}

struct Scene {
    _folder: tempfile::TempDir,
    _context: Context,
    user: Node,
    navigator: BtNavigator,
    script: Arc<Mutex<Script>>,
    spinning: Option<(ExecutorHandle, thread::JoinHandle<()>)>,
    client: ActionClient<NavigateToPose>,
    statics: StaticTransformBroadcaster,
    _servers: Servers,
}

type Servers = (
    ActionServer<ComputePathToPose>,
    ActionServer<FollowPath>,
    ActionServer<Spin>,
    ActionServer<BackUp>,
    ActionServer<Wait>,
    ActionServer<ComputePathThroughPoses>,
    Server<ClearEntireCostmap>,
    Server<ClearEntireCostmap>,
);

fn path(left: f64) -> Path {
    let header = Header { frame_id: "map".into(), ..Header::default() };
    let poses =
        (0..10).map(|step| to_stamped(&header, &Pose::new(f64::from(step) * 0.1, left, 0.0))).collect();
    Path { header, poses }
}

fn servers(node: &Node, script: &Arc<Mutex<Script>>) -> Servers {
    let note = |what: &str| {
        let (script, what) = (script.clone(), what.to_owned());
        move || lock(&script).requests.push(what.clone())
    };
    let (planned, spun, backed, waited) = (note("plan"), note("spin"), note("backup"), note("wait"));
    let (local, global) = (note("clear local"), note("clear global"));
    let (planning, following, requests) = (script.clone(), script.clone(), script.clone());
    let clear = |name: &str, note: Box<dyn Fn() + Send>| {
        let answer = move |_| {
            note();
            ClearEntireCostmap_Response::default()
        };
        node.service::<ClearEntireCostmap>(name).callback(answer).unwrap()
    };
    (
        ActionServer::on(node, "compute_path_to_pose")
            .execute(move |goal: GoalHandle<ComputePathToPose>| {
                planned();
                let mut script = lock(&planning);
                if script.plan_errors.is_empty() {
                    let path = path(script.left);
                    goal.succeed(ComputePathToPose_Result { path, ..Default::default() }).unwrap();
                } else {
                    let error_code = script.plan_errors.remove(0);
                    goal.abort(ComputePathToPose_Result { error_code, ..Default::default() }).unwrap();
                }
            })
            .unwrap(),
        ActionServer::on(node, "follow_path")
            .on_goal(move |_| match lock(&requests).rejects {
                true => GoalResponse::Reject,
                false => GoalResponse::AcceptAndExecute,
            })
            .on_cancel(|_| CancelResponse::Accept)
            .on_canceling(|goal| {
                let goal = goal.clone();
                thread::spawn(move || goal.canceled(FollowPath_Result::default()));
            })
            .execute(move |goal: GoalHandle<FollowPath>| lock(&following).following.push(goal))
            .unwrap(),
        ActionServer::on(node, "spin")
            .execute(move |goal: GoalHandle<Spin>| {
                spun();
                goal.succeed(Spin_Result::default()).unwrap();
            })
            .unwrap(),
        ActionServer::on(node, "backup")
            .execute(move |goal: GoalHandle<BackUp>| {
                backed();
                goal.succeed(BackUp_Result::default()).unwrap();
            })
            .unwrap(),
        ActionServer::on(node, "wait")
            .execute(move |goal: GoalHandle<Wait>| {
                waited();
                goal.succeed(Wait_Result::default()).unwrap();
            })
            .unwrap(),
        ActionServer::on(node, "compute_path_through_poses")
            .execute(|goal: GoalHandle<ComputePathThroughPoses>| {
                goal.succeed(ComputePathThroughPoses_Result { path: path(0.0), ..Default::default() })
                    .unwrap();
            })
            .unwrap(),
        clear("local_costmap/clear_entirely_local_costmap", Box::new(local)),
        clear("global_costmap/clear_entirely_global_costmap", Box::new(global)),
    )
}

impl Scene {
    /// A scene whose robot knows where it is.
    fn new(parameters: &[&str]) -> Self {
        let scene = Self::lost(parameters);
        scene.locate();
        scene
    }

    /// A scene whose robot does not know where it is.
    fn lost(parameters: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = ContextOptions::default().folder(folder.path()).create().unwrap();
        let user = context.node("user").create().unwrap();
        let always = ["default_server_timeout:=5000", "default_cancel_timeout:=5000"];
        let words = always.iter().chain(parameters).flat_map(|parameter| ["-p", parameter]);
        let words: Vec<&str> = ["--ros-args"].into_iter().chain(words).collect();
        let navigator = BtNavigator::new(&NodeOptions::new(&context).arguments(words).unwrap()).unwrap();
        let script = Arc::<Mutex<Script>>::default();
        let servers = servers(&user, &script);
        let mut executor = SingleThreadedExecutor::new(&context).unwrap();
        executor.add_node(&user);
        executor.add_node(navigator.node());
        let handle = executor.handle();
        let thread = thread::spawn(move || executor.spin().unwrap());
        let statics = StaticTransformBroadcaster::new(&user).unwrap();
        Self {
            client: ActionClient::on(&user, "navigate_to_pose").create().unwrap(),
            _folder: folder,
            _context: context,
            user,
            navigator,
            script,
            spinning: Some((handle, thread)),
            statics,
            _servers: servers,
        }
    }

    /// Says where the robot is.
    fn locate(&self) {
        let stamp = Time::from_nanos(1);
        let robot = StampedTransform::new("map", "base_link", stamp, Transform::from_xyz(0.0, 0.0, 0.0));
        self.statics.send(&[robot]).unwrap();
    }

    fn activate(&self) {
        assert_eq!(self.navigator.lifecycle().configure(), Ok(CallbackReturn::Success));
        assert_eq!(self.navigator.lifecycle().activate(), Ok(CallbackReturn::Success));
        assert!(self.client.wait_for_server(LONG));
    }

    fn send(&self, x: f64) -> saltus::action::ClientGoal<NavigateToPose> {
        let header = Header { frame_id: "map".into(), ..Header::default() };
        let pose = to_stamped(&header, &Pose::new(x, 0.0, 0.0));
        let goal = NavigateToPose_Goal { pose, behavior_tree: String::new() };
        self.client.send_goal(&goal).unwrap().wait(LONG).unwrap()
    }

    /// Waits until something holds for what the servers were requests.
    fn until(&self, holds: impl Fn(&Script) -> bool) {
        let end = std::time::Instant::now() + LONG;
        while !holds(&lock(&self.script)) {
            assert!(std::time::Instant::now() < end, "{:?}", lock(&self.script).requests);
            thread::yield_now();
        }
    }

    /// Takes the last goal of the controller.
    fn following(&self) -> GoalHandle<FollowPath> {
        self.until(|script| !script.following.is_empty());
        lock(&self.script).following.pop().unwrap()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        if let Some((executor, thread)) = self.spinning.take() {
            executor.cancel();
            thread.join().unwrap();
        }
    }
}

fn status(goal: &saltus::action::ClientGoal<NavigateToPose>) -> GoalStatus {
    goal.result().unwrap().wait(LONG).unwrap().status()
}

#[test]
fn a_goal_is_planned_followed_and_reached() {
    let scene = Scene::new(&[]);
    let (sender, logged) = channel();
    let log = move |log: BehaviorTreeLog| drop(sender.send(log));
    let _log = scene.user.subscription("behavior_tree_log").callback(log).unwrap();
    scene.activate();
    let goal = scene.send(1.0);
    let following = scene.following();
    assert_eq!(following.goal_value().unwrap().path, path(0.0));
    following.succeed(FollowPath_Result::default()).unwrap();
    assert_eq!(status(&goal), GoalStatus::Succeeded);
    let mut nodes = BTreeSet::new();
    while !nodes.contains("FollowPath") {
        nodes.extend(logged.recv_timeout(LONG).unwrap().event_log.into_iter().map(|event| event.node_name));
    }
    assert!(nodes.contains("NavigateRecovery") && nodes.contains("ComputePathToPose"));
}

#[test]
fn a_plan_that_fails_is_tried_again_and_recovered_from() {
    let scene = Scene::new(&[]);
    scene.activate();
    // The first one is tried again after the costmap was cleared, and then recoveries run.
    lock(&scene.script).plan_errors = vec![ComputePathToPose_Result::NO_VALID_PATH; 5];
    let goal = scene.send(1.0);
    let following = scene.following();
    following.succeed(FollowPath_Result::default()).unwrap();
    let result = goal.result().unwrap().wait(LONG).unwrap();
    assert_eq!(result.status(), GoalStatus::Succeeded);
    let requests = lock(&scene.script).requests.clone();
    let expected = [
        "plan",
        "clear global",
        "plan",
        "clear local",
        "clear global",
        "plan",
        "clear global",
        "plan",
        "spin",
        "plan",
        "clear global",
        "plan",
    ];
    assert_eq!(requests, expected);
}

#[test]
fn a_goal_that_can_not_be_reached_is_aborted_with_its_code() {
    let scene = Scene::new(&[]);
    scene.activate();
    // No recovery helps against this one.
    lock(&scene.script).plan_errors = vec![ComputePathToPose_Result::GOAL_OUTSIDE_MAP; 100];
    let goal = scene.send(1.0);
    let result = goal.result().unwrap().wait(LONG).unwrap();
    assert_eq!(result.status(), GoalStatus::Aborted);
    assert_eq!(result.value().unwrap().error_code, ComputePathToPose_Result::GOAL_OUTSIDE_MAP);
    assert_eq!(lock(&scene.script).requests, ["plan"]);
}

#[test]
fn goals_are_canceled_and_preempted() {
    let scene = Scene::new(&[]);
    scene.activate();
    let first = scene.send(1.0);
    // A goal whose handle is dropped has failed.
    let following = scene.following();
    let second = scene.send(2.0);
    assert_eq!(status(&first), GoalStatus::Aborted);
    second.cancel(LONG).unwrap();
    assert_eq!(status(&second), GoalStatus::Canceled);
    assert_eq!(following.status(), GoalStatus::Canceled);
    // The next one begins anew.
    let third = scene.send(3.0);
    scene.following().succeed(FollowPath_Result::default()).unwrap();
    assert_eq!(status(&third), GoalStatus::Succeeded);
}

#[test]
fn a_path_that_is_not_taken_ends_the_one_before() {
    let scene = Scene::new(&[]);
    scene.activate();
    let goal = scene.send(1.0);
    let following = scene.following();
    // The next plan differs, and the controller does not take it.
    {
        let mut script = lock(&scene.script);
        script.left = 1.0;
        script.rejects = true;
    }
    assert_eq!(status(&goal), GoalStatus::Aborted);
    scene.until(|_| following.status() == GoalStatus::Canceled);
}

#[test]
fn a_goal_waits_a_while_until_it_is_known_where_the_robot_is() {
    let scene = Scene::lost(&[]);
    scene.activate();
    let goal = scene.send(1.0);
    scene.locate();
    scene.following().succeed(FollowPath_Result::default()).unwrap();
    assert_eq!(status(&goal), GoalStatus::Succeeded);
}

#[test]
fn a_goal_of_a_robot_that_is_lost_ends() {
    let scene = Scene::lost(&[]);
    scene.activate();
    let canceled = scene.send(1.0);
    canceled.cancel(LONG).unwrap();
    assert_eq!(status(&canceled), GoalStatus::Canceled);
    assert_eq!(status(&scene.send(1.0)), GoalStatus::Aborted);
    assert!(lock(&scene.script).requests.is_empty());
    // The time of those that have ended does not count.
    let last = scene.send(1.0);
    scene.locate();
    scene.following().succeed(FollowPath_Result::default()).unwrap();
    assert_eq!(status(&last), GoalStatus::Succeeded);
}

#[test]
fn a_tree_that_is_not_there_is_said_at_the_activation() {
    let scene = Scene::new(&["default_nav_to_pose_bt_xml:=nowhere.xml"]);
    assert_eq!(scene.navigator.lifecycle().configure(), Ok(CallbackReturn::Success));
    assert_eq!(scene.navigator.lifecycle().activate(), Ok(CallbackReturn::Failure));
}

/// A tree of nodes that need no servers.
struct Small {
    _folder: tempfile::TempDir,
    context: Context,
    world: Arc<World>,
    _worker: Worker,
}

impl Small {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = ContextOptions::default().folder(folder.path()).create().unwrap();
        let node = context.node("tree").create().unwrap();
        let worker = Worker::start(&node, "tree").unwrap();
        let settings = Settings::read(&Parameters::new(&node)).unwrap();
        let frames = Arc::new(Frames::new(&node, worker.group()).unwrap());
        let (group, waker, odometry) = (worker.group().clone(), Waker::noop().clone(), Odometry::default());
        let world = Arc::new(World { node, group, frames, waker, odometry, settings });
        Self { _folder: folder, context, world, _worker: worker }
    }

    fn robot_at(&self, x: f64) {
        let robot =
            StampedTransform::new("map", "base_link", Time::from_nanos(1), Transform::from_xyz(x, 0.0, 0.0));
        self.world.frames.buffer().set_static(&robot, "test").unwrap();
    }

    fn tree(&self, nodes: &str, values: &[(&str, Value)]) -> Tree<()> {
        let mut factory = Factory::new();
        register(&mut factory, &self.world);
        let text = format!("<root BTCPP_format='4'><BehaviorTree ID='Main'>{nodes}</BehaviorTree></root>");
        factory.load(&text).unwrap();
        let mut boards = Boards::new();
        values.iter().for_each(|(key, value)| boards.set(0, key, value.clone()));
        factory.create_with("Main", boards).unwrap()
    }
}

fn goal(x: f64) -> PoseStamped {
    to_stamped(&Header { frame_id: "map".into(), ..Header::default() }, &Pose::new(x, 0.0, 0.0))
}

fn tick(tree: &mut Tree<()>) -> Status {
    tree.tick(&mut (), Duration::ZERO).unwrap()
}

#[test]
fn all_nodes_do_something() {
    let known: BTreeSet<&str> = crate::nodes::names().into_iter().collect();
    let all: BTreeSet<&str> = nav2_behavior_tree::nodes().into_iter().map(|node| node.id).collect();
    assert_eq!(known, all);
}

#[test]
fn conditions_look_at_goals_errors_and_the_robot() {
    let scene = Small::new();
    scene.robot_at(1.0);
    let is = |node: &str, values: &[(&str, Value)]| tick(&mut scene.tree(node, values));
    let near = [("goal", Value::object(goal(1.2)))];
    assert_eq!(is("<GoalReached goal='{goal}'/>", &near), Status::Success);
    assert_eq!(is("<GoalReached goal='{goal}'/>", &[("goal", Value::object(goal(2.0)))]), Status::Failure);
    for (code, expected) in [(106, Status::Success), (101, Status::Failure)] {
        let node = "<WouldAControllerRecoveryHelp error_code='{code}'/>";
        assert_eq!(is(node, &[("code", Value::Integer(code))]), expected);
    }
    assert_eq!(is("<AreErrorCodesPresent error_code='5' error_codes_to_check='4;5'/>", &[]), Status::Success);
    assert_eq!(is("<TransformAvailable child='base_link' parent='map'/>", &[]), Status::Success);
    assert_eq!(is("<TransformAvailable child='arm' parent='map'/>", &[]), Status::Failure);
    let frames = [("robot", Value::text("base_link"))];
    assert_eq!(is("<TransformAvailable child='{robot}' parent='map'/>", &frames), Status::Success);
    let poses = [("one", Value::object(goal(0.0))), ("other", Value::object(goal(0.4)))];
    assert_eq!(is("<ArePosesNear ref_pose='{one}' target_pose='{other}'/>", &poses), Status::Success);
    let received = [("initial_pose_received", Value::from(true))];
    assert_eq!(is("<InitialPoseReceived/>", &received), Status::Success);
}

#[test]
fn a_goal_that_changes_is_noticed_once() {
    let scene = Small::new();
    // A decorator that goes on keeps the status of its child active.
    let node = "<Parallel success_count='2'><GlobalUpdatedGoal/><AlwaysSuccess/></Parallel>";
    let mut tree = scene.tree(node, &[("goal", Value::object(goal(1.0)))]);
    let status = |tree: &mut Tree<()>| tick(tree);
    assert_eq!(status(&mut tree), Status::Success);
    assert_eq!(status(&mut tree), Status::Failure);
    tree.boards_mut().set(0, "goal", Value::object(goal(2.0)));
    assert_eq!(status(&mut tree), Status::Success);
    assert_eq!(status(&mut tree), Status::Failure);
}

#[test]
fn paths_and_goals_are_cut() {
    let scene = Small::new();
    scene.robot_at(0.42);
    let cut = |node: &str, key: &str| {
        let values = [
            ("path", Value::object(path(0.0))),
            ("goals", Value::object(vec![goal(0.3), goal(0.6), goal(5.0)])),
        ];
        let mut tree = scene.tree(node, &values);
        assert_eq!(tick(&mut tree), Status::Success, "{node}");
        tree.boards().get(0, key).cloned().unwrap()
    };
    let length = |value: Value| {
        <Arc<Path> as saltus_behavior_tree::FromValue>::from_value(&value).unwrap().poses.len()
    };
    let short = cut("<TruncatePath input_path='{path}' output_path='{short}' distance='0.35'/>", "short");
    assert_eq!(length(short), 6);
    let node = "<TruncatePathLocal input_path='{path}' output_path='{part}' distance_forward='0.21' distance_backward='0.11'/>";
    assert_eq!(length(cut(node, "part")), 4);
    let node = "<ConcatenatePaths input_path1='{path}' input_path2='{path}' output_path='{both}'/>";
    assert_eq!(length(cut(node, "both")), 20);
    let goals = cut("<RemovePassedGoals input_goals='{goals}' output_goals='{left}' radius='0.2'/>", "left");
    let goals = <Arc<Vec<PoseStamped>> as saltus_behavior_tree::FromValue>::from_value(&goals).unwrap();
    assert_eq!(*goals, [goal(5.0)]);
    let pose = cut("<GetPoseFromPath path='{path}' index='-1' pose='{end}'/>", "end");
    let pose = <Arc<PoseStamped> as saltus_behavior_tree::FromValue>::from_value(&pose).unwrap();
    assert!((pose.pose.position.x - 0.9).abs() < 1e-9);
}

#[test]
fn a_selector_takes_the_default_until_a_topic_says_something_else() {
    let scene = Small::new();
    let publisher: Publisher<Text> = {
        let user = scene.context.node("user").create().unwrap();
        let qos = saltus::QoS::keep_last(1).transient_local();
        user.publisher("planner_selector").qos(qos).create().unwrap()
    };
    let node = "<PlannerSelector selected_planner='{planner}' default_planner='GridBased'/>";
    let mut tree = scene.tree(node, &[]);
    assert_eq!(tick(&mut tree), Status::Success);
    let planner = |tree: &Tree<()>| tree.boards().get(0, "planner").and_then(Value::to_text).unwrap();
    assert_eq!(planner(&tree), "GridBased");
    publisher.publish(&Text { data: "Other".into() }).unwrap();
    let end = std::time::Instant::now() + LONG;
    while planner(&tree) != "Other" {
        assert!(std::time::Instant::now() < end);
        tick(&mut tree);
    }
}

#[test]
fn a_path_is_asked_for_within_the_tick() {
    let scene = Small::new();
    let user = scene.context.node("user").create().unwrap();
    let valid = user
        .service::<IsPathValid>("is_path_valid")
        .callback(|request| IsPathValid_Response {
            is_valid: request.path.poses.len() == 10,
            ..IsPathValid_Response::default()
        })
        .unwrap();
    let mut executor = SingleThreadedExecutor::new(&scene.context).unwrap();
    executor.add_node(&user);
    let handle = executor.handle();
    let thread = thread::spawn(move || executor.spin().unwrap());
    let node = "<IsPathValid path='{path}' server_timeout='5000'/>";
    let mut tree = scene.tree(node, &[("path", Value::object(path(0.0)))]);
    let end = std::time::Instant::now() + LONG;
    // The first call may come before the client is connected.
    while tick(&mut tree) != Status::Success {
        assert!(std::time::Instant::now() < end);
    }
    let mut tree = scene.tree(node, &[("path", Value::object(Path::default()))]);
    assert_eq!(tick(&mut tree), Status::Failure);
    handle.cancel();
    thread.join().unwrap();
    drop(valid);
}

#[test]
fn velocities_that_are_no_numbers_do_not_count() {
    let odometry = Odometry::default();
    let at = |milliseconds: i64| Time::from_nanos(milliseconds * 1_000_000);
    assert_eq!(odometry.velocity(), Velocity::default());
    odometry.add(at(1000), Velocity::new(0.1, 0.0, 0.2));
    odometry.add(at(1100), Velocity::new(f64::NAN, 0.0, 0.0));
    odometry.add(at(1100), Velocity::new(0.0, 0.0, f64::INFINITY));
    odometry.add(at(1200), Velocity::new(0.3, 0.0, 0.4));
    let mean = odometry.velocity();
    assert!((mean.x - 0.2).abs() < 1e-9 && (mean.theta - 0.3).abs() < 1e-9, "{mean:?}");
    // The clock has jumped back.
    odometry.add(at(10), Velocity::new(0.5, 0.0, 0.0));
    assert_eq!(odometry.velocity(), Velocity::new(0.5, 0.0, 0.0));
}
