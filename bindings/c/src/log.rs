//! Logging.

use std::ffi::{CString, c_char, c_void};

use saltus::log::{Logger as OwnLogger, Severity, logger_level, logger_levels, set_logger_level};

use crate::{
    node::Node,
    pointers,
    status::{Failure, Status, create, destroy, given, run, value},
};

/// Information for the developer.
pub const SALTUS_SEVERITY_DEBUG: u8 = 10;
/// What happens.
pub const SALTUS_SEVERITY_INFO: u8 = 20;
/// Something that may be a fault.
pub const SALTUS_SEVERITY_WARN: u8 = 30;
/// A fault.
pub const SALTUS_SEVERITY_ERROR: u8 = 40;
/// A fault after which the program can't go on.
pub const SALTUS_SEVERITY_FATAL: u8 = 50;

fn severity(number: u8) -> Severity {
    match number {
        0 => Severity::Unset,
        1..=10 => Severity::Debug,
        11..=20 => Severity::Info,
        21..=30 => Severity::Warn,
        31..=40 => Severity::Error,
        _ => Severity::Fatal,
    }
}

/// A logger. Its records are printed on the console. Those of the logger of a node are published on /rosout too.
#[derive(Debug)]
pub struct Logger(OwnLogger);

/// Creates a logger by its name. Dots in the name separate levels: "a.b" is below "a".
#[unsafe(no_mangle)]
pub extern "C" fn saltus_logger_create(name: *const c_char, logger: Option<&mut *mut Logger>) -> Status {
    create(logger, || Ok(Logger(OwnLogger::new(pointers::text(name, "name of a logger")?))))
}

/// Returns a handle of the logger of a node.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_logger(node: Option<&Node>, logger: Option<&mut *mut Logger>) -> Status {
    create(logger, || Ok(Logger(given(node, "node")?.inner.logger())))
}

/// Creates a logger below another one. Its records go where those of the other one go.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_logger_child(
    parent: Option<&Logger>,
    name: *const c_char,
    logger: Option<&mut *mut Logger>,
) -> Status {
    create(logger, || Ok(Logger(given(parent, "logger")?.0.child(pointers::text(name, "name of a logger")?))))
}

/// Destroys a logger.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_logger_destroy(logger: Option<Box<Logger>>) {
    destroy(logger);
}

/// Returns whether records of a severity are logged.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_logger_is_enabled(logger: Option<&Logger>, severity_number: u8) -> bool {
    value(false, || logger.is_some_and(|logger| logger.0.is_enabled(severity(severity_number))))
}

/// Logs a record. `file`, `function` and `line` say where; the texts may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_log(
    logger: Option<&Logger>,
    severity_number: u8,
    file: *const c_char,
    function: *const c_char,
    line: u32,
    message: *const c_char,
) -> Status {
    run(|| {
        let text = |text, what| {
            Ok::<_, Failure>(pointers::optional_text(text, what)?.unwrap_or_default().to_owned())
        };
        let place = (text(file, "name of a file")?, text(function, "name of a function")?, line);
        let message = pointers::lossy_text(message, "message")?;
        given(logger, "logger")?.0.log_from(severity(severity_number), place, message);
        Ok(())
    })
}

/// Sets the level of a logger: records below it are not logged. The empty name is that of all loggers. 0 is the level of the
/// logger above it.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_logger_set_level(name: *const c_char, severity_number: u8) -> Status {
    run(|| {
        set_logger_level(pointers::text(name, "name of a logger")?, severity(severity_number));
        Ok(())
    })
}

/// Returns the level of a logger: its own, or that of the nearest one above it.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_logger_level(name: *const c_char) -> u8 {
    value(0, || pointers::text(name, "name of a logger").map_or(0, |name| logger_level(name) as u8))
}

/// Gets a logger that has a level of its own. The name of the root is "". The name is valid until the function returns.
pub type LevelFunction = Option<extern "C" fn(context: *mut c_void, name: *const c_char, severity: u8)>;

/// Calls a function for each logger that has a level of its own, with that level.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_logger_levels(function: LevelFunction, context: *mut c_void) -> Status {
    run(|| {
        let function = function.ok_or_else(|| Failure::argument("the function is NULL"))?;
        for (name, level) in logger_levels() {
            // A name with a zero byte can't come from a program in C.
            if let Ok(name) = CString::new(name) {
                function(context, name.as_ptr(), level as u8);
            }
        }
        Ok(())
    })
}
