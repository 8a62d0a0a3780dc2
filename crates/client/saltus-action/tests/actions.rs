//! Action servers with action clients: goals are accepted, executed, canceled and ended.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

use saltus_action::{
    ActionClient, ActionError, ActionNames, ActionServer, CancelOutcome, CancelResponse, GoalError,
    GoalHandle, GoalId, GoalOptions, GoalResponse, GoalStatus,
};
use saltus_executor::{Executor, SingleThreadedExecutor};
use saltus_msgs::{
    action_msgs::msg::{GoalStatus as StatusMessage, GoalStatusArray},
    example_interfaces::action::{Fibonacci, Fibonacci_Feedback, Fibonacci_Goal, Fibonacci_Result},
    saltus_bench_msgs::action::{Transfer, Transfer_Goal, Transfer_Result},
};
use saltus_node::{CallError, Context, ContextOptions, Node};
use saltus_types::QoS;

const LONG: Duration = Duration::from_secs(20);

/// A node that a separate thread spins until this is dropped.
struct Spun {
    node: Node,
    thread: Option<thread::JoinHandle<()>>,
}

impl Spun {
    fn new(node: Node) -> Self {
        let spun = node.clone();
        let spin = move || SingleThreadedExecutor::new(spun.context()).unwrap().spin_node(&spun).unwrap();
        Self { node, thread: Some(thread::spawn(spin)) }
    }
}

impl Spun {
    /// Spins a node with callbacks that panic, as a program that goes on after a panic does.
    fn panicking(node: Node) -> Self {
        let spun = node.clone();
        let spin = move || {
            let mut executor = SingleThreadedExecutor::new(spun.context()).unwrap();
            let mut spin = || catch_unwind(AssertUnwindSafe(|| executor.spin_node(&spun).unwrap()));
            while spin().is_err() {}
        };
        Self { node, thread: Some(thread::spawn(spin)) }
    }
}

impl Drop for Spun {
    fn drop(&mut self) {
        self.node.context().shut_down();
        self.thread.take().unwrap().join().unwrap();
    }
}

/// A domain in its own folder, with a spun node for the server and a node for the client.
struct Scene {
    server: Spun,
    client: Node,
    folder: tempfile::TempDir,
}

fn context(folder: &tempfile::TempDir) -> Context {
    let options = ContextOptions::default().folder(folder.path()).handle_signals(false);
    options.install_logging(false).rosout(false).create().unwrap()
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
        let server = Spun::new(context(&folder).node("server").create().unwrap());
        let client = context(&folder).node("client").create().unwrap();
        Self { server, client, folder }
    }

    fn client(&self) -> ActionClient<Fibonacci> {
        let client = ActionClient::on(&self.client, "fibonacci").create().unwrap();
        assert!(client.wait_for_server(LONG));
        client
    }

    /// Creates a server, and the channel that receives its accepted goals. A goal with a negative order is rejected. A
    /// goal of order 0 is deferred. A goal of order 13 can't be canceled.
    fn server_with_goals(
        &self,
        result_timeout: Duration,
    ) -> (ActionServer<Fibonacci>, mpsc::Receiver<GoalHandle<Fibonacci>>) {
        let (sender, goals) = mpsc::channel();
        let server = ActionServer::<Fibonacci>::on(&self.server.node, "fibonacci")
            .result_timeout(result_timeout)
            .on_goal(|goal| match goal.view().unwrap().order {
                ..0 => GoalResponse::Reject,
                0 => GoalResponse::AcceptAndDefer,
                _ => GoalResponse::AcceptAndExecute,
            })
            .on_cancel(|goal| match goal.goal().unwrap().order {
                13 => CancelResponse::Reject,
                _ => CancelResponse::Accept,
            })
            .execute(move |goal| drop(sender.send(goal)))
            .unwrap();
        (server, goals)
    }
}

fn order(order: i32) -> Fibonacci_Goal {
    Fibonacci_Goal { order }
}

