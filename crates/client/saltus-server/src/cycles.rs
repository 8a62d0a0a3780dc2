//! An action server whose goals are done in cycles.

use std::{
    fmt,
    sync::{Arc, Mutex, Weak},
    task::Waker,
    time::Duration,
};

use saltus::{
    cdr::Action,
    executor::CallbackGroup,
    lifecycle::{LifecycleNode, WeakLifecycleNode},
    node::NodeError,
    time::{Timer, TimerBuilder},
    types::{WeakSelf, lock, try_new_cyclic},
};

use crate::goals::{GoalServer, Goals};

/// The work of a [`CycleServer`]. It is locked during a cycle.
pub trait CyclicWork: Send + 'static {
    /// The action.
    type Action: Action;

    /// Prepares for goals, when the server is activated. Returns whether that is possible.
    fn start(&mut self) -> bool {
        true
    }

    /// Does a cycle. Returns whether the work goes on after one period. Without a running goal, the cycle takes the pending goal. It is
    /// called again at once if it returns `false` and there is a pending goal.
    fn cycle(&mut self, cycle: &Cycle<'_, Self::Action>) -> bool;

    /// Whether a cycle is done at once when a goal comes, a goal is canceled, or the waker is called, while the work goes on. Otherwise
    /// the cycle after the period sees the change.
    fn reacts(&self, goals: &Goals<Self::Action>) -> bool {
        goals.is_canceled()
    }

    /// Stops the work, when the server is deactivated.
    fn stop(&mut self, node: &LifecycleNode);
}

/// The surroundings of a cycle.
pub struct Cycle<'a, A: Action> {
    /// The node of the server.
    pub node: &'a LifecycleNode,
    /// The goals of the server.
    pub goals: &'a Goals<A>,
    /// Lets the server see a change: see [`CyclicWork::reacts`].
    pub waker: &'a Waker,
}

/// An action server whose goals are done in cycles: one when a goal comes, and then one per period, as long as the work goes on.
pub struct CycleServer<W: CyclicWork>(Arc<Cycles<W>>);

/// The work of a [`CycleServer`], for other callbacks. It does not keep the server.
pub struct WorkHandle<W: CyclicWork>(Weak<Cycles<W>>);

struct Cycles<W: CyclicWork> {
    node: WeakLifecycleNode,
    state: Mutex<State<W>>,
    server: GoalServer<W::Action>,
    waker: Waker,
    /// It is stopped while no work goes on.
    timer: Timer,
}

struct State<W> {
    /// Whether cycles are done. A goal that was accepted before the deactivation may come after it.
    is_active: bool,
    work: W,
}

impl<A: Action> fmt::Debug for Cycle<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cycle").field("goals", self.goals).finish_non_exhaustive()
    }
}

impl<W: CyclicWork> fmt::Debug for CycleServer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CycleServer").field("server", &self.0.server).finish_non_exhaustive()
    }
}

impl<W: CyclicWork> fmt::Debug for WorkHandle<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkHandle").finish_non_exhaustive()
    }
}

impl<W: CyclicWork> Clone for WorkHandle<W> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<W: CyclicWork> CycleServer<W> {
    /// Opens the action `name`. The server is not active. Cycles are done in the group, which must be mutually exclusive. `timer` has the
    /// period and the clock. A result is kept for the time `result_timeout`.
    ///
    /// # Errors
    ///
    /// Returns an error if the action or the timer can't be opened.
    pub fn open(
        node: &LifecycleNode,
        group: &CallbackGroup,
        name: &str,
        result_timeout: Duration,
        timer: TimerBuilder,
        work: W,
    ) -> Result<Self, NodeError> {
        let cycles = try_new_cyclic(|cycles: &WeakSelf<Cycles<W>>| {
            let (changed, ticked) = (cycles.clone(), cycles.clone());
            let change =
                move |_: &Goals<W::Action>| changed.upgrade().iter().for_each(|cycles| cycles.change());
            let tick = move || ticked.upgrade().iter().for_each(|cycles| cycles.tick());
            let timer = timer.callback_group(group).callback(tick)?;
            timer.cancel();
            let server = GoalServer::open(node, group, name, result_timeout, change)?;
            let state = Mutex::new(State { is_active: false, work });
            Ok::<_, NodeError>(Cycles { node: node.downgrade(), state, waker: server.waker(), server, timer })
        })?;
        Ok(Self(cycles))
    }

    /// Accepts goals from now on. Returns whether the work can start.
    pub fn activate(&self) -> bool {
        let mut state = lock(&self.0.state);
        state.is_active = state.work.start();
        if state.is_active {
            self.0.server.activate();
        }
        state.is_active
    }

    /// Stops the work, rejects goals from now on, and ends the goals that there are.
    pub fn deactivate(&self, node: &LifecycleNode) {
        {
            let mut state = lock(&self.0.state);
            state.is_active = false;
            self.0.timer.cancel();
            state.work.stop(node);
        }
        self.0.server.deactivate();
    }

    /// Returns a handle to the work, for other callbacks.
    pub fn handle(&self) -> WorkHandle<W> {
        WorkHandle(Arc::downgrade(&self.0))
    }

    /// Returns a waker that lets the server see a change: see [`CyclicWork::reacts`].
    pub fn waker(&self) -> &Waker {
        &self.0.waker
    }
}

impl<W: CyclicWork> WorkHandle<W> {
    /// Calls a function with the work. Returns `None` if the server is gone. It waits for a cycle that is being done.
    pub fn with<R>(&self, run: impl FnOnce(&mut W) -> R) -> Option<R> {
        self.0.upgrade().map(|cycles| run(&mut lock(&cycles.state).work))
    }

    /// Sets the time between two cycles.
    pub fn set_period(&self, period: Duration) {
        if let Some(cycles) = self.0.upgrade() {
            cycles.timer.set_period(period);
        }
    }
}

impl<W: CyclicWork> Cycles<W> {
    /// Does a cycle if one is due because of a change.
    fn change(&self) {
        let mut state = lock(&self.state);
        let goals = self.server.goals();
        if !self.timer.is_cancelled() {
            if state.work.reacts(goals) {
                self.run(&mut state);
            }
        } else if goals.has_pending() {
            self.timer.reset();
            self.run(&mut state);
        }
    }

    fn tick(&self) {
        self.run(&mut lock(&self.state));
    }

    /// Does a cycle. If the work does not go on after it, the timer stops, unless a goal has come meanwhile.
    fn run(&self, state: &mut State<W>) {
        let Some(node) = self.node.upgrade() else { return };
        let goals = self.server.goals();
        let cycle = Cycle { node: &node, goals, waker: &self.waker };
        while state.is_active {
            if state.work.cycle(&cycle) {
                return;
            }
            if !goals.has_pending() {
                break;
            }
            self.timer.reset();
        }
        self.timer.cancel();
    }
}
