//! Tasks: one goal at a time.

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
    tasks: Arc<Tasks<Fibonacci>>,
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
        let told = move || sender.send(()).unwrap();
        let tasks = Arc::new(Tasks::open(&node, worker.group(), "count", LONG, told).unwrap());
        let client = ActionClient::on(&user, "count").create().unwrap();
        assert!(client.wait_for_server(LONG));
        Self { _folder: folder, _context: context, worker: Some(worker), tasks, client, arrived, _user: user }
    }

    fn send(&self, order: i32) -> Result<ClientGoal<Fibonacci>, ActionError> {
        self.client.send_goal(&Fibonacci_Goal { order }).unwrap().wait(LONG)
    }
}

fn status(goal: &ClientGoal<Fibonacci>) -> GoalStatus {
    goal.result().unwrap().wait(LONG).unwrap().status()
}

#[test]
fn a_newer_goal_takes_the_place_of_the_one_before() {
    let scene = Scene::new();
    assert!(matches!(scene.send(0), Err(ActionError::Rejected { .. })));
    scene.tasks.activate();
    let first = scene.send(1).unwrap();
    scene.arrived.recv_timeout(LONG).unwrap();
    assert_eq!(scene.tasks.take().unwrap().goal_value().unwrap().order, 1);
    let (second, third) = (scene.send(2).unwrap(), scene.send(3).unwrap());
    assert_eq!(status(&second), GoalStatus::Aborted);
    assert_eq!(scene.tasks.current().unwrap().goal_value().unwrap().order, 1);
    assert_eq!(scene.tasks.take().unwrap().goal_value().unwrap().order, 3);
    assert_eq!(status(&first), GoalStatus::Aborted);
    scene.tasks.end(Ended::Succeeded, Fibonacci_Result { sequence: vec![5] });
    let result = third.result().unwrap().wait(LONG).unwrap();
    assert_eq!((result.status(), result.value().unwrap().sequence), (GoalStatus::Succeeded, vec![5]));
    assert!(scene.tasks.current().is_none() && scene.tasks.take().is_none());
}

#[test]
fn a_goal_is_not_taken_for_another_one() {
    let scene = Scene::new();
    scene.tasks.activate();
    let second = {
        scene.send(1).unwrap();
        scene.arrived.recv_timeout(LONG).unwrap();
        let seen = scene.tasks.pending().unwrap();
        let second = scene.send(2).unwrap();
        scene.arrived.recv_timeout(LONG).unwrap();
        scene.tasks.refuse(&seen);
        assert!(scene.tasks.take_this(&seen).is_none());
        second
    };
    let pending = scene.tasks.pending().unwrap();
    assert_eq!(scene.tasks.take_this(&pending).unwrap().id(), second.id());
    scene.tasks.end(Ended::Succeeded, Fibonacci_Result::default());
    assert_eq!(status(&second), GoalStatus::Succeeded);
}

#[test]
fn goals_are_canceled_before_and_while_they_are_done() {
    let scene = Scene::new();
    scene.tasks.activate();
    let first = scene.send(1).unwrap();
    scene.arrived.recv_timeout(LONG).unwrap();
    assert!(matches!(first.cancel(LONG), Ok(CancelOutcome::Canceling(_))));
    assert!(scene.tasks.is_canceled() && scene.tasks.take().is_none());
    assert_eq!(status(&first), GoalStatus::Canceled);
    scene.arrived.recv_timeout(LONG).unwrap();
    let second = scene.send(2).unwrap();
    scene.arrived.recv_timeout(LONG).unwrap();
    scene.tasks.take().unwrap();
    assert!(!scene.tasks.is_canceled());
    assert!(matches!(second.cancel(LONG), Ok(CancelOutcome::Canceling(_))));
    assert!(scene.tasks.is_canceled());
    scene.arrived.recv_timeout(LONG).unwrap();
    scene.tasks.end(Ended::Canceled, Fibonacci_Result::default());
    assert_eq!(status(&second), GoalStatus::Canceled);
}

#[test]
fn goals_end_with_the_activity_and_with_the_server() {
    let mut scene = Scene::new();
    scene.tasks.activate();
    let first = scene.send(1).unwrap();
    scene.arrived.recv_timeout(LONG).unwrap();
    scene.tasks.take().unwrap();
    scene.tasks.deactivate();
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
