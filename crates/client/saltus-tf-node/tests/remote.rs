//! Transforms are looked up in the buffer of another process: here of another context.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{thread::JoinHandle, time::Duration};

use saltus::{
    Context, Executor, SingleThreadedExecutor, Time,
    action::{ActionClient, ActionError, GoalStatus},
    context::ContextOptions,
    executor::{ExecutorHandle, SpinError},
    msgs::tf2_msgs::{
        action::{LookupTransform, LookupTransform_Goal},
        msg::TF2Error,
    },
    tf::{Buffer, BufferClient, BufferServer, RemoteLookupError, StampedTransform, Transform},
};

const LONG: Duration = Duration::from_secs(20);

struct Scene {
    _folder: tempfile::TempDir,
    buffer: Buffer,
    client: BufferClient,
    user: Context,
    executor: ExecutorHandle,
    spinning: Option<JoinHandle<Result<(), SpinError>>>,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context =
            || ContextOptions::default().folder(folder.path()).handle_signals(false).create().unwrap();
        let (server, user) = (context(), context());
        let node = server.node("server").create().unwrap();
        let buffer = Buffer::default();
        for second in [1, 2, 3] {
            buffer.set(&moved("map", "base", second, 10.0 * second as f64), "test").unwrap();
        }
        buffer.set(&moved("elsewhere", "other", 1, 0.0), "test").unwrap();
        let serving = BufferServer::new(&node, &buffer, "lookup").unwrap();
        let mut executor = SingleThreadedExecutor::new(&server).unwrap();
        executor.add_node(&node);
        let handle = executor.handle();
        let spinning = std::thread::spawn(move || {
            let _serving = serving;
            executor.spin()
        });
        let client = BufferClient::new(&user.node("client").create().unwrap(), "lookup").unwrap();
        assert!(client.wait_for_server(LONG));
        Self { _folder: folder, buffer, client, user, executor: handle, spinning: Some(spinning) }
    }

    fn action(&self) -> ActionClient<LookupTransform> {
        let node = self.user.node("other").create().unwrap();
        let client = ActionClient::on(&node, "lookup").create().unwrap();
        assert!(client.wait_for_server(LONG));
        client
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        self.executor.cancel();
        self.spinning.take().unwrap().join().unwrap().unwrap();
    }
}

/// Returns a lookup from a frame to the map that waits for a long time.
fn goal(source: &str) -> LookupTransform_Goal {
    let mut goal = LookupTransform_Goal {
        target_frame: "map".into(),
        source_frame: source.into(),
        ..LookupTransform_Goal::default()
    };
    goal.timeout.sec = 1000;
    goal
}

fn at(seconds: f64) -> Time {
    Time::from_nanos((seconds * 1e9) as i64)
}

fn moved(parent: &str, child: &str, second: i64, x: f64) -> StampedTransform {
    StampedTransform::new(
        parent,
        child,
        Time::from_nanos(second * 1_000_000_000),
        Transform::from_xyz(x, 0.0, 0.0),
    )
}

#[test]
fn transforms_are_looked_up_at_a_time_and_across_times() {
    let scene = Scene::new();
    let x = |found: StampedTransform| found.transform.translation()[0];
    let found = scene.client.lookup("map", "base", at(1.5), Duration::ZERO).unwrap();
    assert_eq!(
        (&*found.parent, &*found.child, found.stamp, x(found.clone())),
        ("map", "base", at(1.5), 15.0)
    );
    assert_eq!(scene.client.lookup("map", "base", Time::default(), Duration::ZERO).unwrap().stamp, at(3.0));
    let across = scene.client.lookup_across(("base", at(3.0)), ("base", at(1.0)), "map", Duration::ZERO);
    assert_eq!(x(across.unwrap()), -20.0);
}

