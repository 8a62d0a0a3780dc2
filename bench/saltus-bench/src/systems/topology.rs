//! `saltus bench topology`: a described system, as one process and as many.

use std::path::{Path, PathBuf};

use saltus_bench_traffic::{BUNDLED, System};

use super::{
    installed::copy_of_this_program,
    measured::Measured,
    middleware::Middleware,
    on_rclcpp::RclcppWay,
    setup::Setup,
    subject::{Subject, on_rclcpp},
    table::{
        AGES, COSTS, Column, LATENCIES, LATENESS, Outcome, failures, head, interleave, measure, row, run,
    },
    ways::Way,
};
use crate::{error::RunError, machine::Machine, process::Folder, report::print};

/// The options of the measurement.
#[derive(Clone, Debug)]
pub(crate) struct TopologyOptions {
    /// Names of bundled systems, or paths of files.
    pub(crate) systems: Vec<String>,
    /// The duration of each run in seconds.
    pub(crate) seconds: f64,
    /// The number of interleaved runs.
    pub(crate) runs: usize,
    /// The wait strategies.
    pub(crate) waits: Vec<String>,
    /// Whether messages are read and written in place.
    pub(crate) in_place: bool,
    /// What rclcpp runs on, of what is there.
    pub(crate) middlewares: Vec<Middleware>,
    /// A folder for the table.
    pub(crate) out: Option<PathBuf>,
}

const WAYS: [Way; 3] = [Way::Manual, Way::ManualIsolated, Way::ManualProcesses];
const ON_RCLCPP: [RclcppWay; 5] = [
    RclcppWay::Manual,
    RclcppWay::IntraProcess,
    RclcppWay::Events,
    RclcppWay::ManualIsolated,
    RclcppWay::Processes,
];

/// Runs each system in each way, and prints a table.
pub(crate) fn run_topology(options: &TopologyOptions) -> Result<(), RunError> {
    run(|| tables(options), options.out.as_deref())
}

fn tables(options: &TopologyOptions) -> Result<String, RunError> {
    let loaded = |name: &String| match System::load(name) {
        Ok(system) => Ok((name.clone(), system)),
        Err(error) => Err(RunError::Failed("the system".into(), error.to_string())),
    };
    // All files are read first, so that a mistake in the last one is known at once.
    let systems: Vec<(String, System)> = options.systems.iter().map(loaded).collect::<Result<_, _>>()?;
    let (on_rclcpp, missing) = on_rclcpp(&options.middlewares, &ON_RCLCPP);
    let mut text = format!("{}\n{missing}", Machine::describe().one_line());
    print(&text)?;
    let folder = Folder::on_disk()?;
    let program = copy_of_this_program(folder.path())?;
    for (name, system) in &systems {
        let table = table((name, system), &on_rclcpp, &program, options)?;
        print(&table)?;
        text += &table;
    }
    Ok(text)
}

fn table(
    (name, system): (&str, &System),
    on_rclcpp: &[Subject],
    program: &Path,
    options: &TopologyOptions,
) -> Result<String, RunError> {
    let with_waits = |way| options.waits.iter().map(move |wait| (Subject::Saltus(way), wait.as_str()));
    let on_rclcpp = on_rclcpp.iter().map(|subject| (*subject, subject.own_wait()));
    let (subjects, waits): (Vec<Subject>, Vec<&str>) =
        WAYS.into_iter().flat_map(with_waits).chain(on_rclcpp).unzip();
    let outcomes = interleave(options.runs, &subjects, |run, row| {
        let (subject, wait) = (subjects[row], waits[row]);
        eprintln!("[{}/{}] {name}: {}, {wait}", run + 1, options.runs, subject.name());
        once((name, system), program, (subject, wait), options)
    })?;
    let received = if options.in_place { "read and written in place (rclcpp: owned)" } else { "owned" };
    let is_paced = system.nodes.iter().flat_map(|node| &node.publish).all(|cycle| cycle.hz > 0.0);
    let pace = if is_paced { "paced" } else { "at full speed" };
    let mut text = format!(
        "\n{name}: {} nodes, {} publishers, {} connections; {} interleaved runs of {} s, medians; messages {received}, {pace}\n\n",
        system.nodes.len(),
        system.outputs().len(),
        system.connections(),
        options.runs,
        options.seconds
    );
    let ages: &[Column] = if system.ends.is_empty() { &[] } else { &AGES };
    let columns: Vec<Column> = [&LATENESS[..], &LATENCIES, ages, &COSTS].concat();
    text += &head(&["nodes", "wait"], &columns);
    for ((subject, wait), outcomes) in subjects.iter().zip(&waits).zip(&outcomes) {
        text += &row(&[&subject.name(), wait], &columns, &outcomes.runs);
    }
    Ok(text + &failures(&subjects, &outcomes))
}

fn once(
    (name, system): (&str, &System),
    program: &Path,
    (subject, wait): (Subject, &str),
    options: &TopologyOptions,
) -> Result<Outcome, RunError> {
    let (shm, files) = (Folder::new()?, Folder::on_disk()?);
    let is_bundled = BUNDLED.iter().any(|(bundled, _)| *bundled == name);
    let path = std::path::absolute(name).ok().filter(|_| !is_bundled);
    let name = path.map_or_else(|| name.to_owned(), |path| path.display().to_string());
    let setup = Setup {
        wait,
        in_place: options.in_place,
        name: &name,
        system,
        prefix: files.path(),
        program,
        shm: shm.path(),
        files: files.path(),
    };
    measure(subject, &setup, options.seconds)
}
