//! The action `simulate_steps`: many steps, with feedback, until they are done or cancelled.

use std::sync::mpsc::SyncSender;

use saltus::{
    ActionServer, Node,
    action::{CancelResponse, GoalHandle},
    msgs::simulation_interfaces::{
        action::{SimulateSteps, SimulateSteps_Feedback, SimulateSteps_Result},
        msg::Result as Answer,
    },
    node::NodeError,
};

use crate::runner::{Request, Runner};

/// The number of steps that are taken before other requests have their turn.
const AT_ONCE: u64 = 100;

pub(crate) fn open(
    node: &Node,
    sender: &SyncSender<Request>,
) -> Result<ActionServer<SimulateSteps>, NodeError> {
    let sender = sender.clone();
    ActionServer::<SimulateSteps>::on(node, "simulate_steps").on_cancel(|_| CancelResponse::Accept).execute(
        move |goal: GoalHandle<SimulateSteps>| {
            // A goal that can't be read has no steps.
            let steps = goal.goal().map_or(0, |goal| goal.steps);
            Work { goal, sender: sender.clone(), completed: 0, steps }.send();
        },
    )
}

/// A goal that is being done. It is dropped if too many requests wait, or after the end of the simulation.
struct Work {
    goal: GoalHandle<SimulateSteps>,
    sender: SyncSender<Request>,
    completed: u64,
    steps: u64,
}

impl Work {
    /// Lets the thread of the simulation go on with the goal.
    fn send(self) {
        let sender = self.sender.clone();
        let _ = sender.try_send(Box::new(move |runner| self.go_on(runner)));
    }

    fn go_on(mut self, runner: &mut Runner) {
        // An error means that the client has left.
        if self.goal.is_canceling() {
            let _ = self.goal.canceled(result(Answer::RESULT_OPERATION_FAILED, "the goal was cancelled"));
            return;
        }
        if !runner.is_paused {
            let text = "the simulation must be paused before it takes single steps";
            let _ = self.goal.abort(result(Answer::RESULT_INCORRECT_STATE, text));
            return;
        }
        let now = AT_ONCE.min(self.steps - self.completed);
        let taken = runner.steps(now);
        self.completed += taken;
        if taken < now {
            let _ = self.goal.abort(result(Answer::RESULT_OPERATION_FAILED, "the simulation has ended"));
            return;
        }
        let feedback = SimulateSteps_Feedback {
            completed_steps: self.completed,
            remaining_steps: self.steps - self.completed,
        };
        let _ = self.goal.publish_feedback(&feedback);
        if self.completed == self.steps {
            let _ = self.goal.succeed(result(Answer::RESULT_OK, ""));
        } else {
            self.send();
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // After its end, a goal can't be aborted.
        let text = "the simulation has ended, or too many requests wait";
        let _ = self.goal.abort(result(Answer::RESULT_OPERATION_FAILED, text));
    }
}

fn result(result: u8, text: &str) -> SimulateSteps_Result {
    SimulateSteps_Result { result: Answer { result, error_message: text.into() } }
}
