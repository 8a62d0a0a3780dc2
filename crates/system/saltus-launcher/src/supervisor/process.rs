//! One process: its state, and the transitions between its states.

use std::time::Duration;

use super::{
    restarts::Restarts,
    rules::{Exit, Id, Rules, Time},
    state::{AfterExit, NodeLoss, Phase, Run, Signal, State},
};

/// The time for which a process may go on after its node has left the graph. It may be about to end.
pub(super) const LEAVING: Duration = Duration::from_secs(5);

/// An instruction to the caller of the supervisor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Instruction {
    /// Start the process.
    Start(Id),
    /// Send a signal to the process.
    Send(Id, Signal),
    /// Tell the user that the process is started again at the time.
    ReportRestart { id: Id, at: Time, restarts: u32 },
    /// Tell the user that the process was not ready in time.
    ReportNotReady(Id),
    /// Tell the user that the node of the process has left the graph, but the process goes on.
    ReportNodeLoss(Id),
    /// Tell the user that everything ends because of this process.
    EndBecauseOf(Id),
    /// Tell the user that the process is never started, because another one has ended without being ready, or has not loaded
    /// the component that the process waits for.
    Abandon { id: Id, because: Id },
}

/// A process of a launch, as the supervisor sees it.
pub(super) struct Process {
    pub(super) rules: Rules,
    pub(super) state: State,
    pub(super) restarts: Restarts,
}

impl Process {
    /// Returns a process that waits for others.
    pub(super) fn new(rules: Rules) -> Self {
        let restarts = Restarts::new(rules.restart);
        Self { rules, state: State::Waiting, restarts }
    }

    pub(super) fn start(&mut self, now: Time) {
        let deadline = self.rules.ready_timeout.map(|timeout| now + timeout);
        self.state = State::Running(Run::new(deadline));
    }

    /// Makes a process ready. Returns false if it does not start, or is ready already.
    pub(super) fn become_ready(&mut self, now: Time) -> bool {
        match &mut self.state {
            State::Running(Run { phase: phase @ Phase::Starting { .. }, .. }) => {
                *phase = Phase::Ready { since: now };
                true
            }
            _ => false,
        }
    }

    /// Notes that the node of the process has left the graph, or has come back.
    pub(super) fn set_node_presence(&mut self, is_present: bool, now: Time) {
        let State::Running(run) = &mut self.state else { return };
        run.node = match (is_present, run.node) {
            (true, _) => NodeLoss::None,
            (false, NodeLoss::Confirmed) => NodeLoss::Confirmed,
            (false, _) => NodeLoss::Pending { at: now + LEAVING },
        };
    }

    /// Notes whether the lifecycle node of the process has an error. Returns whether the process runs.
    pub(super) fn set_error(&mut self, has_error: bool) -> bool {
        let State::Running(run) = &mut self.state else { return false };
        run.has_error = has_error;
        true
    }

    /// Confirms that the node of a process that runs is lost.
    pub(super) fn confirm_node_loss(&mut self) {
        if let State::Running(run) = &mut self.state {
            run.node = NodeLoss::Confirmed;
        }
    }

    /// Forgets the deadline of a process that starts. It may still become ready.
    pub(super) fn forget_deadline(&mut self) {
        if let State::Running(Run { phase: Phase::Starting { deadline }, .. }) = &mut self.state {
            *deadline = None;
        }
    }

    /// Ends a process that is unhealthy, if it is to be started again.
    pub(super) fn end_unhealthy(&mut self, id: Id, now: Time) -> Option<Instruction> {
        self.reset_delay(now);
        let is_restarted = self.restarts.are_allowed_after(true);
        is_restarted.then(|| self.send(id, Signal::Int, AfterExit::BackOff, now))
    }

    /// Returns the step that follows when the process has ended.
    pub(super) fn after_exit(&self, exit: Exit) -> AfterExit {
        match self.state {
            State::Ending { then, .. } => then,
            State::Running(_) if self.restarts.are_allowed_after(exit.is_failure()) => AfterExit::BackOff,
            _ => AfterExit::Stay,
        }
    }

    /// Changes the step that follows when a process that is asked to end has ended.
    pub(super) fn set_after_exit(&mut self, step: AfterExit) {
        if let State::Ending { then, .. } = &mut self.state {
            *then = step;
        }
    }

    /// Starts the process again, because the user wants it.
    pub(super) fn restart(&mut self, id: Id, now: Time) -> Instruction {
        self.restarts.count_immediate();
        self.start(now);
        Instruction::Start(id)
    }

    /// Waits before the next start.
    pub(super) fn back_off(&mut self, id: Id, exit: Exit, now: Time) -> Instruction {
        self.reset_delay(now);
        let until = now + self.restarts.count_delayed(exit);
        self.state = State::Backoff { until };
        Instruction::ReportRestart { id, at: until, restarts: self.restarts.count() }
    }

    fn reset_delay(&mut self, now: Time) {
        if let State::Running(Run { phase: Phase::Ready { since }, .. }) = self.state {
            self.restarts.reset_delay_after(now.saturating_sub(since));
        }
    }

    /// Sends a signal that ends the process.
    pub(super) fn send(&mut self, id: Id, signal: Signal, then: AfterExit, now: Time) -> Instruction {
        let next = match signal {
            Signal::Int => Some(now + self.rules.sigterm_timeout),
            Signal::Term => Some(now + self.rules.sigkill_timeout),
            Signal::Kill => None,
        };
        self.state = State::Ending { signal, next, then };
        Instruction::Send(id, signal)
    }

    /// Sends the next signal to a process that was asked to end.
    pub(super) fn send_next(&mut self, id: Id, now: Time) -> Option<Instruction> {
        let State::Ending { signal, then, .. } = self.state else { return None };
        Some(self.send(id, signal.next()?, then, now))
    }
}
