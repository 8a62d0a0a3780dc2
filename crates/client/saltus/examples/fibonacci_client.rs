//! A client of an action that computes Fibonacci numbers. It prints the feedback and the result:
//! `cargo run --example fibonacci_client`.

use saltus::{
    ActionClient, Context, Executor, SingleThreadedExecutor,
    action::GoalOptions,
    msgs::example_interfaces::action::{Fibonacci, Fibonacci_Goal},
};
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::from_args()?;
    let node = context.node("fibonacci_client").create()?;
    let client = ActionClient::<Fibonacci>::on(&node, "fibonacci").create()?;
    if !client.wait_for_server(Duration::from_secs(10)) {
        return Err("no server of 'fibonacci' was found within 10 s; start fibonacci_server".into());
    }
    let options = GoalOptions::<Fibonacci>::default()
        .on_feedback(|feedback| println!("so far: {:?}", feedback.sequence));
    let sent = client.send_goal_with(&Fibonacci_Goal { order: 10 }, options)?;
    let mut executor = SingleThreadedExecutor::new(&context)?;
    executor.add_node(&node);
    let work = async { sent.await?.result()?.await };
    let Some(result) = executor.spin_until_future_complete(work, None)? else { return Ok(()) };
    let result = result?;
    println!("{}: {:?}", result.status(), result.value()?.sequence);
    Ok(())
}
