//! Transforms are sent on topics and received into buffers.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use saltus::{
    Context, Executor, Node, SingleThreadedExecutor, Time,
    context::{ContextOptions, RosArgs},
    msgs::{geometry_msgs::msg::TransformStamped, rosgraph_msgs::msg::Clock, tf2_msgs::msg::TFMessage},
    tf::{
        Buffer, LookupError, StampedTransform, StaticTransformBroadcaster, Transform, TransformBroadcaster,
        TransformListener, WaitError, to_message, wait_for_transform,
    },
};

const LONG: Duration = Duration::from_secs(20);

fn context() -> (tempfile::TempDir, Context) {
    let folder = tempfile::tempdir_in("/dev/shm").unwrap();
    let options = ContextOptions::default().domain(0).folder(folder.path()).handle_signals(false);
    let context = options.create().unwrap();
    (folder, context)
}

fn at(nanos: i64) -> Time {
    Time::from_nanos(nanos)
}

fn moved(parent: &str, child: &str, nanos: i64, x: f64) -> StampedTransform {
    StampedTransform::new(parent, child, at(nanos), Transform::from_xyz(x, 0.0, 0.0))
}

/// Spins a node until a transform is there.
fn spin_until(node: &Node, buffer: &Buffer, target: &str, source: &str, time: Time) -> StampedTransform {
    let mut executor = SingleThreadedExecutor::new(node.context()).unwrap();
    executor.add_node(node);
    let future = buffer.wait(target, source, time);
    executor.spin_until_future_complete(future, Some(LONG)).unwrap().unwrap().unwrap()
}

#[test]
fn a_listener_receives_what_broadcasters_send_and_knows_who_they_are() {
    let (_folder, context) = context();
    let sender = context.node("odometry").namespace("robot").create().unwrap();
    let statics = StaticTransformBroadcaster::new(&sender).unwrap();
    // Both were sent before the listener came, in two messages.
    statics.send(&[moved("base", "laser", 0, 0.5)]).unwrap();
    statics.send(&[moved("base", "camera", 0, 0.25)]).unwrap();
    let receiver = context.node("planner").create().unwrap();
    let buffer = Buffer::default();
    let _listener = TransformListener::new(&receiver, &buffer).unwrap();
    let broadcaster = TransformBroadcaster::new(&sender).unwrap();
    assert_eq!(spin_until(&receiver, &buffer, "laser", "camera", at(0)).transform.translation()[0], -0.25);
    for nanos in [1000, 2000] {
        broadcaster.send(&[moved("odom", "base", nanos, nanos as f64)]).unwrap();
    }
    assert_eq!(spin_until(&receiver, &buffer, "odom", "laser", at(1500)).transform.translation()[0], 1500.5);
    assert!(
        buffer.frames().iter().all(|info| &*info.authority == "/robot/odometry"),
        "{:?}",
        buffer.frames()
    );
}

#[test]
fn a_thread_of_its_own_receives_while_the_caller_waits() {
    let (_folder, context) = context();
    let (sender, receiver) = (context.node("a").create().unwrap(), context.node("b").create().unwrap());
    let buffer = Buffer::default();
    let listener = TransformListener::with_thread(&receiver, &buffer).unwrap();
    let broadcaster = TransformBroadcaster::new(&sender).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| wait_for_transform(&buffer, "map", "base", at(1500), LONG));
        broadcaster.send(&[moved("map", "base", 1000, 1.0), moved("map", "base", 2000, 2.0)]).unwrap();
        assert_eq!(waiting.join().unwrap().unwrap().transform.translation()[0], 1.5);
    });
    let late = wait_for_transform(&buffer, "map", "base", at(3000), Duration::from_millis(1));
    assert!(matches!(&late, Err(WaitError::Timeout(LookupError::Extrapolation { .. }, _))), "{late:?}");
    let text = late.unwrap_err().to_string();
    assert!(
        text.contains("extrapolation into the future") && text.ends_with("Canceled after 0.001 s"),
        "{text}"
    );
    drop(listener);
    assert!(broadcaster.send(&[moved("map", "base", 4000, 4.0)]).is_ok());
}

