//! The node of the simulator, as other nodes see it.

use std::{
    sync::{
        Arc, Mutex,
        mpsc::{SyncSender, sync_channel},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use saltus::{
    ActionClient, Context, Executor, Node, QoS, SingleThreadedExecutor,
    action::{GoalOptions, GoalStatus},
    cdr::{Message, Service},
    context::ContextOptions,
    graph::EndpointKind,
    msgs::{
        geometry_msgs::msg::{Point, Pose as PoseMessage, PoseStamped, Quaternion, Twist, Vector3},
        nav_msgs::msg::Odometry,
        rcl_interfaces::msg::Log,
        rosgraph_msgs::msg::Clock,
        sensor_msgs::msg::{CameraInfo, Image, Imu, JointState, LaserScan},
        simulation_interfaces::{
            action::*,
            msg::{EntityFilters, EntityState, Result as Answer, SimulationState, SimulatorFeatures},
            srv::*,
        },
        std_msgs::msg::String as Text,
        tf2_msgs::msg::TFMessage,
        visualization_msgs::msg::MarkerArray,
    },
    types::lock,
};
use saltus_sim::{SensorKind, Simulation, World};

use super::*;
use crate::{
    digest::Digest,
    runner::{Request, Runner},
};

const LONG: Duration = Duration::from_secs(20);

/// A graph with a simulator that is paused, and a node that uses it.
struct Scene {
    _folder: tempfile::TempDir,
    context: Context,
    user: Node,
    simulator: Option<JoinHandle<Result<Summary, RunError>>>,
}

impl Scene {
    fn new(world: &str) -> Self {
        let world = load_world(world).unwrap();
        Self::with(&world)
    }

    fn with(world: &World) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = ContextOptions::default().folder(folder.path()).create().unwrap();
        let user = context.node("user").create().unwrap();
        let options = Options { is_paused: true, factor: Factor::Max, ..Options::default() };
        let (own, world) = (context.clone(), world.clone());
        let simulator = std::thread::spawn(move || run(&own, &world, &options));
        Self { _folder: folder, context, user, simulator: Some(simulator) }
    }

    fn call<S: Service>(&self, name: &str, request: &S::Request) -> S::Response {
        let client = self.user.client::<S>(name).create().unwrap();
        assert!(client.wait_for_service(LONG), "{name}");
        client.call(request, LONG).unwrap()
    }

    fn step(&self, steps: u64) {
        let response = self.call::<StepSimulation>("step_simulation", &StepSimulation_Request { steps });
        assert_eq!(response.result.result, Answer::RESULT_OK, "{}", response.result.error_message);
    }

    fn state(&self, entity: &str) -> EntityState {
        let request = GetEntityState_Request { entity: entity.into() };
        let response = self.call::<GetEntityState>("get_entity_state", &request);
        assert_eq!(response.result.result, Answer::RESULT_OK, "{}", response.result.error_message);
        response.state
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        self.context.shut_down();
        if let Some(simulator) = self.simulator.take() {
            simulator.join().unwrap().unwrap();
        }
    }
}

/// Messages of a topic, in order.
type Messages<M> = Arc<Mutex<Vec<M>>>;

fn listen<M: Message>(node: &Node, topic: &str) -> (Messages<M>, saltus::Subscription<M>) {
    let messages = Messages::default();
    let kept = messages.clone();
    let subscription = node.subscription(topic).qos(QoS::keep_last(1000));
    let subscription = subscription.callback(move |message| lock(&kept).push(message)).unwrap();
    (messages, subscription)
}

#[test]
fn a_robot_has_the_topics_rates_and_frames_of_the_reference() {
    let scene = Scene::new("turtlebot3_world");
    let obstacles =
        scene.user.subscription::<MarkerArray>("obstacles").qos(QoS::keep_last(1).transient_local());
    let obstacles = obstacles.create().unwrap();
    let (clocks, _clock) = listen::<Clock>(&scene.user, "/clock");
    let (scans, _scan) = listen::<LaserScan>(&scene.user, "scan");
    let (odometry, _odometry) = listen::<Odometry>(&scene.user, "odom");
    let (transforms, _tf) = listen::<TFMessage>(&scene.user, "/tf");
    let (joints, _joints) = listen::<JointState>(&scene.user, "joint_states");
    let (imus, _imu) = listen::<Imu>(&scene.user, "imu");
    scene.step(2000);
    let mut executor = SingleThreadedExecutor::new(&scene.context).unwrap();
    executor.add_node(&scene.user);
    let all = || {
        // The first one, at the start, may have been before the subscription.
        let ticks =
            lock(&clocks).iter().filter(|tick| (tick.clock.sec, tick.clock.nanosec) != (0, 0)).count();
        let few = [ticks, lock(&scans).len(), lock(&odometry).len()];
        // Others are those of the wheels.
        let is_base = |message: &&TFMessage| message.transforms[0].header.frame_id == "odom";
        let bases = lock(&transforms).iter().filter(is_base).count();
        let many = [bases, lock(&joints).len(), lock(&imus).len()];
        [few, many]
    };
    let enough = [[20, 10, 60], [60, 60, 400]];
    for _ in 0..1000 {
        if all() == enough {
            break;
        }
        executor.spin_once(Some(Duration::from_millis(20))).unwrap();
    }
    assert_eq!(all(), enough);
    let markers = obstacles.take().unwrap().unwrap().0.markers;
    // Nine pillars, and the triangles of six quadrangles and five hexagons.
    assert_eq!(
        (markers.len(), markers[9].points.len(), &*markers[0].header.frame_id),
        (10, 3 * (6 * 2 + 5 * 4), "odom")
    );
    let scan = &lock(&scans)[9];
    assert_eq!((&*scan.header.frame_id, scan.header.stamp.sec, scan.ranges.len()), ("base_scan", 2, 360));
    assert_eq!((scan.angle_max, scan.range_min, scan.range_max), (628.0 / 100.0, 0.12, 3.5));
    let odometry = &lock(&odometry)[0];
    assert_eq!((&*odometry.header.frame_id, &*odometry.child_frame_id), ("odom", "base_footprint"));
    assert_eq!(
        (odometry.pose.pose.position.x, odometry.pose.covariance[0], odometry.pose.covariance[35]),
        (-2.0, 1e-5, 1e-3)
    );
    let messages = lock(&transforms);
    let transform =
        messages.iter().flat_map(|message| &message.transforms).find(|one| one.header.frame_id == "odom");
    let transform = transform.unwrap();
    assert_eq!(
        (&*transform.header.frame_id, &*transform.child_frame_id, transform.transform.translation.y),
        ("odom", "base_footprint", -0.5)
    );
    assert_eq!(lock(&joints)[0].name, ["wheel_left_joint", "wheel_right_joint"]);
}

/// The frame of the lidar comes from the description of the robot, as long as the robot is there.
#[test]
fn the_frames_of_sensors_are_published() {
    let scene = Scene::new("twenty_robots");
    let description = scene.user.subscription::<Text>("/robot20/robot_description");
    let description = description.qos(QoS::keep_last(1).transient_local()).create().unwrap();
    let (frames, _frames) = listen::<TFMessage>(&scene.user, "/robot20/tf_static");
    let mut executor = SingleThreadedExecutor::new(&scene.context).unwrap();
    executor.add_node(&scene.user);
    scene.step(100);
    let is_scan =
        |message: &TFMessage| message.transforms.iter().any(|one| one.child_frame_id == "base_scan");
    while !lock(&frames).iter().any(is_scan) {
        scene.step(100);
        executor.spin_once(Some(Duration::from_millis(20))).unwrap();
    }
    assert!(description.take().unwrap().unwrap().0.data.contains("<robot name=\"waffle\">"));
    let request = DeleteEntity_Request { entity: "robot20".into() };
    assert_eq!(scene.call::<DeleteEntity>("delete_entity", &request).result.result, Answer::RESULT_OK);
    let is_gone = || {
        !scene
            .user
            .context()
            .graph()
            .endpoints
            .iter()
            .any(|end| end.topic == "/robot20/robot_description" && end.kind == EndpointKind::Publisher)
    };
    assert!(scene.context.wait_until(LONG, is_gone));
}

#[test]
fn a_command_moves_a_robot_and_a_reset_brings_it_back() {
    let scene = Scene::new("turtlebot3_world");
    let commands = scene.user.publisher::<Twist>("cmd_vel").create().unwrap();
    assert!(commands.wait_for_subscriptions(1, LONG));
    let linear = Vector3 { x: 0.2, ..Vector3::default() };
    commands.publish(&Twist { linear, ..Twist::default() }).unwrap();
    // The command and the request have different queues, so the command may arrive later.
    for _ in 0..1000 {
        scene.step(10);
        if scene.state("waffle").twist.linear.x > 0.0 {
            break;
        }
    }
    scene.step(1000);
    let state = scene.state("waffle");
    assert!((state.twist.linear.x - 0.2).abs() < 1e-6, "{state:?}");
    assert!(state.pose.position.x > -1.9, "{state:?}");
    let response = scene.call::<ResetSimulation>("reset_simulation", &ResetSimulation_Request::default());
    assert_eq!(response.result.result, Answer::RESULT_OK);
    let state = scene.state("waffle");
    assert_eq!((state.pose.position.x, state.header.stamp.sec, state.header.stamp.nanosec), (-2.0, 0, 0));
}

#[test]
fn robots_are_spawned_and_deleted_by_requests() {
    let scene = Scene::new("turtlebot3_world");
    let spawn = |name: &str, uri: &str, more: fn(&mut SpawnEntity_Request)| {
        let position = Point { x: 0.5, y: 0.5, z: 0.0 };
        let pose = PoseMessage { position, orientation: Quaternion { x: 0.0, y: 0.0, z: 1.0, w: 0.0 } };
        let mut request = SpawnEntity_Request {
            name: name.into(),
            uri: uri.into(),
            entity_namespace: "second".into(),
            initial_pose: PoseStamped { pose, ..PoseStamped::default() },
            ..SpawnEntity_Request::default()
        };
        more(&mut request);
        let response = scene.call::<SpawnEntity>("spawn_entity", &request);
        (response.result.result, response.entity_name)
    };
    let refused = |code| (code, String::new());
    let plain = |_: &mut SpawnEntity_Request| {};
    assert_eq!(spawn("other", "waffle", plain), (Answer::RESULT_OK, "other".into()));
    assert_eq!(spawn("other", "waffle", plain), refused(SpawnEntity_Response::NAME_NOT_UNIQUE));
    assert_eq!(
        spawn("other", "waffle", |request| request.allow_renaming = true),
        (Answer::RESULT_OK, "other_2".into())
    );
    assert_eq!(spawn("a", "", plain), refused(SpawnEntity_Response::NO_RESOURCE));
    assert_eq!(spawn("a", "no-such-file.yaml", plain), refused(SpawnEntity_Response::RESOURCE_PARSE_ERROR));
    assert_eq!(
        spawn("a", "waffle", |request| request.entity_namespace = "7/bad name".into()),
        refused(SpawnEntity_Response::NAMESPACE_INVALID)
    );
    assert_eq!(
        spawn("a", "waffle", |request| request.initial_pose.pose.orientation.w = 5.0),
        refused(SpawnEntity_Response::INVALID_POSE)
    );
    let names = |filter: &str| {
        let filters = EntityFilters { filter: filter.into(), ..EntityFilters::default() };
        let response = scene.call::<GetEntities>("get_entities", &GetEntities_Request { filters });
        (response.result.result, response.entities)
    };
    assert_eq!(spawn("", "waffle", plain), refused(SpawnEntity_Response::NAME_INVALID));
    assert_eq!(
        spawn("a", "waffle", |request| request.initial_pose.header.frame_id = "map".into()),
        refused(SpawnEntity_Response::INVALID_POSE)
    );
    // Topics must not have two underscores in a row.
    assert_eq!(
        spawn("a", "waffle", |request| request.entity_namespace = "a__b".into()),
        refused(SpawnEntity_Response::NAMESPACE_INVALID)
    );
    assert_eq!(
        spawn("a", "waffle", |request| request.initial_pose.pose.position.x = 1e12),
        refused(SpawnEntity_Response::INVALID_POSE)
    );
    const ROUND: &str = "body: {circle: {radius: 0.1}, mass: 1}\ndrive: {wheel_separation: 0.1, wheel_radius: 0.03}\nsensors:\n";
    // A robot whose topics can't be opened is not there, and does not disturb the others.
    let bumper = |request: &mut SpawnEntity_Request| {
        request.resource_string = format!("{ROUND}- bumper: {{rate: 5.0, topic: a__b}}\n");
    };
    assert_eq!(spawn("a", "", bumper), refused(Answer::RESULT_OPERATION_FAILED));
    // A camera must not be above the obstacles.
    let camera = |request: &mut SpawnEntity_Request| {
        request.resource_string = format!(
            "{ROUND}- camera: {{rate: 5.0, width: 4, image_height: 4, fov: 1.0, range_max: 5.0, height: 0.6}}\n"
        );
    };
    assert_eq!(spawn("a", "", camera), refused(Answer::RESULT_OPERATION_FAILED));
    const THIN: &str = "body: {polygon: [[0, 0], [1, 0], [2, 0.00001]], mass: 1}\ndrive: {wheel_separation: 1, wheel_radius: 1}\n";
    assert_eq!(
        spawn("a", "", |request| request.resource_string = THIN.into()),
        refused(SpawnEntity_Response::RESOURCE_PARSE_ERROR)
    );
    assert_eq!(names(""), (Answer::RESULT_OK, vec!["waffle".into(), "other".into(), "other_2".into()]));
    assert_eq!(names("other_[0-9]"), (Answer::RESULT_OK, vec!["other_2".into()]));
    assert_eq!(names("(").0, Answer::RESULT_OPERATION_FAILED);
    let (scans, _scan) = listen::<LaserScan>(&scene.user, "/second/scan");
    let delete = |name: &str| {
        let request = DeleteEntity_Request { entity: name.into() };
        scene.call::<DeleteEntity>("delete_entity", &request).result.result
    };
    assert_eq!((delete("other_2"), delete("other_2")), (Answer::RESULT_OK, Answer::RESULT_NOT_FOUND));
    scene.step(200);
    let mut executor = SingleThreadedExecutor::new(&scene.context).unwrap();
    executor.add_node(&scene.user);
    while lock(&scans).is_empty() {
        assert!(executor.spin_once(Some(LONG)).unwrap(), "nothing has come");
    }
    // It looks to the west, where the pillar at 0, 0 is not in its way.
    assert!(lock(&scans)[0].ranges[0] > 1.0);
}

/// A robot that was spawned with the name of a deleted one has other sensors. After a reset, the first one is back.
#[test]
fn a_reset_opens_the_topics_of_the_robots_that_are_back() {
    let scene = Scene::new("turtlebot3_world");
    let request = DeleteEntity_Request { entity: "waffle".into() };
    scene.call::<DeleteEntity>("delete_entity", &request);
    let plain =
        "body: {circle: {radius: 0.1}, mass: 1}\ndrive: {wheel_separation: 0.1, wheel_radius: 0.03}\n";
    let request = SpawnEntity_Request {
        name: "waffle".into(),
        resource_string: plain.into(),
        ..SpawnEntity_Request::default()
    };
    assert_eq!(scene.call::<SpawnEntity>("spawn_entity", &request).result.result, Answer::RESULT_OK);
    for scope in [ResetSimulation_Request::SCOPE_STATE, ResetSimulation_Request::SCOPE_ALL] {
        scene.call::<ResetSimulation>("reset_simulation", &ResetSimulation_Request { scope });
        scene.step(200);
    }
    let (scans, _scan) = listen::<LaserScan>(&scene.user, "scan");
    scene.step(200);
    let mut executor = SingleThreadedExecutor::new(&scene.context).unwrap();
    executor.add_node(&scene.user);
    while lock(&scans).is_empty() {
        assert!(executor.spin_once(Some(LONG)).unwrap(), "nothing has come");
    }
}

#[test]
fn requests_about_one_thing_leave_the_commands_of_others_alone() {
    let text = "moving:\n- {name: crate, box: {size: [0.3, 0.3]}, pose: [5.0, 0.0, 0.0], mass: 1.0}\nrobots:\n- model: waffle.yaml\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("world.yaml");
    std::fs::write(&path, text).unwrap();
    let scene = Scene::new(path.to_str().unwrap());
    let commands = scene.user.publisher::<Twist>("cmd_vel").create().unwrap();
    assert!(commands.wait_for_subscriptions(1, LONG));
    let drive = |x: f64| {
        let linear = Vector3 { x, ..Vector3::default() };
        commands.publish(&Twist { linear, ..Twist::default() }).unwrap();
    };
    drive(0.1);
    for _ in 0..1000 {
        scene.step(10);
        if scene.state("robot").twist.linear.x > 0.0 {
            break;
        }
    }
    // The new command arrives some time before or after one of the requests.
    drive(0.2);
    let entity = scene.state("crate");
    for _ in 0..20 {
        let request = SetEntityState_Request { entity: "crate".into(), state: entity.clone() };
        let response = scene.call::<SetEntityState>("set_entity_state", &request);
        assert_eq!(response.result.result, Answer::RESULT_OK, "{}", response.result.error_message);
    }
    for _ in 0..1000 {
        scene.step(10);
        if scene.state("robot").twist.linear.x > 0.19 {
            break;
        }
    }
    assert!(scene.state("robot").twist.linear.x > 0.19, "{:?}", scene.state("robot"));
    let request = DeleteEntity_Request { entity: "crate".into() };
    let result = scene.call::<DeleteEntity>("delete_entity", &request).result;
    assert_eq!(
        (result.result, &*result.error_message),
        (Answer::RESULT_OPERATION_FAILED, "`crate` is not a robot; only robots can be deleted")
    );
}

#[test]
fn the_end_does_not_wait_for_many_steps() {
    let scene = Scene::new("twenty_robots");
    let client = scene.user.client::<StepSimulation>("step_simulation").create().unwrap();
    assert!(client.wait_for_service(LONG));
    let call = client.call_async(&StepSimulation_Request { steps: 1_000_000 }).unwrap();
    let started = Instant::now();
    drop(scene);
    assert!(started.elapsed() < LONG, "{:?}", started.elapsed());
    drop(call);
}

#[test]
fn many_steps_are_an_action_with_feedback_that_can_be_cancelled() {
    let scene = Scene::new("turtlebot3_world");
    let client = ActionClient::<SimulateSteps>::on(&scene.user, "simulate_steps").create().unwrap();
    assert!(client.wait_for_server(LONG));
    let mut executor = SingleThreadedExecutor::new(&scene.context).unwrap();
    executor.add_node(&scene.user);
    let (sender, feedback) = std::sync::mpsc::channel();
    let send = |steps| {
        let sender = sender.clone();
        let options = GoalOptions::default().on_feedback(move |feedback: SimulateSteps_Feedback| {
            let _ = sender.send(feedback.completed_steps);
        });
        client.send_goal_with(&SimulateSteps_Goal { steps }, options).unwrap().wait(LONG).unwrap()
    };
    let short = send(250);
    let result = short.result().unwrap().wait(LONG).unwrap();
    assert_eq!(result.value().unwrap().result.result, Answer::RESULT_OK);
    assert_eq!(scene.state("waffle").header.stamp.nanosec, 250_000_000);
    while feedback.try_iter().last() != Some(250) {
        assert!(executor.spin_once(Some(LONG)).unwrap(), "nothing has come");
    }
    let long = send(u64::MAX);
    long.cancel(LONG).unwrap();
    assert_eq!(long.result().unwrap().wait(LONG).unwrap().status(), GoalStatus::Canceled);
}

#[test]
fn the_state_of_an_entity_is_set_in_the_frame_of_the_world() {
    let scene = Scene::new("turtlebot3_world");
    let turned = std::f64::consts::FRAC_1_SQRT_2;
    let pose = PoseMessage {
        position: Point { x: 0.5, y: -0.5, z: 0.0 },
        orientation: Quaternion { x: 0.0, y: 0.0, z: turned, w: turned },
    };
    let linear = Vector3 { x: 0.0, y: 0.1, z: 0.0 };
    let twist = Twist { linear, ..Twist::default() };
    let set = |entity: &str, pose: &PoseMessage| {
        let state = EntityState { pose: *pose, twist, ..EntityState::default() };
        let request = SetEntityState_Request { entity: entity.into(), state };
        scene.call::<SetEntityState>("set_entity_state", &request).result.result
    };
    assert_eq!(set("waffle", &pose), Answer::RESULT_OK);
    let state = scene.state("waffle");
    assert!(
        (state.pose.position.x - 0.5).abs() < 1e-9 && (state.pose.orientation.z - turned).abs() < 1e-9,
        "{state:?}"
    );
    assert!((state.twist.linear.y - 0.1).abs() < 1e-9 && state.twist.linear.x.abs() < 1e-9, "{state:?}");
    assert_eq!(set("nothing", &pose), Answer::RESULT_NOT_FOUND);
    let wrong = PoseMessage { orientation: Quaternion { x: 0.0, y: 0.0, z: 0.0, w: 0.0 }, ..pose };
    assert_eq!(set("waffle", &wrong), SetEntityState_Response::INVALID_POSE);
}

#[test]
fn the_simulation_plays_pauses_and_stops() {
    let scene = Scene::new("turtlebot3_world");
    let set = |state| {
        let request = SetSimulationState_Request { state: SimulationState { state } };
        scene.call::<SetSimulationState>("set_simulation_state", &request).result.result
    };
    let get = || {
        let request = GetSimulationState_Request::default();
        scene.call::<GetSimulationState>("get_simulation_state", &request).state.state
    };
    assert_eq!(get(), SimulationState::STATE_PAUSED);
    assert_eq!(set(SimulationState::STATE_PAUSED), SetSimulationState_Response::ALREADY_IN_TARGET_STATE);
    assert_eq!(set(SimulationState::STATE_PLAYING), Answer::RESULT_OK);
    assert_eq!(set(SimulationState::STATE_PLAYING), SetSimulationState_Response::ALREADY_IN_TARGET_STATE);
    let step = scene.call::<StepSimulation>("step_simulation", &StepSimulation_Request { steps: 1 });
    assert_eq!(step.result.result, Answer::RESULT_INCORRECT_STATE);
    assert_eq!(set(SimulationState::STATE_QUITTING), SetSimulationState_Response::INCORRECT_TRANSITION);
    assert_eq!(set(SimulationState::STATE_STOPPED), Answer::RESULT_OK);
    assert_eq!(get(), SimulationState::STATE_STOPPED);
    assert_eq!(set(SimulationState::STATE_STOPPED), SetSimulationState_Response::ALREADY_IN_TARGET_STATE);
    assert_eq!(scene.state("waffle").header.stamp.nanosec, 0);
    let step = scene.call::<StepSimulation>("step_simulation", &StepSimulation_Request { steps: u64::MAX });
    assert_eq!(step.result.result, Answer::RESULT_OPERATION_FAILED);
    let features = scene
        .call::<GetSimulatorFeatures>("get_simulator_features", &GetSimulatorFeatures_Request::default());
    assert!(features.features.features.contains(&u16::from(SimulatorFeatures::STEP_SIMULATION_MULTIPLE)));
}

#[test]
fn a_depth_camera_publishes_an_image_and_its_calibration() {
    let model = "body: {circle: {radius: 0.1}, mass: 1.0}\ndrive: {wheel_separation: 0.1, wheel_radius: 0.03}\nsensors:\n\
                 - camera: {rate: 10.0, width: 8, image_height: 6, fov: 1.0, range_max: 5.0, height: 0.2}\n";
    let text = format!(
        "obstacles:\n- circle: {{center: [2.0, 0.0], radius: 1.0}}\nrobots:\n- model:\n    {}\n",
        model.trim_end().replace('\n', "\n    ")
    );
    let scene = Scene::with(&World::parse(&text).unwrap());
    let (images, _images) = listen::<Image>(&scene.user, "camera/depth/image_raw");
    let (infos, _infos) = listen::<CameraInfo>(&scene.user, "camera/depth/camera_info");
    scene.step(100);
    let mut executor = SingleThreadedExecutor::new(&scene.context).unwrap();
    executor.add_node(&scene.user);
    while lock(&images).is_empty() || lock(&infos).is_empty() {
        assert!(executor.spin_once(Some(LONG)).unwrap(), "nothing has come");
    }
    let image = &lock(&images)[0];
    assert_eq!(
        (image.width, image.height, image.step, &*image.encoding, image.data.len()),
        (8, 6, 32, "32FC1", 192)
    );
    let depth = f32::from_le_bytes(image.data[4 * (8 * 2 + 4)..][..4].try_into().unwrap());
    assert!((1.0..1.01).contains(&depth), "{depth}");
    assert_eq!(lock(&infos)[0].k[2], 3.5);
}

/// A request that makes another one, as clients without a pause do.
fn again(sender: SyncSender<Request>, started: Instant) -> Request {
    Box::new(move |_| {
        assert!(started.elapsed() < LONG, "the time of the simulation does not go on");
        let _ = sender.clone().try_send(again(sender, started));
    })
}

#[test]
fn requests_without_a_pause_leave_time_for_the_simulation() {
    let folder = tempfile::tempdir().unwrap();
    let context = ContextOptions::default().folder(folder.path()).create().unwrap();
    let node = context.node("simulator").create().unwrap();
    let simulation = Simulation::new(&World::default(), 1).unwrap();
    let mut runner = Runner::new(&node, None, simulation, Digest::new(false), Factor::Max).unwrap();
    runner.end_after(Some(Duration::from_secs(1)));
    let (sender, receiver) = sync_channel(8);
    sender.send(again(sender.clone(), Instant::now())).unwrap();
    runner.run(&receiver);
    assert_eq!(runner.simulation().time(), 1_000_000_000);
}

#[test]
fn robots_with_the_same_topics_are_logged() {
    let folder = tempfile::tempdir().unwrap();
    let context = ContextOptions::default().folder(folder.path()).create().unwrap();
    let user = context.node("user").create().unwrap();
    let (logs, _logs) = listen::<Log>(&user, "/rosout");
    let text = "robots:\n- {name: one, model: waffle.yaml}\n- {name: two, model: waffle.yaml}\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("world.yaml");
    std::fs::write(&path, text).unwrap();
    let world = load_world(path.to_str().unwrap()).unwrap();
    let options =
        Options { factor: Factor::Max, duration: Some(Duration::from_millis(1)), ..Options::default() };
    run(&context, &world, &options).unwrap();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&user);
    let want = "the robots `one` and `two` have the same topics, in the namespace `/`";
    while !lock(&logs).iter().any(|log| log.msg == want) {
        assert!(executor.spin_once(Some(LONG)).unwrap(), "nothing has come");
    }
}