fn result(sequence: &[i32]) -> Fibonacci_Result {
    Fibonacci_Result { sequence: sequence.to_vec() }
}

#[test]
fn a_goal_is_accepted_executed_and_succeeds() {
    let scene = Scene::new();
    let (_server, goals) = scene.server_with_goals(LONG);
    let client = scene.client();
    let sent = client.send_goal(&order(3)).unwrap().wait(LONG).unwrap();
    let goal = goals.recv().unwrap();
    assert_eq!((goal.id(), goal.status()), (sent.id(), GoalStatus::Executing));
    assert_eq!(goal.goal_value().unwrap(), order(3));
    let mut call = sent.result().unwrap();
    goal.succeed(result(&[0, 1, 1])).unwrap();
    let got = call.wait(LONG).unwrap();
    assert_eq!((got.status(), got.value().unwrap()), (GoalStatus::Succeeded, result(&[0, 1, 1])));
    assert!(matches!(goal.abort(result(&[])), Err(GoalError::Transition { .. })));
    assert!(matches!(goal.publish_feedback(&Fibonacci_Feedback::default()), Err(GoalError::Ended { .. })));
}

#[test]
fn a_deferred_goal_must_be_executed_before_it_can_succeed() {
    let scene = Scene::new();
    let (_server, goals) = scene.server_with_goals(LONG);
    let client = scene.client();
    let sent = client.send_goal(&order(0)).unwrap().wait(LONG).unwrap();
    let goal = goals.recv().unwrap();
    assert_eq!(goal.status(), GoalStatus::Accepted);
    assert!(matches!(goal.succeed(result(&[])), Err(GoalError::Transition { .. })));
    goal.execute().unwrap();
    assert!(matches!(goal.execute(), Err(GoalError::Transition { .. })));
    goal.abort(result(&[9])).unwrap();
    let got = sent.result().unwrap().wait(LONG).unwrap();
    assert_eq!((got.status(), got.value().unwrap()), (GoalStatus::Aborted, result(&[9])));
}

#[test]
fn a_goal_that_is_rejected_or_has_a_used_id_is_not_added() {
    let scene = Scene::new();
    let (server, goals) = scene.server_with_goals(LONG);
    let client = scene.client();
    let rejected = client.send_goal(&order(-1)).unwrap().wait(LONG);
    assert!(matches!(rejected, Err(ActionError::Rejected { .. })));
    let id = GoalId::random();
    let send = || client.send_goal_with(&order(1), GoalOptions::default().id(id)).unwrap().wait(LONG);
    send().unwrap();
    assert!(matches!(send(), Err(ActionError::Rejected { .. })));
    assert_eq!(server.status().active, 1);
    assert_eq!(goals.recv().unwrap().id(), id);
    assert!(goals.try_recv().is_err());
}

#[test]
fn goals_are_canceled_by_id_by_time_and_all_at_once() {
    let scene = Scene::new();
    let (_server, goals) = scene.server_with_goals(LONG);
    let client = scene.client();
    let sent: Vec<_> = (1..=4).map(|n| client.send_goal(&order(n)).unwrap().wait(LONG).unwrap()).collect();
    let handles: Vec<_> = (0..4).map(|_| goals.recv().unwrap()).collect();
    let ids: Vec<GoalId> = sent.iter().map(saltus_action::ClientGoal::id).collect();
    assert_eq!(sent[1].cancel(LONG).unwrap(), CancelOutcome::Canceling(vec![ids[1]]));
    assert!(handles[1].is_canceling() && !handles[0].is_canceling());
    let stamp = sent[2].stamp();
    assert_eq!(client.cancel_before(stamp, LONG).unwrap(), CancelOutcome::Canceling(vec![ids[0], ids[2]]));
    assert_eq!(client.cancel_all(LONG).unwrap(), CancelOutcome::Canceling(vec![ids[3]]));
    assert_eq!(client.cancel_all(LONG).unwrap(), CancelOutcome::Canceling(vec![]));
    handles[0].canceled(result(&[])).unwrap();
    handles[1].succeed(result(&[])).unwrap();
    handles[2].abort(result(&[])).unwrap();
    let ended: Vec<_> =
        sent[..3].iter().map(|goal| goal.result().unwrap().wait(LONG).unwrap().status()).collect();
    assert_eq!(ended, [GoalStatus::Canceled, GoalStatus::Succeeded, GoalStatus::Aborted]);
    assert_eq!(sent[0].cancel(LONG).unwrap(), CancelOutcome::GoalTerminated);
    assert_eq!(client.cancel_goal(GoalId::random(), LONG).unwrap(), CancelOutcome::UnknownGoal);
}

