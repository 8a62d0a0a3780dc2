//! An action server that does one goal at a time.

use std::{
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};

use saltus::{
    Node,
    action::{ActionServer, CancelResponse, GoalHandle, GoalResponse},
    cdr::Action,
    executor::CallbackGroup,
    log::Logger,
    node::NodeError,
    types::lock,
};

/// How a goal ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It is reached.
    Succeeded,
    /// It can't be reached.
    Aborted,
    /// Its client has canceled it.
    Canceled,
}

/// An action server that does one goal at a time. A newer goal waits until it is taken; then the one before is aborted.
///
/// Source: `nav2_util::SimpleActionServer`, whose rules and texts these are.
pub struct Tasks<A: Action> {
    shared: Arc<Shared<A>>,
    _server: ActionServer<A>,
}

struct Shared<A: Action> {
    name: String,
    logger: Logger,
    goals: Mutex<Goals<A>>,
}

struct Goals<A: Action> {
    is_active: bool,
    current: Option<GoalHandle<A>>,
    pending: Option<GoalHandle<A>>,
}

impl<A: Action> fmt::Debug for Tasks<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks").field("name", &self.shared.name).finish_non_exhaustive()
    }
}

impl<A: Action> Tasks<A> {
    /// Opens the server. It is not active. `on_change`, which belongs to the group, is called when there is a goal to take, or when the
    /// client does not want one any more. Goals are accepted by the executor of the node, so that clients do not wait for work
    /// that is being done in the group. A result is kept for the time `result_timeout`.
    ///
    /// # Errors
    ///
    /// Returns an error if the action can't be opened.
    pub fn open(
        node: &Node,
        group: &CallbackGroup,
        name: &str,
        result_timeout: Duration,
        on_change: impl FnMut() + Send + 'static,
    ) -> Result<Self, NodeError> {
        let goals = Goals { is_active: false, current: None, pending: None };
        let shared =
            Arc::new(Shared { name: name.to_owned(), logger: node.logger(), goals: Mutex::new(goals) });
        let (accepting, executing) = (shared.clone(), shared.clone());
        let changed = Arc::new(node.guard_condition_in(group, on_change));
        let canceling = changed.clone();
        let server = ActionServer::<A>::on(node, name)
            .result_timeout(result_timeout)
            .on_goal(move |_| accepting.accept())
            .on_cancel(|_| CancelResponse::Accept)
            .on_canceling(move |_| canceling.trigger())
            .execute(move |goal| {
                if executing.add(goal) {
                    changed.trigger();
                }
            })?;
        Ok(Self { shared, _server: server })
    }

    /// Accepts goals from now on.
    pub fn activate(&self) {
        lock(&self.shared.goals).is_active = true;
    }

    /// Rejects goals from now on, and ends those that there are.
    pub fn deactivate(&self) {
        let goals = {
            let mut goals = lock(&self.shared.goals);
            goals.is_active = false;
            [goals.current.take(), goals.pending.take()]
        };
        if goals[0].is_some() {
            saltus::warn!(
                self.shared.logger,
                "[{}] [ActionServer] Requested to deactivate server but goal is still executing. Should check if action \
                 server is running before deactivating.",
                self.shared.name
            );
        }
        // A handle that is dropped ends its goal.
        drop(goals);
    }

    /// Returns the goal that is being done.
    pub fn current(&self) -> Option<GoalHandle<A>> {
        lock(&self.shared.goals).current.clone()
    }

    /// Whether there is a newer goal.
    pub fn has_pending(&self) -> bool {
        lock(&self.shared.goals).pending.is_some()
    }

    /// Returns the newer goal without taking it.
    pub fn pending(&self) -> Option<GoalHandle<A>> {
        lock(&self.shared.goals).pending.clone()
    }

    /// Whether the client wants the goal to end. If there is a newer goal, it is the one that counts.
    pub fn is_canceled(&self) -> bool {
        let goals = lock(&self.shared.goals);
        goals.pending.as_ref().or(goals.current.as_ref()).is_some_and(GoalHandle::is_canceling)
    }