#[test]
fn a_goal_that_no_one_works_on_has_a_result() {
    let folder = tempfile::tempdir().unwrap();
    let context = ContextOptions::default().folder(folder.path()).create().unwrap();
    let node = context.node("simulator").create().unwrap();
    let (sender, receiver) = sync_channel(1);
    let _server = steps::open(&node, &sender).unwrap();
    drop(receiver);
    let client = ActionClient::<SimulateSteps>::on(&node, "simulate_steps").create().unwrap();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    let handle = executor.handle();
    let result = std::thread::scope(|scope| {
        let spinning = scope.spawn(move || executor.spin());
        assert!(client.wait_for_server(LONG));
        let goal = client.send_goal(&SimulateSteps_Goal { steps: 1 }).unwrap().wait(LONG).unwrap();
        let result = goal.result().unwrap().wait(LONG).unwrap();
        handle.cancel();
        spinning.join().unwrap().unwrap();
        result
    });
    assert_eq!(result.status(), GoalStatus::Aborted);
    let result = result.value().unwrap().result;
    assert_eq!(result.error_message, "the simulation has ended, or too many requests wait");
}

/// Returns the digest of a second of the world with twenty robots. The scans of the first one are made on several threads.
fn digest(factor: Factor, threads: usize) -> String {
    let folder = tempfile::tempdir().unwrap();
    let context = ContextOptions::default().folder(folder.path()).create().unwrap();
    let duration = Some(Duration::from_secs(1));
    let options = Options { factor, threads, duration, with_digest: true, ..Options::default() };
    let mut world = load_world("twenty_robots").unwrap();
    for sensor in &mut world.robots[0].model.sensors {
        if let SensorKind::Lidar(lidar) = &mut sensor.kind {
            lidar.samples = 3000;
        }
    }
    let summary = run(&context, &world, &options).unwrap();
    assert_eq!(summary.simulated, Duration::from_secs(1));
    summary.digest.unwrap()
}

