//! A process that contains nodes of a system, compiled in.

use saltus::{
    Context, SingleThreadedExecutor,
    component::{Factory, Isolation, ManualComposition, NodeOptions},
};
use saltus_bench_traffic::{Idle, Traffic};

use crate::{ends::parse_wait, process::shut_down_at_end_of_stdin};

use super::ways::IDLE;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Runs the nodes that the words name, until the standard input is closed.
pub(crate) fn run_role(words: &[String]) -> Result<(), Error> {
    let context = Context::from_args()?;
    let [plugin, nodes, isolation, wait, ..] = words else {
        return Err("traffic: expected PLUGIN NODE,NODE,… shared|isolated WAIT --ros-args …".into());
    };
    let factory = if plugin == IDLE { Factory::of::<Idle>() } else { Factory::of::<Traffic>() };
    let isolation = if isolation == "isolated" { Isolation::Thread } else { Isolation::Shared };
    let wait = parse_wait(wait).map_err(|error| error.to_string())?;
    shut_down_at_end_of_stdin(&context);
    let executor = SingleThreadedExecutor::new(&context)?.strategy(wait);
    let mut composition = ManualComposition::new(executor, isolation).strategy(wait);
    for node in nodes.split(',') {
        let options = NodeOptions::new(&context).use_global_arguments(true);
        composition
            .add_from(&factory, &options.arguments(["--ros-args", "-r", &format!("__node:={node}")])?)?;
    }
    Ok(composition.spin()?)
}
