//! Loggers and their levels.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, LazyLock, PoisonError, RwLock,
        atomic::{AtomicU8, AtomicU64, Ordering},
    },
};

use saltus_host::system_now;
use saltus_types::{NodeName, Severity};

use super::{record::LogRecord, rosout};

/// The levels that were set, by the name of the logger. `""` is the root. A logger without a level has the level of its
/// nearest ancestor that has one.
static LEVELS: LazyLock<RwLock<HashMap<String, Severity>>> = LazyLock::new(RwLock::default);
/// The lowest level in `LEVELS`, and of the root.
static LOWEST: AtomicU8 = AtomicU8::new(Severity::Info as u8);
/// Counts changes of `LEVELS`, so that a logger sees with one load whether its cached level is still valid.
static CHANGES: AtomicU64 = AtomicU64::new(1);

/// A logger: a named source of log messages, such as a node or a part of a node. Cheap to clone.
///
/// ```
/// # use saltus::log::{Logger, Severity};
/// let logger = Logger::new("planner");
/// saltus::info!(logger, "{} paths", 3);
/// assert!(!logger.child("search").is_enabled(Severity::Debug));
/// ```
#[derive(Clone)]
pub struct Logger(Arc<LoggerState>);

struct LoggerState {
    name: String,
    /// The number of the context on whose `/rosout` publisher the messages are published. 0 for none.
    context: u64,
    /// The level in the low 8 bits, and above them the value of `CHANGES` at which the level was looked up.
    cached: AtomicU64,
}

impl fmt::Debug for Logger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logger").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl Logger {
    /// Creates a logger that only prints on the console. [`crate::Node::logger`] returns the logger of a node.
    pub fn new(name: &str) -> Self {
        Self::named(name.into(), 0)
    }

    pub(crate) fn of_node(node: &NodeName, context: u64) -> Self {
        Self::named(node.fully_qualified().trim_start_matches('/').replace('/', "."), context)
    }

    fn named(name: String, context: u64) -> Self {
        Self(Arc::new(LoggerState { name, context, cached: AtomicU64::new(0) }))
    }

    /// Returns a child logger. It has the level of this logger, unless its own level is set.
    pub fn child(&self, name: &str) -> Self {
        Self::named(format!("{}.{name}", self.name()), self.context())
    }

    /// Returns the name of the logger. The parts of the name are separated by dots.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Whether the logger logs messages of a severity. This costs two loads, unless a level has changed since the last
    /// call.
    pub fn is_enabled(&self, severity: Severity) -> bool {
        severity as u64 >= self.level()
    }

    /// Returns the level of the logger, like [`logger_level`]. Takes it from the cache if that is valid.
    fn level(&self) -> u64 {
        // The count is loaded before the level is looked up. If a level changes between the two, the next call looks
        // the level up again.
        let changes = CHANGES.load(Ordering::Acquire);
        let cached = self.0.cached.load(Ordering::Relaxed);
        if cached >> 8 == changes {
            return cached & 0xff;
        }
        let level = logger_level(self.name()) as u64;
        self.0.cached.store(changes << 8 | level, Ordering::Relaxed);
        level
    }

    /// Sets the level: the logger logs only messages of at least that severity. With `Unset`, the logger has the level
    /// of its nearest ancestor.
    pub fn set_level(&self, severity: Severity) {
        set_logger_level(self.name(), severity);
    }

    /// Logs a message for a program in another language. The file, function and line are the location in that program.
    pub fn log_from(
        &self,
        severity: Severity,
        (file, function, line): (String, String, u32),
        message: String,
    ) {
        if self.is_enabled(severity) {
            rosout::emit(LogRecord {
                severity,
                name: self.name().into(),
                message,
                context: self.context(),
                file: file.into(),
                line,
                function: function.into(),
                time: system_now().as_nanos(),
                is_from_logger: true,
            });
        }
    }

    #[doc(hidden)]
    pub fn context(&self) -> u64 {
        self.0.context
    }
}

