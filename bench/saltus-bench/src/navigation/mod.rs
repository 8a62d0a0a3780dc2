//! `saltus bench nav`: the published experiment on the composition of a navigation stack.
//!
//! Source: <https://github.com/gezp/nav2_composition_experiment>, whose sequence, samples and figures these are.
//!
//! | module | content |
//! |---|---|
//! | `types` | what is measured, and the figures |
//! | `published` | the published tables |
//! | `sample` | what processes cost |
//! | `manual` | the stack that is composed by a program |
//! | `stack` | the stack in processes of its own |
//! | `field` | the simulator and the commander |
//! | `table` | the tables |
//! | `plot` | the plot of the cost |

mod field;
mod manual;
mod plot;
mod published;
mod sample;
mod stack;
mod table;
mod types;

use std::{
    collections::BTreeMap,
    fs,
    time::{Duration, Instant},
};

use self::{
    field::Field,
    sample::Sampler,
    stack::Stack,
    types::{Repetition, sleep},
};
use crate::{error::RunError, interrupt, machine::Machine, process::Folder, report::print};

pub(crate) use self::manual::run as run_manual;
pub(crate) use self::types::{Case, NavOptions};

/// Repeats the experiment, and prints its table.
///
/// # Errors
///
/// If the stack does not start, or if the robot does not reach its goal.
pub(crate) fn run_nav(options: &NavOptions) -> Result<(), RunError> {
    interrupt::install_handler()?;
    let mut text = format!("{}\n", Machine::describe().one_line());
    print(&text)?;
    let mut results: Vec<Vec<Repetition>> = vec![Vec::new(); options.cases.len()];
    for run in 0..options.runs {
        for (case, results) in options.cases.iter().zip(&mut results) {
            eprintln!("[{}/{}] {}", run + 1, options.runs, case.name());
            results.push(repetition(*case, options)?);
        }
    }
    let tables = table::tables(&options.cases, &results);
    print(&tables)?;
    text += &tables;
    if let Some(out) = &options.out {
        let failed = |error| RunError::Start(out.display().to_string(), error);
        fs::create_dir_all(out).map_err(failed)?;
        fs::write(out.join("table.md"), &text).map_err(failed)?;
        let all: BTreeMap<&str, &Vec<Repetition>> =
            options.cases.iter().map(|case| case.name()).zip(&results).collect();
        let json = serde_json::to_string_pretty(&all)
            .map_err(|error| RunError::Failed("the figures".into(), error.to_string()))?;
        fs::write(out.join("runs.json"), json).map_err(failed)?;
        plot::write(out, &options.cases, &results)
            .map_err(|error| RunError::Failed("the plot".into(), error))?;
    }
    Ok(())
}

/// The interval at which the end of a goal is looked for, as published.
const POLL: Duration = Duration::from_secs(1);
/// The longest time that the robot may drive.
const LONGEST: Duration = Duration::from_secs(120);
/// The time for which the robot drives before it is canceled, as published.
const DRIVE: Duration = Duration::from_secs(5);

/// Starts the simulator and the stack, drives to the goal, and ends both.
fn repetition(case: Case, options: &NavOptions) -> Result<Repetition, RunError> {
    let shm = Folder::new()?;
    let field = Field::start(shm.path())?;
    let stack = Stack::start(case, shm.path(), options)?;
    field.wait_until_found()?;
    let mut sampler = Sampler::new(&stack.processes()?)?;
    let mut result = Repetition::default();
    let mut task = field.go_to_goal()?;
    let accepted = Instant::now();
    sampler.prime()?;
    let shares = stack.cpu_times()?;
    let end = loop {
        if let Some(end) = field.poll(&mut task)? {
            break end;
        }
        if accepted.elapsed() > LONGEST {
            return Err(RunError::Failed(case.name().into(), "the goal is not reached".into()));
        }
        sampler.sample()?;
        sleep(POLL)?;
    };
    let driven = accepted.elapsed().as_secs_f64();
    result.shares = stack::shares(&shares, &stack.cpu_times()?, driven);
    (result.time, result.exact_time) = (driven, end.duration_since(accepted).as_secs_f64());
    (result.estimate, result.error) = (field.estimate(&task), field.error());
    result.recoveries = field.recoveries(&task);
    result.path = field.path();
    sampler.means(&mut result);
    (result.start, result.cancel) = field.latencies(DRIVE)?;
    stack.end()?;
    field.end()?;
    Ok(result)
}
