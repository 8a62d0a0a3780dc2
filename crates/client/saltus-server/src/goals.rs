//! An action server that does one goal at a time.

use std::{
    fmt,
    sync::{Arc, Mutex},
    task::{Wake, Waker},
    time::Duration,
};

use saltus::{
    Node,
    action::{ActionServer, CancelResponse, GoalHandle, GoalResponse},
    cdr::Action,
    executor::{CallbackGroup, GuardCondition},
    log::Logger,
    node::NodeError,
    types::lock,
};

/// The end of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalOutcome {
    /// The goal is reached.
    Succeeded,
    /// The goal can't be reached.
    Aborted,
    /// The client has canceled the goal.
    Canceled,
}

/// An action server that does one goal at a time. A newer goal waits until it is taken. Then the goal before it is aborted.
///
/// Source: `nav2_util::SimpleActionServer`, whose rules and texts these are.
pub struct GoalServer<A: Action> {
    goals: Goals<A>,
    changed: Arc<Changed>,
    _server: ActionServer<A>,
}

/// The goals of a [`GoalServer`]. Clones are the same goals.
pub struct Goals<A: Action>(Arc<GoalsState<A>>);

struct GoalsState<A: Action> {
    name: String,
    logger: Logger,
    slots: Mutex<Slots<A>>,
}

struct Slots<A: Action> {
    is_active: bool,
    current: Option<GoalHandle<A>>,
    pending: Option<GoalHandle<A>>,
}

/// Triggers the callback `on_change` of a server.
struct Changed(GuardCondition);

impl Wake for Changed {
    fn wake(self: Arc<Self>) {
        self.0.trigger();
    }
}

impl<A: Action> fmt::Debug for GoalServer<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GoalServer").field("name", &self.goals.0.name).finish_non_exhaustive()
    }
}

impl<A: Action> fmt::Debug for Goals<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Goals").field("name", &self.0.name).finish_non_exhaustive()
    }
}

impl<A: Action> Clone for Goals<A> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<A: Action> GoalServer<A> {
    /// Opens the server. It is not active. `on_change` belongs to the group. It is called when there is a goal to take, when a client
    /// cancels a goal, and when the [`waker`](Self::waker) is called. The executor of the node accepts goals, so that clients do not
    /// wait for work that is being done in the group. A result is kept for the time `result_timeout`.
    ///
    /// # Errors
    ///
    /// Returns an error if the action can't be opened.
    pub fn open(
        node: &Node,
        group: &CallbackGroup,
        name: &str,
        result_timeout: Duration,
        mut on_change: impl FnMut(&Goals<A>) + Send + 'static,
    ) -> Result<Self, NodeError> {
        let slots = Mutex::new(Slots { is_active: false, current: None, pending: None });
        let goals = Goals(Arc::new(GoalsState { name: name.to_owned(), logger: node.logger(), slots }));
        let (accepting, executing, changing) = (goals.clone(), goals.clone(), goals.clone());
        let changed = Arc::new(Changed(node.guard_condition_in(group, move || on_change(&changing))));
        let (canceled, received) = (changed.clone(), changed.clone());
        let server = ActionServer::<A>::on(node, name)
            .result_timeout(result_timeout)
            .on_goal(move |_| accepting.accept())
            .on_cancel(|_| CancelResponse::Accept)
            .on_canceling(move |_| canceled.0.trigger())
            .execute(move |goal| {
                if executing.add(goal) {
                    received.0.trigger();
                }
            })?;
        Ok(Self { goals, changed, _server: server })
    }

    /// Returns the goals.
    pub fn goals(&self) -> &Goals<A> {
        &self.goals
    }

    /// Returns a waker that lets the group call `on_change`.
    pub fn waker(&self) -> Waker {
        Waker::from(self.changed.clone())
    }

    /// Accepts goals from now on.
    pub fn activate(&self) {
        self.goals.activate();
    }

    /// Rejects goals from now on, and ends the goals that there are.
    pub fn deactivate(&self) {
        self.goals.deactivate();
    }
}

impl<A: Action> Goals<A> {
    fn activate(&self) {
        lock(&self.0.slots).is_active = true;
    }

    fn deactivate(&self) {
        let goals = {
            let mut slots = lock(&self.0.slots);
            slots.is_active = false;
            [slots.current.take(), slots.pending.take()]
        };
        if goals[0].is_some() {
            saltus::warn!(
                self.0.logger,
                "[{}] [ActionServer] Requested to deactivate server but goal is still executing. Should check if action \
                 server is running before deactivating.",
                self.0.name
            );
        }
        // A handle that is dropped ends its goal.
        drop(goals);
    }

    /// Returns the goal that is being done.
    pub fn current(&self) -> Option<GoalHandle<A>> {
        lock(&self.0.slots).current.clone()
    }

    /// Whether there is a newer goal.
    pub fn has_pending(&self) -> bool {
        lock(&self.0.slots).pending.is_some()
    }

    /// Returns the newer goal without taking it.
    pub fn pending(&self) -> Option<GoalHandle<A>> {
        lock(&self.0.slots).pending.clone()
    }

