//! A behavior that ends, and its work for the goals of an action.

use std::{sync::Arc, time::Duration};

use saltus::{
    cdr::Action, lifecycle::LifecycleNode, msgs::builtin_interfaces::msg::Duration as DurationMessage,
    param::ParameterError,
};
use saltus_motion::Velocity;
use saltus_nav_server::to_duration;
use saltus_server::{Cycle, CyclicWork, GoalOutcome, Goals};

use crate::robot::Robot;

/// The next step of a behavior.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// The behavior goes on with this velocity.
    Move(Velocity),
    /// The behavior goes on without a command for the robot.
    Stay,
    /// The behavior is done.
    Done,
}

/// The reason why a behavior ends without success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The code in results.
    pub code: u16,
    /// The text for people.
    pub text: String,
}

impl Failure {
    /// Returns a failure.
    pub fn new(code: u16, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }
}

/// A behavior that ends.
pub trait TimedBehavior: Send + 'static {
    /// The action of the behavior.
    type Action: Action;

    /// Reads the parameters of the behavior for the first time, when the server is configured. This declares them.
    ///
    /// # Errors
    ///
    /// Returns an error if a value can't be used.
    fn declare(_robot: &Robot) -> Result<(), ParameterError> {
        Ok(())
    }

    /// Reads a goal, and begins.
    ///
    /// # Errors
    ///
    /// Returns an error if the goal can't be done.
    fn begin(goal: <Self::Action as Action>::Goal, robot: &Robot) -> Result<Self, Failure>
    where
        Self: Sized;

    /// Returns the longest time that the behavior may take, and its failure if it takes longer. The time 0 is no limit.
    fn allowance(&self) -> (Duration, Failure);

    /// Returns the next step. `elapsed` is the time since the beginning.
    ///
    /// # Errors
    ///
    /// Returns an error if the behavior can't go on.
    fn next(&mut self, robot: &Robot, elapsed: Duration) -> Result<Next, Failure>;

    /// Returns the feedback after a cycle.
    fn feedback(&self, elapsed: Duration) -> <Self::Action as Action>::Feedback;

    /// Returns the result. `failure` is the code and the text of a failure. Without a failure they are 0 and empty.
    fn result(elapsed: DurationMessage, failure: (u16, String)) -> <Self::Action as Action>::Result;

    /// Whether the robot is stopped at the end.
    fn stops(&self) -> bool {
        true
    }

    /// Whether the behavior was ended by other means than the action, such as a topic.
    fn is_ended(&self) -> bool {
        false
    }
}

/// The work of the action of a behavior.
pub(crate) struct BehaviorWork<B> {
    pub(crate) name: String,
    pub(crate) robot: Arc<Robot>,
    /// The behavior, and the time at which it began.
    pub(crate) running: Option<(B, Duration)>,
}

impl<B: TimedBehavior> CyclicWork for BehaviorWork<B> {
    type Action = B::Action;

    fn cycle(&mut self, cycle: &Cycle<'_, B::Action>) -> bool {
        let goals = cycle.goals;
        if self.running.is_none() {
            self.running = self.begin(goals);
        }
        let Some((behavior, since)) = &mut self.running else { return false };
        // The clock may have jumped back.
        let elapsed = self.robot.now().unwrap_or(*since).saturating_sub(*since);
        let Some((outcome, failure)) = step(&self.name, &self.robot, goals, behavior, elapsed) else {
            if let Some(handle) = goals.current() {
                // The client may have closed.
                let _ = handle.publish_feedback(&behavior.feedback(elapsed));
            }
            return true;
        };
        self.halt();
        goals.end(outcome, B::result(to_duration(elapsed), failure));
        false
    }

    fn stop(&mut self, _node: &LifecycleNode) {
        self.halt();
    }
}

impl<B: TimedBehavior> BehaviorWork<B> {
    /// Begins with the pending goal, if there is one. Returns the behavior, and the time.
    fn begin(&self, goals: &Goals<B::Action>) -> Option<(B, Duration)> {
        let handle = goals.take()?;
        saltus::info!(self.robot.logger, "Running {}", self.name);
        let begun = match handle.goal_value() {
            Ok(goal) => B::begin(goal, &self.robot),
            Err(error) => Err(Failure::new(0, error.to_string())),
        };
        match begun {
            Ok(behavior) => Some((behavior, self.robot.now().unwrap_or_default())),
            Err(failure) => {
                saltus::error!(self.robot.logger, "{}", failure.text);
                saltus::info!(self.robot.logger, "Initial checks failed for {}", self.name);
                let result = B::result(DurationMessage::default(), (failure.code, failure.text));
                goals.end(GoalOutcome::Aborted, result);
                None
            }
        }
    }

    /// Ends the behavior, if there is one, and stops the robot.
    fn halt(&mut self) {
        if self.running.take().is_some_and(|(behavior, _)| behavior.stops()) {
            self.robot.drive(&Velocity::default());
        }
    }
}

/// Does a step of a behavior. Returns the outcome of the goal, if the behavior ends.
fn step<B: TimedBehavior>(
    name: &str,
    robot: &Robot,
    goals: &Goals<B::Action>,
    behavior: &mut B,
    elapsed: Duration,
) -> Option<(GoalOutcome, (u16, String))> {
    let logger = &robot.logger;
    let nothing = || (0, String::new());
    if goals.is_canceled() {
        saltus::info!(logger, "Canceling {name}");
        return Some((GoalOutcome::Canceled, nothing()));
    }
    if goals.has_pending() {
        saltus::error!(
            logger,
            "Received a preemption request for {name}, however feature is currently not implemented. Aborting and \
             stopping."
        );
        return Some((GoalOutcome::Aborted, nothing()));
    }
    if behavior.is_ended() {
        return Some((GoalOutcome::Succeeded, nothing()));
    }
    let (allowance, late) = behavior.allowance();
    let next = match !allowance.is_zero() && elapsed > allowance {
        true => Err(late),
        false => behavior.next(robot, elapsed),
    };
    match next {
        Ok(Next::Stay) => None,
        Ok(Next::Move(velocity)) => {
            robot.drive(&velocity);
            None
        }
        Ok(Next::Done) => {
            saltus::info!(logger, "{name} completed successfully");
            Some((GoalOutcome::Succeeded, nothing()))
        }
        Err(failure) => {
            saltus::warn!(logger, "{}", failure.text);
            saltus::warn!(logger, "{name} failed");
            Some((GoalOutcome::Aborted, (failure.code, failure.text)))
        }
    }
}
