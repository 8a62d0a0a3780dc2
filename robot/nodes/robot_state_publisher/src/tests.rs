//! Transforms of joints, without and with a graph.

use std::time::Duration;

use saltus::{
    Context, Executor, SingleThreadedExecutor, Time,
    component::{Component, NodeOptions},
    context::ContextOptions,
    msgs::{builtin_interfaces, sensor_msgs::msg::JointState, std_msgs::msg::Header},
    param::ParameterValue,
};
use saltus_description::Description;

use super::*;

const ARM: &str = r#"<robot name="arm">
  <link name="base"/><link name="plate"/><link name="upper"/><link name="lower"/>
  <joint name="fix" type="fixed"><parent link="base"/><child link="plate"/><origin xyz="0 0 1"/></joint>
  <joint name="shoulder" type="continuous"><parent link="plate"/><child link="upper"/><axis xyz="0 0 1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
    <mimic joint="shoulder" multiplier="-2" offset="0.5"/></joint>
</robot>"#;

fn model() -> Model {
    let settings = Settings {
        interval: Duration::from_millis(50),
        ignore_timestamp: false,
        frame_prefix: "one/".into(),
    };
    Model::new(Description::parse(ARM).unwrap(), settings)
}

fn joints(millis: i32, positions: &[(&str, f64)]) -> JointState {
    let stamp =
        builtin_interfaces::msg::Time { sec: millis / 1000, nanosec: millis as u32 % 1000 * 1_000_000 };
    JointState {
        header: Header { stamp, ..Header::default() },
        name: positions.iter().map(|(name, _)| (*name).to_owned()).collect(),
        position: positions.iter().map(|(_, position)| *position).collect(),
        ..JointState::default()
    }
}

fn millis(millis: i64) -> Time {
    Time::from_nanos(millis * 1_000_000)
}

#[test]
fn fixed_joints_are_static_and_the_others_move() {
    let mut model = model();
    let fixed = model.fixed(millis(3));
    assert_eq!(fixed.len(), 1);
    assert_eq!((&*fixed[0].parent, &*fixed[0].child), ("one/base", "one/plate"));
    assert_eq!(fixed[0].transform.translation(), [0.0, 0.0, 1.0]);
    let moved = model.update(&joints(100, &[("shoulder", 0.25)]), millis(100)).unwrap().transforms;
    let names: Vec<_> = moved.iter().map(|stamped| (&*stamped.parent, &*stamped.child)).collect();
    assert_eq!(names, [("one/plate", "one/upper"), ("one/upper", "one/lower")]);
    let yaws: Vec<f64> = moved.iter().map(|stamped| stamped.transform.rpy()[2]).collect();
    assert!((yaws[0] - 0.25).abs() < 1e-12 && yaws[1].abs() < 1e-12, "{yaws:?}");
    assert!(moved.iter().all(|stamped| stamped.stamp == millis(100)));
}

#[test]
fn transforms_are_sent_at_most_at_the_frequency() {
    let mut model = model();
    let mut sent = |stamp, now| {
        model.update(&joints(stamp, &[("shoulder", 0.0)]), millis(now)).unwrap().transforms.len()
    };
    assert_eq!(sent(100, 100), 2);
    assert_eq!(sent(149, 149), 0);
    assert_eq!(sent(150, 150), 2);
    assert_eq!(sent(199, 199), 0);
    assert_eq!(sent(200, 200), 2);
    // Time has gone back.
    assert_eq!(sent(10, 10), 2);
    assert_eq!(sent(20, 20), 0);
    model.settings.ignore_timestamp = true;
    assert_eq!(model.update(&joints(21, &[("shoulder", 0.0)]), millis(21)).unwrap().transforms.len(), 2);
}

#[test]
fn joints_that_are_not_known_send_nothing() {
    let mut model = model();
    assert_eq!(model.update(&joints(0, &[("wheel", 1.0)]), millis(0)), Ok(Update::default()));
    assert_eq!(model.update(&joints(0, &[]), millis(0)), Ok(Update::default()));
    assert_eq!(model.update(&joints(0, &[("fix", 1.0)]), millis(0)), Ok(Update::default()));
}