#[test]
fn errors_have_the_codes_and_texts_of_tf2() {
    let scene = Scene::new();
    let error = |source: &str, seconds: f64, timeout| match scene.client.lookup(
        "map",
        source,
        at(seconds),
        timeout,
    ) {
        Err(RemoteLookupError::NotFound { code, text }) => (code, text),
        other => panic!("{other:?}"),
    };
    for timeout in [Duration::ZERO, Duration::from_millis(20)] {
        let (code, text) = error("base", 4.0, timeout);
        assert_eq!(code, TF2Error::EXTRAPOLATION_ERROR);
        assert!(text.starts_with("Lookup would require extrapolation into the future."), "{text}");
        assert_eq!(error("none", 1.0, timeout).0, TF2Error::LOOKUP_ERROR);
        assert_eq!(error("other", 1.0, timeout).0, TF2Error::CONNECTIVITY_ERROR);
        assert_eq!(error("/base", 1.0, timeout).0, TF2Error::INVALID_ARGUMENT_ERROR);
    }
}

#[test]
fn a_lookup_waits_for_its_transform() {
    let scene = Scene::new();
    let client = scene.action();
    let sent = client.send_goal(&goal("arm")).unwrap().wait(LONG).unwrap();
    let mut across = LookupTransform_Goal { advanced: true, fixed_frame: "map".into(), ..goal("arm") };
    across.target_frame = "base".into();
    across.target_time.sec = 1;
    let across = client.send_goal(&across).unwrap().wait(LONG).unwrap();
    // Another lookup is answered meanwhile: the server does not wait with a thread.
    scene.client.lookup("map", "base", at(2.0), Duration::ZERO).unwrap();
    assert!(sent.result().unwrap().wait(Duration::from_millis(1)).is_err(), "there is no transform yet");
    scene.buffer.set(&moved("base", "arm", 2, 1.0), "test").unwrap();
    let found = |goal: &saltus::action::ClientGoal<LookupTransform>| {
        goal.result().unwrap().wait(LONG).unwrap().value().unwrap().transform.transform.translation.x
    };
    assert_eq!((found(&sent), found(&across)), (21.0, 11.0));
}

#[test]
fn no_deadline_is_missed_while_transforms_arrive() {
    let scene = Scene::new();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let node = scene.user.node("other").create().unwrap();
            let client = BufferClient::new(&node, "lookup").unwrap();
            for index in 0..200 {
                client.lookup("map", &format!("part_{index}"), Time::default(), LONG).unwrap();
            }
        });
        scope.spawn(|| {
            for index in 0..200 {
                scene.buffer.set(&moved("base", &format!("part_{index}"), 2, 1.0), "test").unwrap();
                std::thread::yield_now();
            }
        });
        while !waiting.is_finished() {
            let found = scene.client.lookup("map", "none", Time::default(), Duration::from_millis(1));
            assert!(matches!(found, Err(RemoteLookupError::NotFound { .. })), "{found:?}");
        }
    });
}

#[test]
fn an_invalid_fixed_frame_is_named_and_a_long_name_is_rejected() {
    let scene = Scene::new();
    let across = |fixed: &str| {
        scene.client.lookup_across(("base", at(3.0)), ("base", at(1.0)), fixed, Duration::from_secs(1))
    };
    let text = across("/odom").unwrap_err().to_string();
    assert!(text.contains("fixed_frame"), "{text}");
    assert!(across(&"a".repeat(1024)).unwrap_err().to_string().contains("aaa"));
    let rejected = across(&"a".repeat(1025)).unwrap_err();
    assert!(matches!(rejected, RemoteLookupError::Action(ActionError::Rejected { .. })), "{rejected}");
}

#[test]
fn a_lookup_that_waits_is_cancelled_and_too_many_are_rejected() {
    let scene = Scene::new();
    let (client, goal) = (scene.action(), goal("arm"));
    let sent: Vec<_> = (0..1000).map(|_| client.send_goal(&goal).unwrap().wait(LONG).unwrap()).collect();
    let rejected = client.send_goal(&goal).unwrap().wait(LONG);
    assert!(rejected.is_err_and(|error| error.to_string().contains("rejected")));
    sent[0].cancel(LONG).unwrap();
    assert_eq!(sent[0].result().unwrap().wait(LONG).unwrap().status(), GoalStatus::Canceled);
    client.send_goal(&goal).unwrap().wait(LONG).unwrap();
}
