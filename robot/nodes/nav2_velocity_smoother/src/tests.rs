//! Velocities go in, and come out as a robot can have them.

use std::{
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use saltus::{
    Context, Executor, Node, Publisher, QoS, SingleThreadedExecutor, Subscription,
    component::{Component, NodeOptions},
    context::ContextOptions,
    lifecycle::CallbackReturn,
    msgs::{
        geometry_msgs::msg::{Twist, TwistStamped},
        nav_msgs::msg::Odometry,
        std_msgs::msg::Header,
    },
    param::{Parameter, ParameterValue},
};

use super::*;

const LONG: Duration = Duration::from_secs(20);

struct Scene {
    _folder: tempfile::TempDir,
    _context: Context,
    user: Node,
    smoother: VelocitySmoother,
    executor: SingleThreadedExecutor,
}

impl Scene {
    /// Returns a node with these parameters, which is not configured yet.
    fn new(parameters: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = ContextOptions::default().folder(folder.path()).create().unwrap();
        let user = context.node("user").create().unwrap();
        let parameters = parameters.iter().flat_map(|parameter| ["-p", parameter]);
        let words: Vec<&str> = ["--ros-args"].into_iter().chain(parameters).collect();
        let options = NodeOptions::new(&context).arguments(words).unwrap();
        let smoother = VelocitySmoother::new(&options).unwrap();
        let executor = SingleThreadedExecutor::new(&context).unwrap();
        executor.add_node(&user);
        executor.add_node(smoother.node());
        Self { _folder: folder, _context: context, user, smoother, executor }
    }

    fn activate(&self) {
        assert_eq!(self.smoother.lifecycle().configure(), Ok(CallbackReturn::Success));
        assert_eq!(self.smoother.lifecycle().activate(), Ok(CallbackReturn::Success));
    }

    fn publisher<M: saltus::cdr::Message>(&self, topic: &str) -> Publisher<M> {
        self.user.publisher(topic).qos(QoS::keep_last(1)).create().unwrap()
    }

    fn received(&self) -> (Subscription<Twist>, Receiver<Twist>) {
        let (sender, received) = channel();
        let tell = move |twist: Twist| {
            let _ = sender.send(twist);
        };
        (self.user.subscription("cmd_vel_smoothed").callback(tell).unwrap(), received)
    }

    /// Spins until something was received.
    fn next<T>(&mut self, received: &Receiver<T>) -> T {
        loop {
            if let Ok(value) = received.try_recv() {
                return value;
            }
            self.executor.spin_once(Some(LONG)).unwrap();
        }
    }
}

fn twist(x: f64, theta: f64) -> Twist {
    let mut twist = Twist::default();
    (twist.linear.x, twist.angular.z) = (x, theta);
    twist
}

#[test]
fn a_velocity_rises_and_falls_as_fast_as_the_robot_can() {
    let mut scene = Scene::new(&["velocity_timeout:=2.0"]);
    let (_subscription, received) = scene.received();
    let publisher = scene.publisher("cmd_vel");
    scene.activate();
    publisher.publish(&twist(f64::NAN, 0.0)).unwrap();
    publisher.publish(&twist(0.4, 0.32)).unwrap();
    // 2.5 m/s² and 3.2 rad/s² at 20 Hz.
    let all: Vec<(f64, f64)> = (0..4)
        .map(|_| scene.next(&received))
        .map(|twist| ((twist.linear.x * 1e6).round() / 1e6, (twist.angular.z * 1e6).round() / 1e6))
        .collect();
    assert_eq!(all, [(0.125, 0.16), (0.25, 0.32), (0.375, 0.32), (0.4, 0.32)]);
    // Without another command it stops, and says no more.
    let mut last = all[3].0;
    while last > 0.0 {
        let next = scene.next(&received).linear.x;
        assert!(next <= last + 1e-9 && last - next <= 0.125 + 1e-9);
        last = next;
    }
    scene.smoother.lifecycle().deactivate().unwrap();
    publisher.publish(&twist(0.4, 0.0)).unwrap();
    scene.smoother.lifecycle().activate().unwrap();
}

#[test]
fn a_robot_that_moves_is_stopped_when_the_node_is_deactivated() {
    let mut scene = Scene::new(&[]);
    let (_subscription, received) = scene.received();
    let publisher = scene.publisher("cmd_vel");
    scene.activate();
    publisher.publish(&twist(0.4, 0.0)).unwrap();
    assert!(scene.next(&received).linear.x > 0.0);
    scene.smoother.lifecycle().deactivate().unwrap();
    while scene.next(&received).linear.x != 0.0 {}
    // It stands after the next activation, too, until there is another command.
    scene.smoother.lifecycle().activate().unwrap();
    publisher.publish(&twist(0.01, 0.0)).unwrap();
    assert_eq!(scene.next(&received).linear.x, 0.01);
}

#[test]
fn the_velocity_of_the_robot_counts_with_feedback() {
    let mut scene = Scene::new(&["feedback:=CLOSED_LOOP", "enable_stamped_cmd_vel:=true"]);
    let (sender, received) = channel();
    let tell = move |twist: TwistStamped| drop(sender.send(twist));
    let _subscription = scene.user.subscription("cmd_vel_smoothed").callback(tell).unwrap();
    let (odometry, commands) = (scene.publisher("odom"), scene.publisher("cmd_vel"));
    scene.activate();
    let mut odometer = Odometry::default();
    odometer.twist.twist = twist(0.3, 0.0);
    odometry.publish(&odometer).unwrap();
    let header = Header { frame_id: "base".into(), ..Header::default() };
    let command = TwistStamped { header, twist: twist(0.5, 0.0) };
    commands.publish(&command).unwrap();
    let first = loop {
        // The odometry may come after the first command.
        let next = scene.next(&received);
        if next.twist.linear.x > 0.2 {
            break next;
        }
        commands.publish(&command).unwrap();
    };
    // As long as the robot is not faster, its command stays the same.
    let second = scene.next(&received);
    assert!((first.twist.linear.x - 0.425).abs() < 1e-9, "{first:?}");
    assert_eq!((second.twist.linear.x, &*second.header.frame_id), (first.twist.linear.x, "base"));
}

#[test]
fn limits_that_are_wrong_are_refused() {
    for wrong in [
        "max_decel:=[1.0, 0.0, 0.0]",
        "max_velocity:=[1.0]",
        "feedback:=SOME_LOOP",
        "max_accel:=[.nan, 0.0, 0.0]",
    ] {
        let scene = Scene::new(&[wrong]);
        let configured = scene.smoother.lifecycle().configure();
        assert_ne!(configured, Ok(CallbackReturn::Success), "{wrong}");
    }
}

#[test]
fn limits_change_while_the_node_runs() {
    let mut scene = Scene::new(&[]);
    let (_subscription, received) = scene.received();
    let publisher = scene.publisher("cmd_vel");
    scene.activate();
    let set = |name: &str, values: Vec<f64>| {
        let parameter = Parameter { name: name.into(), value: ParameterValue::DoubleArray(values) };
        scene.smoother.node().set_parameters(vec![parameter]).remove(0)
    };
    assert!(set("max_velocity", vec![0.1, 0.0]).is_err());
    assert!(set("max_velocity", vec![-0.1, 0.0, 1.0]).is_err());
    set("max_velocity", vec![0.1, 0.0, 1.0]).unwrap();
    publisher.publish(&twist(0.4, 0.0)).unwrap();
    assert_eq!(scene.next(&received).linear.x, 0.1);
}