    /// Whether a client has canceled the newer goal or, if there is none, the goal that is being done.
    pub fn is_canceled(&self) -> bool {
        let slots = lock(&self.0.slots);
        slots.pending.as_ref().or(slots.current.as_ref()).is_some_and(GoalHandle::is_canceling)
    }

    /// Whether the goal that is being done is still wanted: it is not canceled, there is no newer goal, and the server is active.
    pub fn is_wanted(&self) -> bool {
        let slots = lock(&self.0.slots);
        slots.pending.is_none() && slots.current.as_ref().is_some_and(|goal| !goal.is_canceling())
    }

    /// Takes the newer goal, which is done from now on. The goal before it is aborted. A newer goal that its client has canceled ends
    /// as canceled, and is not taken.
    pub fn take(&self) -> Option<GoalHandle<A>> {
        self.take_if(|_| true)
    }

    /// Takes a goal as [`take`](Self::take) does, but only if it is still the newer goal.
    pub fn take_this(&self, goal: &GoalHandle<A>) -> Option<GoalHandle<A>> {
        self.take_if(|pending| pending.id() == goal.id())
    }

    fn take_if(&self, is_wanted: impl Fn(&GoalHandle<A>) -> bool) -> Option<GoalHandle<A>> {
        let (before, next) = {
            let mut slots = lock(&self.0.slots);
            let next = slots.pending.take_if(|pending| is_wanted(pending))?;
            if next.is_canceling() {
                drop(slots);
                let _ = next.canceled(A::Result::default());
                return None;
            }
            (slots.current.replace(next.clone()), next)
        };
        if let Some(before) = before.filter(GoalHandle::is_active) {
            // It can't fail, because this is its server.
            let _ = end(&before, GoalOutcome::Aborted, A::Result::default());
        }
        // It may have been canceled in the meantime. Then it ends in the first cycle.
        let _ = next.execute();
        Some(next)
    }

    /// Aborts a goal that was not taken, if it is still the newer goal.
    pub fn refuse(&self, goal: &GoalHandle<A>) {
        let pending = lock(&self.0.slots).pending.take_if(|pending| pending.id() == goal.id());
        if let Some(pending) = pending {
            let _ = end(&pending, GoalOutcome::Aborted, A::Result::default());
        }
    }

    /// Ends the goal that is being done. If the outcome is `Canceled`, the newer goal ends as canceled, too.
    pub fn end(&self, outcome: GoalOutcome, result: A::Result) {
        let (current, pending) = {
            let mut slots = lock(&self.0.slots);
            let pending = if outcome == GoalOutcome::Canceled { slots.pending.take() } else { None };
            (slots.current.take(), pending)
        };
        if let Some(goal) = current.filter(GoalHandle::is_active) {
            self.log(outcome);
            // The client may have closed.
            let _ = end(&goal, outcome, result);
        }
        if let Some(goal) = pending {
            let _ = end(&goal, outcome, A::Result::default());
        }
    }

    /// Takes the pending goals one after the other. Each ends with the outcome and the result that `work` returns.
    pub fn serve(&self, mut work: impl FnMut(&GoalHandle<A>) -> (GoalOutcome, A::Result)) {
        while let Some(goal) = self.take() {
            let (outcome, result) = work(&goal);
            self.end(outcome, result);
        }
    }

    fn log(&self, outcome: GoalOutcome) {
        let GoalsState { name, logger, .. } = &*self.0;
        match outcome {
            GoalOutcome::Succeeded => {}
            GoalOutcome::Aborted => saltus::warn!(logger, "[{name}] [ActionServer] Aborting handle."),
            GoalOutcome::Canceled => {
                saltus::info!(
                    logger,
                    "[{name}] [ActionServer] Client requested to cancel the goal. Cancelling."
                );
            }
        }
    }

    fn accept(&self) -> GoalResponse {
        if lock(&self.0.slots).is_active {
            return GoalResponse::AcceptAndDefer;
        }
        saltus::info!(self.0.logger, "Action server is inactive. Rejecting the goal.");
        GoalResponse::Reject
    }

    /// Adds a goal. Returns whether there is one to take.
    fn add(&self, goal: GoalHandle<A>) -> bool {
        let before = {
            let mut slots = lock(&self.0.slots);
            if !slots.is_active {
                return false;
            }
            slots.pending.replace(goal)
        };
        if let Some(before) = before {
            // It was never taken.
            let _ = end(&before, GoalOutcome::Aborted, A::Result::default());
        }
        true
    }
}

/// Ends a goal. A goal that is not being canceled can't end as canceled: it is aborted.
fn end<A: Action>(
    goal: &GoalHandle<A>,
    outcome: GoalOutcome,
    result: A::Result,
) -> Result<(), saltus::action::GoalError> {
    match outcome {
        GoalOutcome::Succeeded => goal.succeed(result),
        GoalOutcome::Canceled if goal.is_canceling() => goal.canceled(result),
        GoalOutcome::Aborted | GoalOutcome::Canceled => {
            if goal.status() == saltus::action::GoalStatus::Accepted {
                goal.execute()?;
            }
            goal.abort(result)
        }
    }
}