/// A server may serve the request to cancel first: it is a request of another service.
#[test]
fn a_goal_is_canceled_that_comes_after_its_cancellation() {
    let scene = Scene::new();
    let (_server, goals) = scene.server_with_goals(LONG);
    let client = scene.client();
    let id = GoalId::random();
    assert_eq!(client.cancel_goal(id, LONG).unwrap(), CancelOutcome::UnknownGoal);
    client.send_goal_with(&order(1), GoalOptions::default().id(id)).unwrap().wait(LONG).unwrap();
    let goal = goals.recv().unwrap();
    while !goal.is_canceling() {
        thread::yield_now();
    }
    let other = client.send_goal(&order(1)).unwrap().wait(LONG).unwrap();
    let goal = goals.recv().unwrap();
    assert!(!goal.is_canceling());
    assert_eq!(other.cancel(LONG).unwrap(), CancelOutcome::Canceling(vec![other.id()]));
}

#[test]
fn an_id_with_a_time_cancels_that_goal_and_the_goals_up_to_the_time() {
    let scene = Scene::new();
    let (_server, goals) = scene.server_with_goals(LONG);
    let client = scene.client();
    let sent: Vec<_> = (1..=3).map(|n| client.send_goal(&order(n)).unwrap().wait(LONG).unwrap()).collect();
    let _handles: Vec<_> = (0..3).map(|_| goals.recv().unwrap()).collect();
    let outcome = client.cancel_goal_and_before(sent[2].id(), sent[0].stamp(), LONG).unwrap();
    assert_eq!(outcome, CancelOutcome::Canceling(vec![sent[0].id(), sent[2].id()]));
}

#[test]
fn the_program_may_reject_a_cancellation() {
    let scene = Scene::new();
    let (_server, goals) = scene.server_with_goals(LONG);
    let client = scene.client();
    let sent = client.send_goal(&order(13)).unwrap().wait(LONG).unwrap();
    let goal = goals.recv().unwrap();
    assert_eq!(sent.cancel(LONG).unwrap(), CancelOutcome::Rejected);
    assert_eq!(goal.status(), GoalStatus::Executing);
    assert!(matches!(goal.canceled(result(&[])), Err(GoalError::Transition { .. })));
}

#[test]
fn a_goal_whose_handle_is_dropped_is_aborted_or_canceled() {
    let scene = Scene::new();
    let (_server, goals) = scene.server_with_goals(LONG);
    let client = scene.client();
    let sent: Vec<_> = (0..3).map(|n| client.send_goal(&order(n)).unwrap().wait(LONG).unwrap()).collect();
    let handles: Vec<_> = (0..3).map(|_| goals.recv().unwrap()).collect();
    sent[2].cancel(LONG).unwrap();
    drop(handles);
    let ended: Vec<_> = sent.iter().map(|goal| goal.result().unwrap().wait(LONG).unwrap().status()).collect();
    assert_eq!(ended, [GoalStatus::Aborted, GoalStatus::Aborted, GoalStatus::Canceled]);
}

