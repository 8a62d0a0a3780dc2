//! Positions of joints, from defaults and from other nodes.

use std::time::Duration;

use saltus::{Context, Executor, SingleThreadedExecutor, Time, context::ContextOptions};

use super::*;

const HAND: &str = r#"<robot name="hand">
  <link name="palm"/><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
  <joint name="thumb" type="revolute"><parent link="palm"/><child link="a"/>
    <limit lower="0.2" upper="1" effort="1" velocity="1"/>
    <safety_controller soft_lower_limit="0.4" soft_upper_limit="0.7" k_velocity="1"/></joint>
  <joint name="left" type="continuous"><parent link="palm"/><child link="b"/></joint>
  <joint name="right" type="continuous"><parent link="palm"/><child link="c"/><mimic joint="left" multiplier="-1"/></joint>
  <joint name="fixed" type="fixed"><parent link="palm"/><child link="d"/></joint>
</robot>"#;

fn standard() -> Settings {
    let defaults = Defaults { positions: true, ..Defaults::default() };
    Settings { defaults, mimic: true, soft_limits: true, ..Settings::default() }
}

fn joints(settings: &Settings) -> Joints {
    Joints::new(&Description::parse(HAND).unwrap(), settings).unwrap()
}

fn positions(joints: &Joints) -> Vec<f64> {
    joints.message(Time::default()).position
}

#[test]
fn joints_have_defaults_until_someone_tells_them() {
    let mut joints = joints(&standard());
    let message = joints.message(Time::from_nanos(1_500_000_000));
    assert_eq!(message.name, ["thumb", "left", "right"]);
    assert_eq!(message.header.stamp.nanosec, 500_000_000);
    assert!((message.position[0] - 0.55).abs() < 1e-12 && message.position[1..] == [0.0, 0.0], "{message:?}");
    assert!(message.velocity.is_empty() && message.effort.is_empty());
    joints.update(&JointState {
        name: ["left", "right", "tail"].map(Into::into).into(),
        position: vec![0.5, 9.0, 1.0],
        velocity: vec![2.0],
        ..JointState::default()
    });
    let message = joints.message(Time::default());
    // The joint that mimics follows, also if a message has a position for it.
    assert_eq!(message.position[1..], [0.5, -0.5]);
    assert_eq!(message.velocity, [0.0, 2.0, -2.0]);
}

#[test]
fn the_settings_choose_defaults_and_dependences() {
    let hard = joints(&Settings { soft_limits: false, ..standard() });
    assert!((positions(&hard)[0] - 0.6).abs() < 1e-12);
    let zeros = joints(&Settings { zeros: [("left".to_owned(), 1.25)].into(), mimic: false, ..standard() });
    assert_eq!(positions(&zeros)[1..], [1.25, 0.0]);
    let thumb = Dependence { parent: "right".into(), factor: 2.0, offset: 0.25 };
    let chain = Settings { dependent: [("thumb".to_owned(), thumb)].into(), ..standard() };
    let zeros = [("left".to_owned(), 1.0)].into();
    assert_eq!(positions(&joints(&Settings { zeros, ..chain })), [-1.75, 1.0, -1.0]);
    let none = Settings { defaults: Defaults { efforts: true, ..Defaults::default() }, ..standard() };
    let message = joints(&none).message(Time::default());
    assert!(message.position.is_empty() && message.effort == [0.0; 3]);
}

#[test]
fn joints_in_a_loop_are_refused_and_those_that_follow_nothing_are_free() {
    let follow = |parent: &str| Dependence { parent: parent.into(), factor: 1.0, offset: 0.0 };
    let settings = |joints: [(&str, &str); 2]| {
        let dependent = joints.map(|(name, parent)| (name.to_owned(), follow(parent))).into();
        Settings { dependent, mimic: false, ..standard() }
    };
    let robot = Description::parse(HAND).unwrap();
    let error = Joints::new(&robot, &settings([("left", "right"), ("right", "left")])).unwrap_err();
    assert_eq!(error, "joints follow each other in a loop: left follows right, which follows left");
    let error = Joints::new(&robot, &settings([("left", "right"), ("right", "right")])).unwrap_err();
    assert_eq!(error, "joints follow each other in a loop: right follows right");
    let mut free = joints(&settings([("left", "right"), ("right", "fixed")]));
    assert_eq!(free.unresolved, [("right".to_owned(), "fixed".to_owned())]);
    free.update(&JointState { name: vec!["right".into()], position: vec![0.5], ..JointState::default() });
    assert_eq!(positions(&free)[1..], [0.5, 0.5]);
}