#[test]
fn all_messages_are_the_same_at_each_speed_and_on_several_threads() {
    let first = digest(Factor::Max, 1);
    assert_eq!(first.len(), 64);
    assert_eq!(digest(Factor::Times(1.0), 1), first);
    assert_eq!(digest(Factor::Max, 2), first);
}

#[test]
fn worlds_are_files_or_built_in() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let error = |name: &str| load_world(name).unwrap_err().to_string();
    assert_eq!(
        error("nowhere"),
        "there is no file nowhere, and no built-in world of this name; built in: turtlebot3_world, twenty_robots"
    );
    let world = write("hall.yaml", b"obstacles:\n- map: room.yaml\nrobots:\n- model: waffle.yaml\n");
    assert!(error(&world).contains("hall.yaml: line 2, column 8: can't read"), "{}", error(&world));
    let map = b"image: room.pgm\nresolution: 1\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n";
    let map = write("room.yaml", map);
    write("room.pgm", b"P5 2 1 255 \x00\xfe");
    assert_eq!(load_world(&world).unwrap().robots.len(), 1);
    assert_eq!(load_world(&map).unwrap().obstacles.len(), 1);
    let sdf = write("hall.sdf", b"<sdf><world name='hall'/></sdf>");
    assert_eq!(load_world(&sdf).unwrap().name, "hall");
    assert!(error("/dev/zero").contains("not a file"), "{}", error("/dev/zero"));
    assert!(load_model("waffle").is_ok());
    assert!(load_model("turtlebot3_world").is_err());
    // A folder with the name of a robot does not hide the one that is built in.
    std::fs::create_dir(folder.path().join("waffle.yaml")).unwrap();
    assert_eq!(load_world(&world).unwrap().robots.len(), 1);
}
