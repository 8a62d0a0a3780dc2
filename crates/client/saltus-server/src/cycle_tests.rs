//! Servers whose goals are done in cycles.

use std::{
    sync::mpsc::{Receiver, Sender, channel},
    time::Duration,
};

use saltus::{
    ActionClient, Context, Node,
    action::{ClientGoal, GoalStatus},
    component::ComponentError,
    context::ContextOptions,
    lifecycle::{CallbackReturn, LifecycleNode},
    msgs::example_interfaces::action::{Fibonacci, Fibonacci_Goal, Fibonacci_Result},
};

use super::*;

const LONG: Duration = Duration::from_secs(20);

/// Counts up to the order of a goal, one number per cycle.
struct Counter {
    limit: Option<i32>,
    count: i32,
    stopped: Sender<i32>,
}

impl CyclicWork for Counter {
    type Action = Fibonacci;

    fn cycle(&mut self, cycle: &Cycle<'_, Fibonacci>) -> bool {
        if self.limit.is_none() {
            let Some(goal) = cycle.goals.take() else { return false };
            (self.limit, self.count) = (Some(goal.goal_value().unwrap().order), 0);
        }
        if cycle.goals.is_canceled() {
            self.limit = None;
            cycle.goals.end(GoalOutcome::Canceled, Fibonacci_Result::default());
            return false;
        }
        self.count += 1;
        if self.limit.is_some_and(|limit| self.count < limit) {
            return true;
        }
        self.limit = None;
        cycle.goals.end(GoalOutcome::Succeeded, Fibonacci_Result { sequence: vec![self.count] });
        false
    }

    fn stop(&mut self, _node: &LifecycleNode) {
        self.limit = None;
        self.stopped.send(self.count).unwrap();
    }
}

struct Configured {
    server: CycleServer<Counter>,
    _worker: Worker,
}

impl Managed for Configured {
    type Owner = Sender<i32>;

    fn configure(node: &LifecycleNode, stopped: &Self::Owner) -> Result<Self, ComponentError> {
        let worker = Worker::managed(node, "count")?;
        let counter = Counter { limit: None, count: 0, stopped: stopped.clone() };
        let timer = node.wall_timer(Duration::from_millis(1));
        let server = CycleServer::open(node, worker.group(), "count", LONG, timer, counter)?;
        Ok(Self { server, _worker: worker })
    }

    fn activate(&mut self, _node: &LifecycleNode, _stopped: &Self::Owner) -> Result<bool, ComponentError> {
        Ok(self.server.activate())
    }

    fn deactivate(&mut self, node: &LifecycleNode, _stopped: &Self::Owner) {
        self.server.deactivate(node);
    }
}

struct Scene {
    node: ManagedNode,
    client: ActionClient<Fibonacci>,
    stopped: Receiver<i32>,
    _worker: Worker,
    _user: Node,
    _context: Context,
    _folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = ContextOptions::default().folder(folder.path()).create().unwrap();
        let (sender, stopped) = channel();
        let user = context.node("user").create().unwrap();
        let node = manage::<Configured>(&context.node("counter").create().unwrap(), sender).unwrap();
        // It accepts the goals, while the worker of the server does the cycles.
        let worker = Worker::start(&node, "accept").unwrap();
        worker.add_node(&node);
        assert_eq!(node.configure(), Ok(CallbackReturn::Success));
        assert_eq!(node.activate(), Ok(CallbackReturn::Success));
        let client = ActionClient::on(&user, "count").create().unwrap();
        assert!(client.wait_for_server(LONG));
        Self { node, client, stopped, _worker: worker, _user: user, _context: context, _folder: folder }
    }

    fn send(&self, order: i32) -> ClientGoal<Fibonacci> {
        self.client.send_goal(&Fibonacci_Goal { order }).unwrap().wait(LONG).unwrap()
    }
}

fn end(goal: &ClientGoal<Fibonacci>) -> (GoalStatus, Vec<i32>) {
    let result = goal.result().unwrap().wait(LONG).unwrap();
    (result.status(), result.value().unwrap().sequence)
}

#[test]
fn a_goal_is_done_in_cycles() {
    let scene = Scene::new();
    for order in [1, 5, 2] {
        assert_eq!(end(&scene.send(order)), (GoalStatus::Succeeded, vec![order]));
    }
}

#[test]
fn a_goal_ends_when_its_client_cancels_it() {
    let scene = Scene::new();
    let goal = scene.send(i32::MAX);
    goal.cancel(LONG).unwrap();
    assert_eq!(end(&goal).0, GoalStatus::Canceled);
    assert_eq!(end(&scene.send(3)), (GoalStatus::Succeeded, vec![3]));
}

#[test]
fn a_deactivation_stops_the_work() {
    let scene = Scene::new();
    let goal = scene.send(i32::MAX);
    assert_eq!(scene.node.deactivate(), Ok(CallbackReturn::Success));
    scene.stopped.recv_timeout(LONG).unwrap();
    assert_eq!(end(&goal).0, GoalStatus::Aborted);
    assert_eq!(scene.node.activate(), Ok(CallbackReturn::Success));
    assert_eq!(end(&scene.send(2)), (GoalStatus::Succeeded, vec![2]));
}
