//! A behavior that ends, and its action.

use std::{
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use saltus::{
    Timer, cdr::Action, component::ComponentError, executor::CallbackGroup, lifecycle::LifecycleNode,
    msgs::builtin_interfaces::msg::Duration as DurationMessage, types::lock,
};
use saltus_motion::Velocity;
use saltus_nav_server::to_duration;
use saltus_server::{Ended, Tasks};

use crate::robot::Robot;

/// What a behavior does next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// It goes on with this velocity.
    Move(Velocity),
    /// It goes on, and says nothing to the robot.
    Stay,
    /// It is done.
    Done,
}

/// Why a behavior ends without success: the code in results, and a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The code in results.
    pub code: u16,
    /// For people.
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
    /// Its action.
    type Action: Action;

    /// Reads a goal, and begins.
    ///
    /// # Errors
    ///
    /// If it can't be done.
    fn begin(goal: <Self::Action as Action>::Goal, robot: &Robot) -> Result<Self, Failure>
    where
        Self: Sized;

    /// Returns how long it may take, and how it fails if it takes longer; 0 for any time.
    fn allowance(&self) -> (Duration, Failure);

    /// Returns what it does next, after a time since it began.
    ///
    /// # Errors
    ///
    /// If it can't go on.
    fn next(&mut self, robot: &Robot, elapsed: Duration) -> Result<Next, Failure>;

    /// Returns what the client is told after each cycle.
    fn feedback(&self, elapsed: Duration) -> <Self::Action as Action>::Feedback;

    /// Returns the result. `failure` is the code and the text, or 0 and nothing.
    fn result(elapsed: DurationMessage, failure: (u16, String)) -> <Self::Action as Action>::Result;

    /// Whether the robot is told to stop at the end.
    fn stops(&self) -> bool {
        true
    }

    /// Whether the client does not want it any more, by other means than the action.
    fn is_ended(&self) -> bool {
        false
    }
}

/// A behavior that clients can ask for.
pub(crate) struct Server<B: TimedBehavior> {
    name: String,
    robot: Arc<Robot>,
    state: Mutex<State<B>>,
    /// Set once, after what its callbacks use.
    task: OnceLock<(Tasks<B::Action>, Timer)>,
}

/// What a server does. It is locked during a cycle, so that a deactivation comes before or after one.
struct State<B> {
    /// Whether behaviors may run. A goal that has just been accepted may come after the deactivation.
    is_active: bool,
    /// The behavior, and when it began.
    running: Option<(B, Duration)>,
}

impl<B: TimedBehavior> Server<B> {
    /// Opens the action with the name of a behavior.
    pub(crate) fn open(
        node: &LifecycleNode,
        group: &CallbackGroup,
        name: &str,
        robot: &Arc<Robot>,
        timeout: Duration,
    ) -> Result<Arc<Self>, ComponentError> {
        let server = Arc::new(Self {
            name: name.to_owned(),
            robot: robot.clone(),
            state: Mutex::new(State { is_active: false, running: None }),
            task: OnceLock::new(),
        });
        let (weak, ticked) = (Arc::downgrade(&server), Arc::downgrade(&server));
        let tick = move || ticked.upgrade().iter().for_each(|server| server.tick());
        let changed = move || weak.upgrade().iter().for_each(|server| server.changed());
        let timer = node.timer(robot.cycle).callback_group(group).callback(tick)?;
        timer.cancel();
        let tasks = Tasks::open(node, group, name, timeout, changed)?;
        let _ = server.task.set((tasks, timer));
        Ok(server)
    }

    pub(crate) fn activate(&self) {
        lock(&self.state).is_active = true;
        self.task.get().iter().for_each(|(tasks, _)| tasks.activate());
    }

    pub(crate) fn deactivate(&self) {
        let Some((tasks, timer)) = self.task.get() else { return };
        {
            let mut state = lock(&self.state);
            state.is_active = false;
            timer.cancel();
            if state.running.take().is_some_and(|(behavior, _)| behavior.stops()) {
                self.robot.drive(&Velocity::default());
            }
        }
        tasks.deactivate();
    }