#[test]
fn a_result_is_sent_to_every_client_that_requests_it_until_it_expires() {
    let scene = Scene::new();
    let (server, goals) = scene.server_with_goals(Duration::from_secs(2));
    let client = scene.client();
    let sent = client.send_goal(&order(1)).unwrap().wait(LONG).unwrap();
    goals.recv().unwrap().succeed(result(&[1])).unwrap();
    for _ in 0..2 {
        assert_eq!(sent.result().unwrap().wait(LONG).unwrap().value().unwrap(), result(&[1]));
    }
    assert_eq!(server.status().kept, 1);
    // The server removes the result without another request.
    while server.status().kept > 0 {
        thread::yield_now();
    }
    let late = sent.result().unwrap().wait(LONG);
    assert!(matches!(late, Err(ActionError::UnknownGoal { .. })));
    let never = client.result_of(GoalId::random()).unwrap().wait(LONG);
    assert!(matches!(never, Err(ActionError::UnknownGoal { .. })));
}

#[test]
fn results_that_were_sent_do_not_use_up_memory() {
    let scene = Scene::new();
    let server = ActionServer::<Transfer>::on(&scene.server.node, "transfer")
        .execute(|goal| {
            let data = goal.goal().unwrap().payload().to_vec();
            goal.succeed(Transfer_Result { success: true, data }).unwrap();
        })
        .unwrap();
    let client = ActionClient::<Transfer>::on(&scene.client, "transfer").create().unwrap();
    assert!(client.wait_for_server(LONG));
    let goal = Transfer_Goal { payload: vec![7; 1 << 20] };
    for _ in 0..20 {
        let result = client.execute(&goal, LONG).unwrap();
        assert!(*result.view().unwrap().data() == goal.payload[..]);
    }
    assert!(server.status().kept <= 5, "{:?}", server.status());
}

#[test]
fn all_feedback_since_the_acceptance_is_received() {
    let scene = Scene::new();
    let _server = ActionServer::<Fibonacci>::on(&scene.server.node, "fibonacci")
        .feedback_qos(QoS::keep_last(100))
        .execute(|goal| {
            let count = goal.goal().unwrap().order;
            for i in 0..count {
                goal.publish_feedback(&Fibonacci_Feedback { sequence: vec![i] }).unwrap();
            }
            goal.succeed(result(&[])).unwrap();
        })
        .unwrap();
    let client = ActionClient::<Fibonacci>::on(&scene.client, "fibonacci").feedback_qos(QoS::keep_last(100));
    let client = client.create().unwrap();
    assert!(client.wait_for_server(LONG));
    let received = Arc::new(Mutex::new(Vec::new()));
    let sink = received.clone();
    let options = GoalOptions::default()
        .on_feedback(move |feedback: Fibonacci_Feedback| sink.lock().unwrap().push(feedback.sequence[0]));
    let mut executor = SingleThreadedExecutor::new(scene.client.context()).unwrap();
    executor.add_node(&scene.client);
    let goal = client.send_goal_with(&order(50), options).unwrap();
    let mut other = client.send_goal(&order(5)).unwrap();
    let goal = executor.spin_until_future_complete(goal, Some(LONG)).unwrap().unwrap().unwrap();
    let call = goal.result().unwrap();
    let got = executor.spin_until_future_complete(call, Some(LONG)).unwrap().unwrap().unwrap();
    assert_eq!(got.status(), GoalStatus::Succeeded);
    assert_eq!(*received.lock().unwrap(), (0..50).collect::<Vec<_>>(), "only of its own goal");
    other.wait(LONG).unwrap().result().unwrap().wait(LONG).unwrap();
}