#[test]
fn positions_that_are_wrong_are_logged() {
    let mut model = model();
    let short = JointState { position: Vec::new(), ..joints(0, &[("shoulder", 0.0)]) };
    let error = model.update(&short, millis(0)).unwrap_err();
    assert_eq!(error, "a message of joint states has 1 names, but 0 positions");
    // Only the joints without a position are left out.
    let update = model.update(&joints(0, &[("shoulder", f64::NAN), ("elbow", 0.5)]), millis(0)).unwrap();
    assert_eq!(update.warning.as_deref(), Some("the position of the joint `shoulder` is NaN"));
    let names: Vec<_> = update.transforms.iter().map(|stamped| &*stamped.child).collect();
    assert_eq!(names, ["one/lower"]);
    let update = model.update(&joints(50, &[("shoulder", f64::INFINITY), ("wheel", f64::NAN)]), millis(50));
    let warning = Some("the position of the joint `shoulder` is inf".to_owned());
    assert_eq!(update, Ok(Update { transforms: Vec::new(), warning }));
}

/// A process with the node, and a node that listens to it.
struct Scene {
    _folder: tempfile::TempDir,
    context: Context,
    listener: Node,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = ContextOptions::default().folder(folder.path()).create().unwrap();
        let listener = context.node("listener").create().unwrap();
        Self { _folder: folder, context, listener }
    }

    fn publisher(&self, description: &str) -> Result<RobotStatePublisher, ComponentError> {
        let text = ParameterValue::String(description.into());
        RobotStatePublisher::new(&NodeOptions::new(&self.context).parameter_override(DESCRIPTION, text))
    }

    /// Runs the callbacks of both nodes until the transform is there, and returns its translation.
    fn wait(&self, robot: &RobotStatePublisher, buffer: &saltus::tf::Buffer, child: &str) -> [f64; 3] {
        let mut executor = SingleThreadedExecutor::new(&self.context).unwrap();
        executor.add_node(&self.listener);
        executor.add_node(robot.node());
        let found = buffer.wait("base", child, Time::default());
        let found = executor.spin_until_future_complete(found, Some(Duration::from_secs(10))).unwrap();
        found.expect("no transform in 10 s").unwrap().transform.translation()
    }
}

#[test]
fn the_description_and_the_transforms_arrive_late_too() {
    let scene = Scene::new();
    let robot = scene.publisher(ARM).unwrap();
    let buffer = saltus::tf::Buffer::default();
    let _transforms = saltus::tf::TransformListener::new(&scene.listener, &buffer).unwrap();
    let texts = scene
        .listener
        .subscription::<Text>(DESCRIPTION)
        .qos(QoS::keep_last(1).transient_local())
        .create()
        .unwrap();
    assert_eq!(scene.wait(&robot, &buffer, "plate"), [0.0, 0.0, 1.0]);
    let (text, _) = texts.take().unwrap().unwrap();
    assert_eq!(text.data, ARM);
    let states = scene.listener.publisher::<JointState>("joint_states").create().unwrap();
    states.publish(&joints(100, &[("shoulder", 0.0)])).unwrap();
    assert_eq!(scene.wait(&robot, &buffer, "lower"), [1.0, 0.0, 1.0]);
    // A new description takes effect at once, and a wrong one is refused.
    let error = robot.node().set_parameter(DESCRIPTION, String::from("<robot/>")).unwrap_err();
    assert!(error.to_string().contains("needs the attribute `name`"), "{error}");
    robot.node().set_parameter(DESCRIPTION, ARM.replace("0 0 1\"/></joint>", "0 0 2\"/></joint>")).unwrap();
    let later = saltus::tf::Buffer::default();
    let _transforms = saltus::tf::TransformListener::new(&scene.listener, &later).unwrap();
    assert_eq!(scene.wait(&robot, &later, "plate"), [0.0, 0.0, 2.0]);
}

#[test]
fn a_missing_or_wrong_description_is_an_error() {
    let scene = Scene::new();
    let error = scene.publisher("").unwrap_err().to_string();
    assert_eq!(error, "the parameter `robot_description` must not be empty: it is the URDF of the robot");
    let error = scene.publisher("<robot name=\"r\"/>").unwrap_err().to_string();
    assert_eq!(error, "the robot has no links");
}