    /// Whether the goal that is being done is still wanted: it is not canceled, no newer one has come, and the server is active.
    pub fn is_wanted(&self) -> bool {
        let goals = lock(&self.shared.goals);
        goals.pending.is_none() && goals.current.as_ref().is_some_and(|goal| !goal.is_canceling())
    }

    /// Takes the newer goal, which is done from now on. The one before is aborted. A goal whose client does not want it any more is
    /// canceled, and not taken.
    pub fn take(&self) -> Option<GoalHandle<A>> {
        self.take_if(|_| true)
    }

    /// Takes a goal as [`take`](Self::take) does, but only if it is still the newer one.
    pub fn take_this(&self, goal: &GoalHandle<A>) -> Option<GoalHandle<A>> {
        self.take_if(|pending| pending.id() == goal.id())
    }

    fn take_if(&self, is_wanted: impl Fn(&GoalHandle<A>) -> bool) -> Option<GoalHandle<A>> {
        let (before, next) = {
            let mut goals = lock(&self.shared.goals);
            let next = goals.pending.take_if(|pending| is_wanted(pending))?;
            if next.is_canceling() {
                drop(goals);
                let _ = next.canceled(A::Result::default());
                return None;
            }
            (goals.current.replace(next.clone()), next)
        };
        if let Some(before) = before.filter(GoalHandle::is_active) {
            // Its server is there: it is this one.
            let _ = end(&before, Ended::Aborted, A::Result::default());
        }
        // It may have been canceled in the meantime. Then it ends in the first cycle.
        let _ = next.execute();
        Some(next)
    }

    /// Rejects a goal, if it is still the newer one.
    pub fn refuse(&self, goal: &GoalHandle<A>) {
        let pending = lock(&self.shared.goals).pending.take_if(|pending| pending.id() == goal.id());
        if let Some(pending) = pending {
            let _ = end(&pending, Ended::Aborted, A::Result::default());
        }
    }

    /// Ends the goal that is being done. A canceled one ends as canceled, and the newer one with it.
    pub fn end(&self, how: Ended, result: A::Result) {
        let (current, pending) = {
            let mut goals = lock(&self.shared.goals);
            let pending = if how == Ended::Canceled { goals.pending.take() } else { None };
            (goals.current.take(), pending)
        };
        if let Some(goal) = current.filter(GoalHandle::is_active) {
            self.log(how);
            // The client may have closed.
            let _ = end(&goal, how, result);
        }
        if let Some(goal) = pending {
            let _ = end(&goal, how, A::Result::default());
        }
    }

    fn log(&self, how: Ended) {
        let Shared { name, logger, .. } = &*self.shared;
        match how {
            Ended::Succeeded => {}
            Ended::Aborted => saltus::warn!(logger, "[{name}] [ActionServer] Aborting handle."),
            Ended::Canceled => {
                saltus::info!(
                    logger,
                    "[{name}] [ActionServer] Client requested to cancel the goal. Cancelling."
                );
            }
        }
    }
}

/// Ends a goal. One that is being canceled can end in any way, and one that is not can't end as canceled.
fn end<A: Action>(
    goal: &GoalHandle<A>,
    how: Ended,
    result: A::Result,
) -> Result<(), saltus::action::GoalError> {
    match how {
        Ended::Succeeded => goal.succeed(result),
        Ended::Canceled if goal.is_canceling() => goal.canceled(result),
        Ended::Aborted | Ended::Canceled => {
            if goal.status() == saltus::action::GoalStatus::Accepted {
                goal.execute()?;
            }
            goal.abort(result)
        }
    }
}

impl<A: Action> Shared<A> {
    fn accept(&self) -> GoalResponse {
        if lock(&self.goals).is_active {
            return GoalResponse::AcceptAndDefer;
        }
        saltus::info!(self.logger, "Action server is inactive. Rejecting the goal.");
        GoalResponse::Reject
    }

    /// Adds a goal. Returns whether there is one to take.
    fn add(&self, goal: GoalHandle<A>) -> bool {
        let before = {
            let mut goals = lock(&self.goals);
            if !goals.is_active {
                return false;
            }
            goals.pending.replace(goal)
        };
        if let Some(before) = before {
            // It was never taken.
            let _ = end(&before, Ended::Aborted, A::Result::default());
        }
        true
    }
}