#[test]
fn feedback_is_delivered_before_the_result_to_a_thread_that_waits() {
    let scene = Scene::new();
    let (_server, goals) = scene.server_with_goals(LONG);
    let client = scene.client();
    let received = Arc::new(Mutex::new(Vec::new()));
    let sink = received.clone();
    let options = GoalOptions::default()
        .on_feedback(move |feedback: Fibonacci_Feedback| sink.lock().unwrap().push(feedback.sequence[0]));
    // Nothing spins the node of the client.
    let sent = client.send_goal_with(&order(1), options).unwrap().wait(LONG).unwrap();
    let goal = goals.recv().unwrap();
    let mut call = sent.result().unwrap();
    for number in 0..5 {
        goal.publish_feedback(&Fibonacci_Feedback { sequence: vec![number] }).unwrap();
    }
    goal.succeed(result(&[])).unwrap();
    call.wait(LONG).unwrap();
    assert_eq!(*received.lock().unwrap(), [0, 1, 2, 3, 4]);
}

#[test]
fn a_goal_whose_callback_panics_is_aborted() {
    let scene = Scene::new();
    let panicking = Spun::panicking(context(&scene.folder).node("panicking").create().unwrap());
    let _server = ActionServer::<Fibonacci>::on(&panicking.node, "fibonacci")
        .execute(|_| panic!("in the callback"))
        .unwrap();
    let client = scene.client();
    let sent = client.send_goal(&order(1)).unwrap().wait(LONG).unwrap();
    let got = sent.result().unwrap().wait(LONG).unwrap();
    assert_eq!(got.status(), GoalStatus::Aborted);
}

#[test]
fn a_goal_is_not_answered_if_the_callback_that_accepts_it_panics() {
    let scene = Scene::new();
    let panicking = Spun::panicking(context(&scene.folder).node("panicking").create().unwrap());
    let _server = ActionServer::<Fibonacci>::on(&panicking.node, "fibonacci")
        .on_goal(|_| panic!("in the callback"))
        .execute(drop)
        .unwrap();
    let error = scene.client().send_goal(&order(1)).unwrap().wait(LONG).unwrap_err();
    assert!(matches!(error, ActionError::Call(CallError::NotAnswered { .. })), "{error}");
}

#[test]
fn a_cancellation_is_not_answered_if_its_callback_panics() {
    let scene = Scene::new();
    let panicking = Spun::panicking(context(&scene.folder).node("panicking").create().unwrap());
    let (sender, goals) = mpsc::channel();
    let _server = ActionServer::<Fibonacci>::on(&panicking.node, "fibonacci")
        .on_cancel(|_| panic!("in the callback"))
        .execute(move |goal| drop(sender.send(goal)))
        .unwrap();
    let client = scene.client();
    let sent = client.send_goal(&order(1)).unwrap().wait(LONG).unwrap();
    let _goal = goals.recv().unwrap();
    let error = sent.cancel(LONG).unwrap_err();
    assert!(matches!(error, ActionError::Call(CallError::NotAnswered { .. })), "{error}");
}

#[test]
fn states_are_published_also_to_late_subscriptions() {
    let scene = Scene::new();
    let (_server, goals) = scene.server_with_goals(LONG);
    let client = scene.client();
    let first = client.send_goal(&order(1)).unwrap().wait(LONG).unwrap();
    let goal = goals.recv().unwrap();
    let names = ActionNames::of("/fibonacci");
    let (sender, received) = mpsc::channel();
    let observer = Spun::new(context(&scene.folder).node("observer").create().unwrap());
    let _subscription = observer
        .node
        .subscription::<GoalStatusArray>(&names.status)
        .qos(QoS::keep_last(10).transient_local())
        .callback(move |message| {
            let of = |one: &StatusMessage| (GoalId::from(one.goal_info.goal_id), one.status);
            drop(sender.send(message.status_list.iter().map(of).collect::<Vec<_>>()));
        })
        .unwrap();
    assert_eq!(received.recv().unwrap(), [(first.id(), 2)], "the subscription is late");
    goal.succeed(result(&[])).unwrap();
    assert_eq!(received.recv().unwrap(), [(first.id(), 4)]);
}