    /// There is a goal, or its client does not want it any more.
    fn changed(&self) {
        let Some((tasks, timer)) = self.task.get() else { return };
        let mut state = lock(&self.state);
        if timer.is_cancelled() {
            self.begin(&mut state);
        } else if tasks.is_canceled() {
            self.cycle(&mut state);
        }
    }

    fn tick(&self) {
        self.cycle(&mut lock(&self.state));
    }

    /// Begins with a new goal, if there is one.
    fn begin(&self, state: &mut State<B>) {
        let Some((tasks, timer)) = self.task.get() else { return };
        if !state.is_active {
            return;
        }
        let Some(handle) = tasks.take() else { return };
        saltus::info!(self.robot.logger, "Running {}", self.name);
        let begun = match handle.goal_value() {
            Ok(goal) => B::begin(goal, &self.robot),
            Err(error) => Err(Failure::new(0, error.to_string())),
        };
        match begun {
            Ok(behavior) => {
                state.running = Some((behavior, self.robot.now().unwrap_or_default()));
                timer.reset();
                self.cycle(state);
            }
            Err(failure) => {
                saltus::error!(self.robot.logger, "{}", failure.text);
                saltus::info!(self.robot.logger, "Initial checks failed for {}", self.name);
                tasks
                    .end(Ended::Aborted, B::result(DurationMessage::default(), (failure.code, failure.text)));
            }
        }
    }

    fn cycle(&self, state: &mut State<B>) {
        let Some((tasks, timer)) = self.task.get() else { return };
        let Some((behavior, since)) = &mut state.running else {
            timer.cancel();
            return;
        };
        // The clock may have jumped back.
        let elapsed = self.robot.now().unwrap_or(*since).saturating_sub(*since);
        let Some((how, failure)) = self.step(tasks, behavior, elapsed) else {
            if let Some(handle) = tasks.current() {
                // The client may have closed.
                let _ = handle.publish_feedback(&behavior.feedback(elapsed));
            }
            return;
        };
        timer.cancel();
        if behavior.stops() {
            self.robot.drive(&Velocity::default());
        }
        state.running = None;
        tasks.end(how, B::result(to_duration(elapsed), failure));
        // The goal that has ended this one.
        self.begin(state);
    }

    /// Does a cycle. Returns how the behavior ends, if it does.
    fn step(
        &self,
        tasks: &Tasks<B::Action>,
        behavior: &mut B,
        elapsed: Duration,
    ) -> Option<(Ended, (u16, String))> {
        let logger = &self.robot.logger;
        let nothing = || (0, String::new());
        if tasks.is_canceled() {
            saltus::info!(logger, "Canceling {}", self.name);
            return Some((Ended::Canceled, nothing()));
        }
        if tasks.has_pending() {
            saltus::error!(
                logger,
                "Received a preemption request for {}, however feature is currently not implemented. Aborting and \
                 stopping.",
                self.name
            );
            return Some((Ended::Aborted, nothing()));
        }
        if behavior.is_ended() {
            return Some((Ended::Succeeded, nothing()));
        }
        let (allowance, late) = behavior.allowance();
        let next = match !allowance.is_zero() && elapsed > allowance {
            true => Err(late),
            false => behavior.next(&self.robot, elapsed),
        };
        match next {
            Ok(Next::Stay) => None,
            Ok(Next::Move(velocity)) => {
                self.robot.drive(&velocity);
                None
            }
            Ok(Next::Done) => {
                saltus::info!(logger, "{} completed successfully", self.name);
                Some((Ended::Succeeded, nothing()))
            }
            Err(failure) => {
                saltus::warn!(logger, "{}", failure.text);
                saltus::warn!(logger, "{} failed", self.name);
                Some((Ended::Aborted, (failure.code, failure.text)))
            }
        }
    }
}
