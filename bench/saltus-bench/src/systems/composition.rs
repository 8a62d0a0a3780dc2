//! `saltus bench composition`: the same nodes in each way to run them, and what that costs.

use std::{
    fs,
    path::{Path, PathBuf},
};

use saltus_bench_traffic::System;

use super::{
    installed::{copy_of_this_program, install},
    measured::Measured,
    middleware::Middleware,
    on_rclcpp::RclcppWay,
    setup::Setup,
    subject::{Subject, on_rclcpp},
    table::{AGES, COSTS, Column, LATENCIES, RATE, failures, head, interleave, measure, row, run},
    ways::Way,
};
use crate::{error::RunError, machine::Machine, process::Folder, report::print};

/// The options of the measurement.
#[derive(Clone, Debug)]
pub(crate) struct CompositionOptions {
    /// The work of the nodes.
    pub(crate) workloads: Vec<Workload>,
    /// The numbers of idle nodes.
    pub(crate) nodes: Vec<usize>,
    /// The duration of each run in seconds.
    pub(crate) seconds: f64,
    /// The number of interleaved runs.
    pub(crate) runs: usize,
    /// What rclcpp runs on, of what is there.
    pub(crate) middlewares: Vec<Middleware>,
    /// A folder for the table.
    pub(crate) out: Option<PathBuf>,
}

/// The work of the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Workload {
    /// Nothing.
    Idle,
    /// Eight stages: 1 KB at 1 kHz, 1 MB at 30 Hz, and 1 KB at full speed.
    Pipeline,
    /// The messages of Nav2.
    Robot,
}

const WAYS: [Way; 9] = [
    Way::Processes,
    Way::Standalone,
    Way::Container,
    Way::MultiThreaded,
    Way::Isolated,
    Way::IsolatedOnOneCpu,
    Way::CrashIsolated,
    Way::Manual,
    Way::ManualIsolated,
];

const ON_RCLCPP: [RclcppWay; 9] = [
    RclcppWay::Processes,
    RclcppWay::Container,
    RclcppWay::ContainerIntraProcess,
    RclcppWay::MultiThreaded,
    RclcppWay::Isolated,
    RclcppWay::Manual,
    RclcppWay::ManualIsolated,
    RclcppWay::IntraProcess,
    RclcppWay::Events,
];

/// Runs each workload in each way, and prints a table.
pub(crate) fn run_composition(options: &CompositionOptions) -> Result<(), RunError> {
    run(|| tables(options), options.out.as_deref())
}

/// A system, and how its messages are read and written.
struct Load {
    title: String,
    system: String,
    in_place: bool,
    columns: Vec<Column>,
}

fn tables(options: &CompositionOptions) -> Result<String, RunError> {
    let prefix = install()?;
    let folder = Folder::on_disk()?;
    let program = copy_of_this_program(folder.path())?;
    let (on_rclcpp, missing) = on_rclcpp(&options.middlewares, &ON_RCLCPP);
    let subjects = [&WAYS.map(Subject::Saltus)[..], &on_rclcpp].concat();
    let mut text = format!("{}\n{missing}", Machine::describe().one_line());
    print(&text)?;
    for load in loads(options, folder.path())? {
        let table = table(&load, &subjects, (&prefix, &program), options)?;
        print(&table)?;
        text += &table;
    }
    Ok(text)
}

fn loads(options: &CompositionOptions, folder: &Path) -> Result<Vec<Load>, RunError> {
    let mut loads = Vec::new();
    for workload in &options.workloads {
        match workload {
            Workload::Idle => {
                for count in &options.nodes {
                    loads.push(idle(*count, folder)?);
                }
            }
            Workload::Pipeline => {
                let load = |title: &str, system: &str| Load {
                    title: format!(
                        "pipeline: eight stages, {title}; messages read and written in place (rclcpp: owned)"
                    ),
                    system: system.into(),
                    in_place: true,
                    columns: [&[RATE][..], &AGES, &LATENCIES[5..], &COSTS].concat(),
                };
                loads.push(load("1 KB at 1 kHz", "pipeline_1khz"));
                loads.push(load("1 MB at 30 Hz", "pipeline_30hz"));
                loads.push(load("1 KB at full speed, one message on its way", "pipeline_full_speed"));
            }
            Workload::Robot => loads.push(Load {
                title: "robot: the messages of Nav2; messages owned, paced".into(),
                system: "robot".into(),
                in_place: false,
                columns: [&LATENCIES[..], &COSTS].concat(),
            }),
        }
    }
    Ok(loads)
}

/// Writes a system of nodes that do nothing.
fn idle(count: usize, folder: &Path) -> Result<Load, RunError> {
    let path = folder.join(format!("idle_{count}.yaml"));
    let nodes: String = (1..=count).map(|number| format!("  - name: idle{number}\n")).collect();
    fs::write(&path, format!("nodes:\n{nodes}"))
        .map_err(|error| RunError::Start(path.display().to_string(), error))?;
    let nodes = if count == 1 { "1 node".into() } else { format!("{count} nodes") };
    let title = format!("idle: {nodes}");
    Ok(Load { title, system: path.display().to_string(), in_place: false, columns: COSTS.to_vec() })
}

fn table(
    load: &Load,
    subjects: &[Subject],
    (prefix, program): (&Path, &Path),
    options: &CompositionOptions,
) -> Result<String, RunError> {
    let system = System::load(&load.system);
    let system = system.map_err(|error| RunError::Failed(load.system.clone(), error.to_string()))?;
    let outcomes = interleave(options.runs, subjects, |run, row| {
        eprintln!("[{}/{}] {}: {}", run + 1, options.runs, load.title, subjects[row].name());
        let (shm, files) = (Folder::new()?, Folder::on_disk()?);
        let setup = Setup {
            wait: "adaptive",
            in_place: load.in_place,
            name: &load.system,
            system: &system,
            prefix,
            program,
            shm: shm.path(),
            files: files.path(),
        };
        measure(subjects[row], &setup, options.seconds)
    })?;
    let (runs, seconds) = (options.runs, options.seconds);
    let mut text = format!(
        "\n{}; {runs} interleaved runs of {seconds} s, medians; wait strategy adaptive (rclcpp on ROS 2: block)\n\n",
        load.title
    );
    text += &head(&["nodes"], &load.columns);
    for (subject, outcomes) in subjects.iter().zip(&outcomes) {
        text += &row(&[&subject.name()], &load.columns, &outcomes.runs);
    }
    Ok(text + &failures(subjects, &outcomes))
}
