//! Logging: loggers with levels, the console in the format of ROS 2, and `/rosout`.
//!
//! All messages go through the `tracing` crate. A context installs [`RosLayer`] as the subscriber of the process,
//! unless the program has a subscriber already. In that case the program may add the layer to its own subscriber.
//! Messages that other libraries log with `tracing` are printed too, under the name of their module.
//!
//! Source: `rcl_logging` and `rcutils/logging`, as far as they are documented.

mod console;
mod logger;
mod macros;
mod record;
mod rosout;

use std::sync::atomic::{AtomicBool, Ordering};

use saltus_types::Severity;
use tracing::{Event, Metadata, Subscriber, level_filters::LevelFilter};
use tracing_subscriber::{Layer, layer::Context as LayerContext, prelude::*};

use logger::lowest_level;
use record::{LogRecord, library_name, severity_of};

pub use logger::{Logger, logger_level, logger_levels, own_logger_level, set_logger_level};
pub use macros::{is_due, is_first};
pub use record::TARGET;
pub(crate) use rosout::Rosout;

static ARE_LIBRARIES_ON: AtomicBool = AtomicBool::new(true);

/// A `tracing` layer that prints the messages of loggers and libraries in the format of ROS 2, and publishes the
/// messages of nodes on `/rosout`.
#[derive(Clone, Copy, Debug, Default)]
pub struct RosLayer;

impl<S: Subscriber> Layer<S> for RosLayer {
    fn on_event(&self, event: &Event<'_>, _: LayerContext<'_, S>) {
        // A logger has checked its level already. The level of a library is checked here, not in `enabled`, because
        // `enabled` would apply to the other layers of the program too.
        if event.metadata().target() != TARGET && !is_library_enabled(event.metadata()) {
            return;
        }
        let mut record = LogRecord::of(event.metadata());
        event.record(&mut record);
        rosout::emit(record);
    }
}

fn is_library_enabled(metadata: &Metadata<'_>) -> bool {
    let enabled = || severity_of(*metadata.level()) >= logger_level(&library_name(metadata));
    ARE_LIBRARIES_ON.load(Ordering::Relaxed) && enabled()
}

/// A layer that turns off what no logger logs, so that it costs next to nothing: libraries such as zenoh have many messages for each
/// thing that they do. Only the subscriber of this library has it, because it applies to all layers of a subscriber.
struct LevelLayer;

impl<S: Subscriber> Layer<S> for LevelLayer {
    fn enabled(&self, metadata: &Metadata<'_>, _: LayerContext<'_, S>) -> bool {
        *metadata.level() <= level_filter()
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(level_filter())
    }
}

/// Returns the most verbose level that any logger logs.
fn level_filter() -> LevelFilter {
    match lowest_level() {
        Severity::Unset | Severity::Debug => LevelFilter::TRACE,
        Severity::Info => LevelFilter::INFO,
        Severity::Warn => LevelFilter::WARN,
        Severity::Error | Severity::Fatal => LevelFilter::ERROR,
    }
}

/// Makes [`RosLayer`] the `tracing` subscriber of the process, unless there is one already.
pub(crate) fn install() {
    let _ = tracing_subscriber::registry().with(RosLayer).with(LevelLayer).try_init();
}

/// Applies the logging arguments of the command line to the whole process.
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
        crate::log_at!(logger, Warn, WARN, {}, "{argument} has no effect: Saltus writes no log files");
    }
    if let Some(on) = args.stdout_logs {
        console::switch(on);
    }
    if let Some(on) = args.external_lib_logs {
        ARE_LIBRARIES_ON.store(on, Ordering::Relaxed);
    }
}