/// Returns the level of a logger: the lowest severity that it logs. If its own level is not set, this is the level of
/// its nearest ancestor that has one. The ancestors of `a.b.c` are `a.b`, `a` and the root. The level of the root is
/// `Info` if it is not set.
pub fn logger_level(name: &str) -> Severity {
    let levels = LEVELS.read().unwrap_or_else(PoisonError::into_inner);
    let mut name = name;
    loop {
        match levels.get(name) {
            Some(severity) => return *severity,
            None if name.is_empty() => return Severity::Info,
            None => name = name.rsplit_once('.').map_or("", |(parent, _)| parent),
        }
    }
}

/// Sets the level of a logger, or of the root (`""`). `Unset` removes the level.
pub fn set_logger_level(name: &str, severity: Severity) {
    let mut levels = LEVELS.write().unwrap_or_else(PoisonError::into_inner);
    match severity {
        Severity::Unset => levels.remove(name),
        _ => levels.insert(name.into(), severity),
    };
    CHANGES.fetch_add(1, Ordering::Release);
    let root = levels.get("").copied().unwrap_or(Severity::Info);
    let lowest = levels.values().copied().fold(root, Severity::min);
    if LOWEST.swap(lowest as u8, Ordering::AcqRel) != lowest as u8 {
        drop(levels);
        // What `tracing` has noted of each message, whether it is on, is looked up again.
        tracing::callsite::rebuild_interest_cache();
    }
}

/// Returns the loggers that have a level of their own, and these levels. The root has the name `""`.
pub fn logger_levels() -> Vec<(String, Severity)> {
    let levels = LEVELS.read().unwrap_or_else(PoisonError::into_inner);
    levels.iter().map(|(name, severity)| (name.clone(), *severity)).collect()
}

/// Returns the level that a logger has of its own, or `Unset` if it has that of its nearest ancestor. The root (`""`) always has
/// one.
pub fn own_logger_level(name: &str) -> Severity {
    if name.is_empty() {
        return logger_level(name);
    }
    let levels = LEVELS.read().unwrap_or_else(PoisonError::into_inner);
    levels.get(name).copied().unwrap_or(Severity::Unset)
}

/// Returns the lowest level of all loggers, also of those to come.
pub(super) fn lowest_level() -> Severity {
    let lowest = LOWEST.load(Ordering::Acquire);
    [Severity::Debug, Severity::Info, Severity::Warn, Severity::Error]
        .into_iter()
        .find(|severity| *severity as u8 >= lowest)
        .unwrap_or(Severity::Fatal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logger_has_the_level_of_its_nearest_ancestor_that_has_one() {
        set_logger_level("test.one", Severity::Error);
        assert_eq!(logger_level("test.one.two.three"), Severity::Error);
        assert_eq!(logger_level("test.onething"), Severity::Info);
        let logger = Logger::new("test.one").child("two");
        logger.set_level(Severity::Debug);
        assert!(logger.is_enabled(Severity::Debug) && !Logger::new("test.one").is_enabled(Severity::Warn));
        logger.set_level(Severity::Unset);
        assert!(!logger.is_enabled(Severity::Warn));
    }

    #[test]
    fn a_cached_level_is_looked_up_again_when_the_level_of_an_ancestor_changes() {
        let logger = Logger::new("cached.one.two");
        assert!(logger.is_enabled(Severity::Info) && !logger.is_enabled(Severity::Debug));
        for (ancestor, severity) in [("cached", Severity::Error), ("cached.one", Severity::Debug)] {
            set_logger_level(ancestor, severity);
            assert_eq!(logger.level(), severity as u64, "by {ancestor}");
        }
        // A clone of the logger, and another logger of its name, see the change too.
        set_logger_level("cached.one", Severity::Fatal);
        assert!(!logger.clone().is_enabled(Severity::Error));
        assert!(!Logger::new("cached.one.two").is_enabled(Severity::Error));
    }
}
