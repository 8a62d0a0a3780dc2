//! Logging: loggers with levels, the console in ROS's format, and `/rosout`.
//!
//! Everything goes through the `tracing` crate. A context installs [`RosLayer`] as the process's
//! subscriber, unless the program has one already; then it may take the layer into its own. What other
//! libraries say by `tracing` is printed too, under the name of their module.
//!
//! Source: `rcl_logging` and `rcutils/logging`, as far as they are documented.

mod console;
mod logger;
mod macros;
mod rosout;
mod said;

use std::sync::atomic::{AtomicBool, Ordering};

use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::{Layer, layer::Context as LayerContext, prelude::*};

use said::{Said, library_name, severity_of};

pub use logger::{Logger, logger_level, set_logger_level};
pub use macros::{is_due, is_first};
pub(crate) use rosout::Rosout;
pub use said::TARGET;

static ARE_LIBRARIES_ON: AtomicBool = AtomicBool::new(true);

/// Prints what loggers and libraries say in ROS's format, and sends what nodes say to `/rosout`.
#[derive(Clone, Copy, Debug, Default)]
pub struct RosLayer;

impl<S: Subscriber> Layer<S> for RosLayer {
    fn on_event(&self, event: &Event<'_>, _: LayerContext<'_, S>) {
        // A logger has looked at its level itself. Looked at here, not in `enabled`, which would hold for the
        // program's other layers too.
        if event.metadata().target() != TARGET && !is_library_enabled(event.metadata()) {
            return;
        }
        let mut said = Said::of(event.metadata());
        event.record(&mut said);
        rosout::tell(said);
    }
}

fn is_library_enabled(metadata: &Metadata<'_>) -> bool {
    let enabled = || severity_of(*metadata.level()) >= logger_level(&library_name(metadata));
    ARE_LIBRARIES_ON.load(Ordering::Relaxed) && enabled()
}

/// Makes [`RosLayer`] the process's subscriber of `tracing`, unless there is one.
pub(crate) fn install() {
    let _ = tracing_subscriber::registry().with(RosLayer).try_init();
}

/// What the command line says of logging, for the whole process.
pub(crate) fn apply(args: &crate::RosArgs) {
    for (logger, severity) in &args.log_levels {
        set_logger_level(logger.as_deref().unwrap_or(""), *severity);
    }
    let without_effect = [
        ("--log-config-file", args.log_config_file.is_some()),
        ("--log-file-name", args.log_file_name.is_some()),
    ];
    for (argument, _) in without_effect.into_iter().filter(|(_, given)| *given) {
        let logger = Logger::new("saltus");
        crate::say_at!(logger, Warn, WARN, {}, "{argument} has no effect: there are no log files");
    }
    if let Some(on) = args.stdout_logs {
        console::switch(on);
    }
    if let Some(on) = args.external_lib_logs {
        ARE_LIBRARIES_ON.store(on, Ordering::Relaxed);
    }
}
