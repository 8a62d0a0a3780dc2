//! Servers that do one goal at a time.

use std::{
    sync::{Arc, OnceLock, mpsc::channel},
    time::Duration,
};

use saltus::{
    ActionClient, Context, Executor, Node, SingleThreadedExecutor,
    action::{ActionError, CancelOutcome, ClientGoal, GoalStatus},
    context::ContextOptions,
    msgs::example_interfaces::action::{Fibonacci, Fibonacci_Goal, Fibonacci_Result},
};

use super::*;

const LONG: Duration = Duration::from_secs(20);

struct Scene {
    _folder: tempfile::TempDir,
    _context: Context,
    worker: Option<Worker>,
    server: Arc<GoalServer<Fibonacci>>,
    client: ActionClient<Fibonacci>,
    arrived: std::sync::mpsc::Receiver<()>,
    _user: Node,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = ContextOptions::default().folder(folder.path()).create().unwrap();
        let node = context.node("server").create().unwrap();
        let user = context.node("user").create().unwrap();
        let worker = Worker::start(&node, "task").unwrap();
        worker.add_node(&node);
        let (sender, arrived) = channel();
        let count = move |_: &Goals<Fibonacci>| sender.send(()).unwrap();
        let server = Arc::new(GoalServer::open(&node, worker.group(), "count", LONG, count).unwrap());
        let client = ActionClient::on(&user, "count").create().unwrap();
        assert!(client.wait_for_server(LONG));
        Self {
            _folder: folder,
            _context: context,
            worker: Some(worker),
            server,
            client,
            arrived,
            _user: user,
        }
    }

    fn send(&self, order: i32) -> Result<ClientGoal<Fibonacci>, ActionError> {
        self.client.send_goal(&Fibonacci_Goal { order }).unwrap().wait(LONG)
    }
}

fn status(goal: &ClientGoal<Fibonacci>) -> GoalStatus {
    goal.result().unwrap().wait(LONG).unwrap().status()
}

#[test]
fn a_newer_goal_replaces_the_one_before() {
    let scene = Scene::new();
    assert!(matches!(scene.send(0), Err(ActionError::Rejected { .. })));
    scene.server.activate();
    let first = scene.send(1).unwrap();
    scene.arrived.recv_timeout(LONG).unwrap();
    assert_eq!(scene.server.goals().take().unwrap().goal_value().unwrap().order, 1);
    let (second, third) = (scene.send(2).unwrap(), scene.send(3).unwrap());
    assert_eq!(status(&second), GoalStatus::Aborted);
    assert_eq!(scene.server.goals().current().unwrap().goal_value().unwrap().order, 1);
    assert_eq!(scene.server.goals().take().unwrap().goal_value().unwrap().order, 3);
    assert_eq!(status(&first), GoalStatus::Aborted);
    scene.server.goals().end(GoalOutcome::Succeeded, Fibonacci_Result { sequence: vec![5] });
    let result = third.result().unwrap().wait(LONG).unwrap();
    assert_eq!((result.status(), result.value().unwrap().sequence), (GoalStatus::Succeeded, vec![5]));
    assert!(scene.server.goals().current().is_none() && scene.server.goals().take().is_none());
}

#[test]
fn a_goal_is_not_taken_for_another_one() {
    let scene = Scene::new();
    scene.server.activate();
    let second = {
        scene.send(1).unwrap();
        scene.arrived.recv_timeout(LONG).unwrap();
        let seen = scene.server.goals().pending().unwrap();
        let second = scene.send(2).unwrap();
        scene.arrived.recv_timeout(LONG).unwrap();
        scene.server.goals().refuse(&seen);
        assert!(scene.server.goals().take_this(&seen).is_none());
        second
    };
    let pending = scene.server.goals().pending().unwrap();
    assert_eq!(scene.server.goals().take_this(&pending).unwrap().id(), second.id());
    scene.server.goals().end(GoalOutcome::Succeeded, Fibonacci_Result::default());
    assert_eq!(status(&second), GoalStatus::Succeeded);
}

#[test]
fn goals_are_canceled_before_and_while_they_are_done() {
    let scene = Scene::new();
    scene.server.activate();
    let first = scene.send(1).unwrap();
    scene.arrived.recv_timeout(LONG).unwrap();
    assert!(matches!(first.cancel(LONG), Ok(CancelOutcome::Canceling(_))));
    assert!(scene.server.goals().is_canceled() && scene.server.goals().take().is_none());
    assert_eq!(status(&first), GoalStatus::Canceled);
    scene.arrived.recv_timeout(LONG).unwrap();
    let second = scene.send(2).unwrap();
    scene.arrived.recv_timeout(LONG).unwrap();
    scene.server.goals().take().unwrap();
    assert!(!scene.server.goals().is_canceled());
    assert!(matches!(second.cancel(LONG), Ok(CancelOutcome::Canceling(_))));
    assert!(scene.server.goals().is_canceled());
    scene.arrived.recv_timeout(LONG).unwrap();
    scene.server.goals().end(GoalOutcome::Canceled, Fibonacci_Result::default());
    assert_eq!(status(&second), GoalStatus::Canceled);
}

#[test]
fn goals_end_with_the_activity_and_with_the_server() {
    let mut scene = Scene::new();
    scene.server.activate();
    let first = scene.send(1).unwrap();
    scene.arrived.recv_timeout(LONG).unwrap();
    scene.server.goals().take().unwrap();
    scene.server.deactivate();
    assert_eq!(status(&first), GoalStatus::Aborted);
    assert!(matches!(scene.send(2), Err(ActionError::Rejected { .. })));
    scene.worker = None;
}

#[test]
fn a_worker_may_be_dropped_by_its_own_callback() {
    let folder = tempfile::tempdir().unwrap();
    let context = ContextOptions::default().folder(folder.path()).create().unwrap();
    let node = context.node("server").create().unwrap();
    let worker = Worker::start(&node, "own").unwrap();
    let group = worker.group().clone();
    let own = Arc::new(std::sync::Mutex::new(Some(worker)));
    let (sender, ended) = channel();
    let timer = Arc::new(OnceLock::new());
    let dropping = move || {
        drop(own.lock().unwrap().take());
        sender.send(()).unwrap();
    };
    let built = node.wall_timer(Duration::from_millis(1)).callback_group(&group).callback(dropping).unwrap();
    timer.set(built).unwrap();
    ended.recv_timeout(LONG).unwrap();
    // The node still works.
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    executor.spin_some().unwrap();
}
