//! A node with an action that computes Fibonacci numbers.

use std::time::Duration;

use saltus::{
    ActionServer, Node,
    action::{CancelResponse, GoalError, GoalHandle},
    msgs::example_interfaces::action::{Fibonacci, Fibonacci_Feedback, Fibonacci_Result},
    node::NodeError,
};

/// Serves `fibonacci` for as long as the returned server exists. Goals can be cancelled.
pub fn serve(node: &Node) -> Result<ActionServer<Fibonacci>, NodeError> {
    let logger = node.logger();
    ActionServer::<Fibonacci>::on(node, "fibonacci").on_cancel(|_| CancelResponse::Accept).execute(move |goal| {
        let logger = logger.clone();
        // The goal runs on a separate thread, so that the executor can run other callbacks meanwhile.
        std::thread::spawn(move || {
            if let Err(error) = compute(&goal) {
                saltus::warn!(logger, "{error}");
            }
        });
    })
}

/// Computes ten numbers per second, and sends them as feedback.
fn compute(goal: &GoalHandle<Fibonacci>) -> Result<(), GoalError> {
    let order = goal.goal().map_or(0, |goal| goal.order).max(0) as usize;
    let mut sequence = vec![0, 1];
    while sequence.len() <= order {
        if goal.is_canceling() {
            return goal.canceled(Fibonacci_Result { sequence });
        }
        sequence.push(sequence[sequence.len() - 1].wrapping_add(sequence[sequence.len() - 2]));
        goal.publish_feedback(&Fibonacci_Feedback { sequence: sequence.clone() })?;
        // This stands for work that takes time.
        std::thread::sleep(Duration::from_millis(100));
    }
    goal.succeed(Fibonacci_Result { sequence })
}