#[test]
fn soft_limits_of_joints_without_others_count() {
    let soft = "<safety_controller soft_lower_limit=\"1\" soft_upper_limit=\"4\" k_velocity=\"1\"/></joint>\n  <joint name=\"right\"";
    let robot = Description::parse(&HAND.replace("</joint>\n  <joint name=\"right\"", soft)).unwrap();
    let position = |settings| positions(&Joints::new(&robot, &settings).unwrap())[1];
    // The middle of 1 and pi.
    assert!((position(standard()) - 2.070_796).abs() < 1e-6);
    assert_eq!(position(Settings { soft_limits: false, ..standard() }), 0.0);
}

#[test]
fn the_node_publishes_what_its_sources_tell() {
    let folder = tempfile::tempdir().unwrap();
    let context = ContextOptions::default().folder(folder.path()).create().unwrap();
    let words = [
        "--ros-args",
        "-p",
        "rate:=200",
        "-p",
        "source_list:=[wheels]",
        "-p",
        "zeros.thumb:=1",
        "-p",
        "dependent_joints.right.parent:=left",
        "-p",
        "dependent_joints.right.factor:=3.0",
        "-p",
        "use_mimic_tags:=false",
    ];
    let options = NodeOptions::new(&context).arguments(words).unwrap();
    let component = JointStatePublisher::new(&options).unwrap();
    let message = first(&context, &component, None);
    assert_eq!(message.position, [1.0, 0.0, 0.0]);
    let known = JointState { name: vec!["left".into()], position: vec![0.5], ..JointState::default() };
    let message = first(&context, &component, Some(known));
    assert_eq!(message.position, [1.0, 0.5, 1.5]);
}

/// Publishes the description and what a source tells, and returns the first message of which both are true.
fn first(context: &Context, component: &JointStatePublisher, known: Option<JointState>) -> JointState {
    let node = context.node("other").create().unwrap();
    let text = node
        .publisher::<Text>("robot_description")
        .qos(QoS::keep_last(1).transient_local())
        .create()
        .unwrap();
    text.publish(&Text { data: HAND.into() }).unwrap();
    let wheels = node.publisher::<JointState>("wheels").create().unwrap();
    let want = known.as_ref().map_or(0.0, |known| known.position[0]);
    if let Some(known) = known {
        wheels.publish(&known).unwrap();
    }
    let (send, receive) = std::sync::mpsc::channel();
    let mut executor = SingleThreadedExecutor::new(context).unwrap();
    let handle = executor.handle();
    let _subscription = node.subscription("joint_states").callback(move |message: JointState| {
        if message.position[1] == want {
            let _ = send.send(message);
            handle.cancel();
        }
    });
    executor.add_node(component.node());
    executor.add_node(&node);
    executor.spin().unwrap();
    receive.recv_timeout(Duration::from_secs(10)).unwrap()
}

#[test]
fn wrong_parameters_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let context = ContextOptions::default().folder(folder.path()).create().unwrap();
    let error = |parameter: &str| {
        let options = NodeOptions::new(&context).arguments(["--ros-args", "-p", parameter]).unwrap();
        JointStatePublisher::new(&options).unwrap_err().to_string()
    };
    assert_eq!(
        error("rate:=0.0"),
        "parameter 'rate': 0 is not in the range from 0.001 to 1000 (-p rate:=0.0)"
    );
    assert_eq!(error("rate:=0"), "the parameter `rate` must be 0.001 to 1000 Hz, found 0");
    assert_eq!(error("zeros.thumb:=.nan"), "the parameter `zeros.thumb` must be finite, found NaN");
    assert_eq!(error("zeros.thumb:=high"), "the parameter `zeros.thumb` must be a number");
    assert_eq!(
        error("dependent_joints.left.facter:=2.0"),
        "the parameter `dependent_joints.left.facter` is unknown: its name must end with `.parent`, `.factor` or `.offset`"
    );
    assert_eq!(
        error("dependent_joints.left.factor:=2.0"),
        "the parameter `dependent_joints.left.parent` is missing: it is the joint that `left` follows"
    );
}
