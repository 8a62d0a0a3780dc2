//! A commander without a robot, and with a server that does what the tests say.

use std::{sync::mpsc::channel, thread, time::Duration};

use saltus::{
    ActionClient, ActionServer, Executor, SingleThreadedExecutor,
    action::{CancelResponse, GoalHandle},
    context::ContextOptions,
    msgs::nav2_msgs::action::{
        NavigateToPose, NavigateToPose_Feedback, NavigateToPose_Goal, NavigateToPose_Result,
    },
};
use saltus_motion::Pose;

use super::*;

const LONG: Duration = Duration::from_secs(20);

#[test]
fn tasks_have_feedback_are_canceled_and_end() {
    let folder = tempfile::tempdir().unwrap();
    let context = ContextOptions::default().folder(folder.path()).create().unwrap();
    let (robot, user) = (context.node("robot").create().unwrap(), context.node("user").create().unwrap());
    let (sender, goals) = channel();
    let _server = ActionServer::<NavigateToPose>::on(&robot, "navigate_to_pose")
        .on_cancel(|_| CancelResponse::Accept)
        .execute(move |goal: GoalHandle<NavigateToPose>| sender.send(goal).unwrap())
        .unwrap();
    let commander = Commander::new(&user).unwrap();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&robot);
    executor.add_node(&user);
    let handle = executor.handle();
    let spinning = thread::spawn(move || executor.spin().unwrap());
    let mut task = commander.go_to(&Pose::new(1.0, 2.0, 0.0)).unwrap();
    let goal = goals.recv_timeout(LONG).unwrap();
    assert_eq!(goal.goal_value().unwrap().pose.header.frame_id, "map");
    assert_eq!(task.poll(Duration::ZERO).unwrap(), None);
    let feedback = NavigateToPose_Feedback { distance_remaining: 3.0, ..Default::default() };
    let end = std::time::Instant::now() + LONG;
    while task.feedback().is_none_or(|feedback| feedback.distance_remaining != 3.0) {
        goal.publish_feedback(&feedback).unwrap();
        assert!(std::time::Instant::now() < end);
        thread::yield_now();
    }
    goal.succeed(NavigateToPose_Result::default()).unwrap();
    assert_eq!(task.wait(Duration::MAX).unwrap(), Outcome::Succeeded);
    assert_eq!(task.result().unwrap().error_code, 0);
    let mut other = commander.go_to(&Pose::default()).unwrap();
    let goal = goals.recv_timeout(LONG).unwrap();
    other.cancel(LONG).unwrap();
    goal.canceled(NavigateToPose_Result::default()).unwrap();
    assert_eq!(other.wait(LONG).unwrap(), Outcome::Canceled);
    let late = commander.wait_until_active(Duration::from_millis(1));
    assert_eq!(late.unwrap_err().to_string(), "the active node amcl is not there after 0.0 s");
    context.shut_down();
    assert!(matches!(commander.wait_until_active(LONG), Err(CommandError::Interrupted)));
    handle.cancel();
    spinning.join().unwrap();
}

#[test]
fn a_goal_that_is_accepted_too_late_is_canceled() {
    let folder = tempfile::tempdir().unwrap();
    let context = ContextOptions::default().folder(folder.path()).create().unwrap();
    let (robot, user) = (context.node("robot").create().unwrap(), context.node("user").create().unwrap());
    let (sender, goals) = channel();
    let _server = ActionServer::<NavigateToPose>::on(&robot, "navigate_to_pose")
        .on_cancel(|_| CancelResponse::Accept)
        .execute(move |goal: GoalHandle<NavigateToPose>| sender.send(goal).unwrap())
        .unwrap();
    let client = ActionClient::<NavigateToPose>::on(&user, "navigate_to_pose").create().unwrap();
    // Nobody spins the server yet.
    let late = Task::start(&context, &client, &NavigateToPose_Goal::default(), Duration::from_millis(20));
    assert!(matches!(late, Err(CommandError::Action(_))), "{late:?}");
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&robot);
    let mut goal: Option<GoalHandle<NavigateToPose>> = None;
    let end = std::time::Instant::now() + LONG;
    while !goal.as_ref().is_some_and(GoalHandle::is_canceling) {
        assert!(std::time::Instant::now() < end);
        executor.spin_once(Some(Duration::from_millis(10))).unwrap();
        goal = goals.try_recv().ok().or(goal);
    }
}