#[test]
fn a_listener_with_a_thread_follows_the_remapping_of_its_node() {
    let folder = tempfile::tempdir_in("/dev/shm").unwrap();
    let options = || ContextOptions::default().domain(0).folder(folder.path()).handle_signals(false);
    let args = RosArgs::parse(["p", "--ros-args", "-r", "/tf:=/robot/tf"].map(String::from)).unwrap();
    let (sending, receiving) = (options().create().unwrap(), options().args(args).create().unwrap());
    let publisher = sending.node("a").create().unwrap().publisher::<TFMessage>("/robot/tf").create().unwrap();
    let node = receiving.node("b").create().unwrap();
    let buffer = Buffer::default();
    let _listener = TransformListener::with_thread(&node, &buffer).unwrap();
    assert!(publisher.wait_for_subscriptions(1, LONG));
    publisher.publish(&TFMessage { transforms: vec![to_message(&moved("map", "base", 1, 3.0))] }).unwrap();
    let found = wait_for_transform(&buffer, "map", "base", Time::default(), Duration::MAX).unwrap();
    assert_eq!(found.transform.translation()[0], 3.0);
}

#[test]
fn a_jump_of_simulated_time_clears_the_buffer() {
    let (_folder, context) = context();
    let (sender, receiver) = (context.node("a").create().unwrap(), context.node("b").create().unwrap());
    let simulator = sender.publisher::<Clock>("/clock").create().unwrap();
    receiver.use_sim_time(true).unwrap();
    assert!(simulator.wait_for_subscriptions(1, LONG));
    let clock = |sec| Clock { clock: saltus::msgs::builtin_interfaces::msg::Time { sec, nanosec: 0 } };
    let (buffer, broadcaster) = (Buffer::default(), TransformBroadcaster::new(&sender).unwrap());
    let _listener = TransformListener::new(&receiver, &buffer).unwrap();
    let statics = StaticTransformBroadcaster::new(&sender).unwrap();
    statics.send(&[moved("base", "laser", 0, 0.5)]).unwrap();
    simulator.publish(&clock(10)).unwrap();
    broadcaster.send(&[moved("odom", "base", 10_000_000_000, 1.0)]).unwrap();
    spin_until(&receiver, &buffer, "odom", "laser", at(0));
    simulator.publish(&clock(5)).unwrap();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&receiver);
    let end = Instant::now() + LONG;
    while buffer.parent("base").is_some() && Instant::now() < end {
        executor.spin_once(Some(LONG)).unwrap();
    }
    assert_eq!((buffer.parent("base"), buffer.parent("laser").as_deref()), (None, Some("base")));
    broadcaster.send(&[moved("odom", "base", 5_000_000_000, 2.0)]).unwrap();
    let found = spin_until(&receiver, &buffer, "odom", "laser", at(5_000_000_000));
    assert_eq!(found.transform.translation()[0], 2.5);
}

#[test]
fn wrong_transforms_are_left_out_and_the_others_are_received() {
    let (_folder, context) = context();
    let (sender, receiver) = (context.node("a").create().unwrap(), context.node("b").create().unwrap());
    let buffer = Buffer::default();
    let _listener = TransformListener::new(&receiver, &buffer).unwrap();
    let publisher = sender.publisher::<TFMessage>("/tf").create().unwrap();
    let not_a_number = {
        let mut message = to_message(&moved("map", "wrong", 1, 1.0));
        message.transform.translation.y = f64::NAN;
        message
    };
    let transforms: Vec<TransformStamped> = vec![
        not_a_number,
        TransformStamped::default(),
        to_message(&moved("map", "map", 1, 1.0)),
        to_message(&moved("map", "base", 1, 7.0)),
        to_message(&moved("base", "map", 1, 1.0)),
    ];
    publisher.publish(&TFMessage { transforms }).unwrap();
    assert_eq!(spin_until(&receiver, &buffer, "map", "base", at(1)).transform.translation()[0], 7.0);
    assert_eq!(buffer.frames().len(), 1);
}
