//! `saltus bench nav`: the published experiment on the composition of a navigation stack.
//!
//! Source: <https://github.com/gezp/nav2_composition_experiment>, whose sequence, samples and figures these are.
//!
//! | module | content |
//! |---|---|
//! | `published` | the published tables |
//! | `sample` | what processes cost |
//! | `manual` | the stack that is composed by a program |
//! | `stack` | the stack in processes of its own |
//! | `field` | the simulator and the commander |
//! | `table` | the tables |

mod field;
mod manual;
mod published;
mod sample;
mod stack;
mod table;

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use serde::Serialize;

use self::{field::Field, sample::Sampler, stack::Stack};
use crate::{error::RunError, interrupt, machine::Machine, process::Folder, report::print};

pub(crate) use self::manual::run as run_manual;
pub use self::stack::Case;

/// What is measured.
#[derive(Clone, Debug)]
pub struct NavOptions {
    /// The ways to run the stack.
    pub cases: Vec<Case>,
    /// The number of repetitions of each.
    pub runs: usize,
    /// The file of parameters of the stack.
    pub params: PathBuf,
    /// The file of the map.
    pub map: PathBuf,
    /// A folder for the table and the figures.
    pub out: Option<PathBuf>,
}

/// The figures of one repetition. Memory is in MiB.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Repetition {
    /// From the acceptance of the goal to the poll that sees its end, in seconds, as published.
    pub(crate) time: f64,
    /// From the acceptance of the goal to its end.
    pub(crate) exact_time: f64,
    /// In percent of a CPU.
    pub(crate) cpu: f64,
    pub(crate) memory: f64,
    pub(crate) rss: f64,
    pub(crate) pss: f64,
    pub(crate) uss: f64,
    /// From the request of a goal to the first velocity, in seconds.
    pub(crate) start: f64,
    /// From the end of the request to cancel to the velocity 0.
    pub(crate) cancel: f64,
    /// How far the robot is from its goal: metres, and radians.
    pub(crate) error: [f64; 2],
    pub(crate) recoveries: i16,
    pub(crate) samples: usize,
    /// The CPU time of each process or thread while the robot drives, in percent of a CPU.
    pub(crate) shares: BTreeMap<String, f64>,
}

/// Repeats the experiment, and prints its table.
///
/// # Errors
///
/// If the stack does not start, or if the robot does not reach its goal.
pub fn run_nav(options: &NavOptions) -> Result<(), RunError> {
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
    }
    Ok(())
}

/// How often the end of a goal is looked for, as published.
const POLL: Duration = Duration::from_secs(1);
/// How long the robot may drive.
const LONGEST: Duration = Duration::from_secs(120);
/// How long the robot drives before it is canceled, as published.
const DRIVE: Duration = Duration::from_secs(5);

fn sleep(time: Duration) -> Result<(), RunError> {
    interrupt::sleep_until(saltus::time::monotonic_now() + time.as_nanos() as u64)
}

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
    (result.error, result.recoveries) = (field.error(), field.recoveries(&task));
    sampler.means(&mut result);
    (result.start, result.cancel) = field.latencies(DRIVE)?;
    stack.end()?;
    field.end()?;
    Ok(result)
}
