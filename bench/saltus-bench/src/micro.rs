//! The benchmark of microcontrollers, with the measurements that micro-ROS published: memory, latency and throughput;
//! and the instructions of a publication, and a thousand clients of one agent.
//!
//! Source: "Benchmarking", tutorials of micro-ROS. The C programs are built from `micro/`, so the benchmark runs in a
//! working tree.

mod figures;
mod host;
mod latency;
mod memory;
mod options;
mod programs;
mod scale;
mod table;
mod throughput;

use crate::{error::RunError, interrupt, machine::Machine, report::print};

pub(crate) use host::{run_crowd, run_memory, run_role};
pub(crate) use options::{MicroOptions, MicroPart};

/// Measures, and prints tables.
pub(crate) fn run_micro(options: &MicroOptions) -> Result<(), RunError> {
    interrupt::install_handler()?;
    let machine = Machine::describe();
    print(&format!("{}\n", machine.one_line()))?;
    programs::build()?;
    let mut tables = Vec::new();
    for part in &options.parts {
        let measured = match part {
            MicroPart::Memory => memory::measure(),
            MicroPart::Latency => latency::measure(options),
            MicroPart::Throughput => throughput::measure(options),
            MicroPart::Scale => scale::measure(options),
        };
        interrupt::check()?;
        for table in measured? {
            print(&format!("\n{}", table.to_markdown()))?;
            tables.push(table);
        }
    }
    match &options.out {
        Some(folder) => table::write(folder, &machine, &tables),
        None => Ok(()),
    }
}
