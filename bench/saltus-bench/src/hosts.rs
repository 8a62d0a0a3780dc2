//! `saltus bench bridge`: two hosts with a bridge each, on a network of their own, beside zenoh alone on the same network.

mod exchange;
mod idle;
mod options;
mod roles;
mod scene;
mod streams;

use std::{fs, time::Duration};

use saltus_bench_network::LinkOptions;

use crate::{error::RunError, interrupt, machine::Machine, report::print};

pub(crate) use options::{HostsOptions, HostsPart};
pub(crate) use roles::run_role;

/// Runs the parts, and prints a table of each.
pub(crate) fn run_hosts(options: &HostsOptions) -> Result<(), RunError> {
    interrupt::install_handler()?;
    let mut text = format!("{}\n", Machine::describe().one_line());
    print(&text)?;
    for part in &options.parts {
        let measured = match part {
            HostsPart::Latency => exchange::measure(options, &[LinkOptions::default()]),
            HostsPart::Links => exchange::measure(options, &links()),
            HostsPart::Topics => streams::measure_topics(options),
            HostsPart::Slow => streams::measure_slow(options),
            HostsPart::Idle => idle::measure(options),
            HostsPart::Soak => streams::soak(options),
        };
        interrupt::check()?;
        let table = measured.map_err(|error| RunError::Failed("bridge".into(), error.to_string()))?;
        print(&table)?;
        text.push_str(&table);
    }
    match &options.out {
        None => Ok(()),
        Some(folder) => {
            let path = folder.join("table.md");
            let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, text));
            written.map_err(|error| RunError::Start(path.display().to_string(), error))
        }
    }
}

/// Returns the links with losses and a delay.
fn links() -> Vec<LinkOptions> {
    let late = Duration::from_millis(20);
    [(0, Duration::ZERO), (1, Duration::ZERO), (10, Duration::ZERO), (0, late), (1, late), (10, late)]
        .map(|(loss_percent, delay)| LinkOptions { loss_percent, delay, ..LinkOptions::default() })
        .into()
}