#[test]
fn a_large_result_is_kept_if_its_client_has_stopped_waiting() {
    let scene = Scene::new();
    let (sender, goals) = mpsc::channel();
    let _server = ActionServer::<Transfer>::on(&scene.server.node, "transfer")
        .execute(move |goal| drop(sender.send(goal)))
        .unwrap();
    let client = ActionClient::<Transfer>::on(&scene.client, "transfer").create().unwrap();
    assert!(client.wait_for_server(LONG));
    let sent = client.send_goal(&Transfer_Goal::default()).unwrap().wait(LONG).unwrap();
    let goal = goals.recv().unwrap();
    // The client requests the result and stops waiting. The server does not know that.
    assert!(sent.result().unwrap().wait(Duration::from_millis(1)).is_err());
    goal.succeed(Transfer_Result { success: true, data: vec![7; 5 << 20] }).unwrap();
    let result = sent.result().unwrap().wait(LONG).unwrap();
    assert_eq!(result.view().unwrap().data().len(), 5 << 20);
}

#[test]
fn a_goal_with_the_id_of_an_expired_goal_does_not_expire_with_it() {
    let scene = Scene::new();
    let timeout = Duration::from_millis(200);
    let (server, goals) = scene.server_with_goals(timeout);
    let client = scene.client();
    let id = GoalId::random();
    let send = || client.send_goal_with(&order(1), GoalOptions::default().id(id)).unwrap().wait(LONG);
    send().unwrap();
    goals.recv().unwrap().succeed(result(&[])).unwrap();
    // Sends the second goal until the first has expired.
    while send().is_err() {
        thread::yield_now();
    }
    let _goal = goals.recv().unwrap();
    let begin = std::time::Instant::now();
    while begin.elapsed() < 2 * timeout {
        assert_eq!(server.status().active, 1);
        thread::yield_now();
    }
}

#[test]
fn a_thousand_goals_at_once_all_end() {
    let scene = Scene::new();
    let (sender, goals) = mpsc::channel::<GoalHandle<Fibonacci>>();
    let _server = ActionServer::<Fibonacci>::on(&scene.server.node, "fibonacci")
        .execute(move |goal| drop(sender.send(goal)))
        .unwrap();
    let client = scene.client();
    let sent: Vec<_> = (0..1000).map(|n| client.send_goal(&order(n)).unwrap()).collect();
    let sent: Vec<_> = sent.into_iter().map(|mut goal| goal.wait(LONG).unwrap()).collect();
    let results: Vec<_> = sent.iter().map(|goal| goal.result().unwrap()).collect();
    // The goals end only now, when all of them have been accepted.
    for _ in 0..1000 {
        let goal = goals.recv().unwrap();
        let n = goal.goal().unwrap().order;
        goal.succeed(result(&[n])).unwrap();
    }
    for (n, mut call) in (0..).zip(results) {
        assert_eq!(call.wait(LONG).unwrap().value().unwrap(), result(&[n]));
    }
}

#[test]
fn a_request_for_a_result_ends_when_the_server_is_dropped() {
    let scene = Scene::new();
    let (server, goals) = scene.server_with_goals(LONG);
    let client = scene.client();
    let sent = client.send_goal(&order(1)).unwrap().wait(LONG).unwrap();
    let goal = goals.recv().unwrap();
    let mut call = sent.result().unwrap();
    drop(server);
    match call.wait(LONG) {
        Err(ActionError::Call(CallError::ServerGone { .. })) => {}
        other => panic!("{other:?}"),
    }
    // The server's thread may still use the server for a moment.
    let is_closed =
        || matches!(goal.publish_feedback(&Fibonacci_Feedback::default()), Err(GoalError::ServerClosed(_)));
    while !is_closed() {
        thread::yield_now();
    }
    assert!(matches!(goal.succeed(result(&[])), Err(GoalError::ServerClosed(_))));
    let is_gone =
        || matches!(client.send_goal(&order(1)), Err(ActionError::Call(CallError::NoServer { .. })));
    assert!(scene.client.context().wait_until(LONG, is_gone));
}
