//! Logging: loggers with levels, the console in ROS's format, and `/rosout`.
//!
//! Everything goes through the `tracing` crate. A context installs [`RosLayer`] as the process's
//! subscriber, unless the program has one already; then it may take the layer into its own. What other
//! libraries say by `tracing` is printed too, under the name of their module.
//!
//! Source: `rcl_logging` and `rcutils/logging`, as far as they are documented.

use std::{
    borrow::Cow,
    collections::HashMap,
    env, fmt,
    io::{self, IsTerminal, Write},
    sync::{
        Arc, LazyLock, Mutex, PoisonError, RwLock, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use saltus_host::{NodeEntry, NodeSpec, OpenError, Participant, monotonic_now, system_now};
use saltus_msgs::{builtin_interfaces::msg::Time as TimeMessage, rcl_interfaces::msg::Log};
use saltus_types::{NodeName, QoS, Severity, TopicName};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{Layer, layer::Context as LayerContext, prelude::*};

use crate::{
    publish_error::PublishValueError,
    spec::{Type, spec},
    sync::lock,
};

/// The target by which the layer knows what a logger says from what other libraries say.
#[doc(hidden)]
pub const TARGET: &str = "ros";
/// As in ROS 2.
const DEFAULT_FORMAT: &str = "[{severity}] [{time}] [{name}]: {message}";

/// Levels that were set, by logger; `""` is the root. What is not set is that of the nearest ancestor.
static LEVELS: LazyLock<RwLock<HashMap<String, Severity>>> = LazyLock::new(RwLock::default);
/// Counts changes of `LEVELS`, so that a logger sees with one load whether the level that it remembers still holds.
static CHANGES: AtomicU64 = AtomicU64::new(1);
/// Where the messages of each context's loggers go besides the console.
static ROSOUTS: LazyLock<RwLock<HashMap<u64, Weak<Rosout>>>> = LazyLock::new(RwLock::default);
static CONSOLE: LazyLock<Console> = LazyLock::new(Console::from_environment);
static IS_CONSOLE_ON: AtomicBool = AtomicBool::new(true);
static ARE_LIBRARIES_ON: AtomicBool = AtomicBool::new(true);

/// Who says something: a node, or a part of one. Cheap to clone.
///
/// ```
/// # use saltus_node::{Logger, Severity};
/// let logger = Logger::new("planner");
/// saltus_node::info!(logger, "{} paths", 3);
/// assert!(!logger.child("search").is_enabled(Severity::Debug));
/// ```
#[derive(Clone)]
pub struct Logger(Arc<Speaker>);

struct Speaker {
    name: String,
    /// The context whose `/rosout` it speaks on; 0 for none.
    context: u64,
    /// Its level, and above that the count of changes by which it was looked up.
    known: AtomicU64,
}

impl fmt::Debug for Logger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logger").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl Logger {
    /// A logger that speaks on the console only. That of a node is [`crate::Node::logger`].
    pub fn new(name: &str) -> Self {
        Self::named(name.into(), 0)
    }

    pub(crate) fn of_node(node: &NodeName, context: u64) -> Self {
        Self::named(node.fully_qualified().trim_start_matches('/').replace('/', "."), context)
    }

    fn named(name: String, context: u64) -> Self {
        Self(Arc::new(Speaker { name, context, known: AtomicU64::new(0) }))
    }

    /// A logger below this one, which has its level unless it is given its own.
    pub fn child(&self, name: &str) -> Self {
        Self::named(format!("{}.{name}", self.name()), self.context())
    }

    /// Its name: the node's, with dots.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Whether it says things of that severity. Costs two loads, unless a level has changed since it was asked last.
    pub fn is_enabled(&self, severity: Severity) -> bool {
        severity as u64 >= self.level()
    }

    /// As [`logger_level`] has it, remembered.
    fn level(&self) -> u64 {
        // Before the level is looked up: one that changes meanwhile is looked up again next time.
        let changes = CHANGES.load(Ordering::Acquire);
        let known = self.0.known.load(Ordering::Relaxed);
        if known >> 8 == changes {
            return known & 0xff;
        }
        let level = logger_level(self.name()) as u64;
        self.0.known.store(changes << 8 | level, Ordering::Relaxed);
        level
    }

    /// Says only things of at least that severity from now on; `Unset` for what its ancestors say.
    pub fn set_level(&self, severity: Severity) {
        set_logger_level(self.name(), severity);
    }

    /// Says something for a program in another language, at a place of that: file, function and line.
    pub fn say_from(
        &self,
        severity: Severity,
        (file, function, line): (String, String, u32),
        message: String,
    ) {
        if self.is_enabled(severity) {
            let said = Said {
                severity,
                name: self.name().into(),
                message,
                context: self.context(),
                file: file.into(),
                line,
                function: function.into(),
                time: system_now().as_nanos(),
                is_ours: true,
            };
            said.go_out();
        }
    }

    #[doc(hidden)]
    pub fn context(&self) -> u64 {
        self.0.context
    }
}

/// The severity from which on a logger says things: its own, or that of its nearest ancestor (by dots)
/// that has one, or that of the root, which is `Info` at first.
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

/// Sets the level of a logger, or of the root (`""`); `Unset` takes it away.
pub fn set_logger_level(name: &str, severity: Severity) {
    let mut levels = LEVELS.write().unwrap_or_else(PoisonError::into_inner);
    match severity {
        Severity::Unset => levels.remove(name),
        _ => levels.insert(name.into(), severity),
    };
    CHANGES.fetch_add(1, Ordering::Release);
}

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
        said.go_out();
    }
}

fn is_library_enabled(metadata: &Metadata<'_>) -> bool {
    let enabled = || severity_of(*metadata.level()) >= logger_level(&library_name(metadata));
    ARE_LIBRARIES_ON.load(Ordering::Relaxed) && enabled()
}

fn library_name(metadata: &Metadata<'_>) -> String {
    metadata.target().replace("::", ".")
}

fn severity_of(level: Level) -> Severity {
    match level {
        Level::ERROR => Severity::Error,
        Level::WARN => Severity::Warn,
        Level::INFO => Severity::Info,
        _ => Severity::Debug,
    }
}

/// Something that was said.
struct Said {
    severity: Severity,
    name: String,
    message: String,
    context: u64,
    file: Cow<'static, str>,
    line: u32,
    function: Cow<'static, str>,
    time: i64,
    /// Whether one of our macros said it, whose fields have a meaning.
    is_ours: bool,
}

impl Said {
    fn of(metadata: &'static Metadata<'static>) -> Self {
        Self {
            severity: severity_of(*metadata.level()),
            name: library_name(metadata),
            message: String::new(),
            context: 0,
            file: metadata.file().unwrap_or("").into(),
            line: metadata.line().unwrap_or(0),
            function: metadata.module_path().unwrap_or("").into(),
            time: system_now().as_nanos(),
            is_ours: metadata.target() == TARGET,
        }
    }
}

impl Said {
    /// Prints it, and sends it to `/rosout`.
    fn go_out(self) {
        if IS_CONSOLE_ON.load(Ordering::Relaxed) {
            CONSOLE.print(&self);
        }
        let rosout =
            ROSOUTS.read().unwrap_or_else(PoisonError::into_inner).get(&self.context).and_then(Weak::upgrade);
        if let Some(rosout) = rosout {
            rosout.publish(self);
        }
    }
}

impl Visit for Said {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        use fmt::Write;
        let written = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            // Further fields of a library's event.
            name => write!(self.message, " {name}={value:?}"),
        };
        // Writing to a string fails only if a `Debug` does.
        let _ = written;
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "logger" if self.is_ours => self.name = value.into(),
            _ => self.record_debug(field, &format_args!("{value}")),
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "context" if self.is_ours => self.context = value,
            "fatal" if self.is_ours => self.severity = Severity::Fatal,
            _ => self.record_debug(field, &value),
        }
    }
}

/// How the console is written to.
#[derive(Debug)]
struct Console {
    format: String,
    is_stdout: bool,
    is_colored: bool,
}

impl Console {
    fn from_environment() -> Self {
        let is_set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let is_stdout = is_set("RCUTILS_LOGGING_USE_STDOUT").is_some_and(|value| value == "1");
        let is_terminal = if is_stdout { io::stdout().is_terminal() } else { io::stderr().is_terminal() };
        Self {
            format: is_set("RCUTILS_CONSOLE_OUTPUT_FORMAT").unwrap_or_else(|| DEFAULT_FORMAT.into()),
            is_stdout,
            is_colored: is_set("RCUTILS_COLORIZED_OUTPUT").map_or(is_terminal, |value| value == "1"),
        }
    }

    /// Writes a line. A closed console is no reason to fail.
    fn print(&self, said: &Said) {
        let line = self.line(said);
        let _ = match self.is_stdout {
            true => io::stdout().write_all(line.as_bytes()),
            false => io::stderr().write_all(line.as_bytes()),
        };
    }

    fn line(&self, said: &Said) -> String {
        let text = fill_in(&self.format, said);
        let color = match said.severity {
            Severity::Debug => 32,
            Severity::Warn => 33,
            Severity::Error | Severity::Fatal => 31,
            Severity::Unset | Severity::Info => 0,
        };
        if self.is_colored { format!("\x1b[{color}m{text}\x1b[0m\n") } else { text + "\n" }
    }
}

/// Replaces each `{token}` of a format; what is none stays as it is.
fn fill_in(format: &str, said: &Said) -> String {
    let mut text = String::new();
    let mut rest = format;
    while let Some((before, behind)) = rest.split_once('{') {
        text += before;
        let Some((token, after)) = behind.split_once('}') else {
            rest = &rest[before.len()..];
            break;
        };
        match token_value(token, said) {
            Some(value) => text += &value,
            None => text.extend(["{", token, "}"]),
        }
        rest = after;
    }
    text + rest
}

fn token_value(token: &str, said: &Said) -> Option<String> {
    let (seconds, nanos) = (said.time.div_euclid(1_000_000_000), said.time.rem_euclid(1_000_000_000));
    Some(match token {
        "severity" => said.severity.to_string(),
        "name" => said.name.clone(),
        "message" => said.message.clone(),
        "function_name" => said.function.to_string(),
        "file_name" => said.file.to_string(),
        "line_number" => said.line.to_string(),
        "time" => format!("{seconds}.{nanos:09}"),
        "time_as_nanoseconds" => said.time.to_string(),
        _ => return None,
    })
}

/// A context's voice on `/rosout`.
///
/// One publisher per context, opened when a node first says something: so many nodes of a process are one
/// connection for whoever listens. It belongs to a hidden node.
pub(crate) struct Rosout {
    id: u64,
    opened: Mutex<Opened>,
}

enum Opened {
    /// Nobody has said anything yet.
    Not(Participant),
    Yes {
        publisher: Arc<saltus_host::Publisher>,
        _node: NodeEntry,
    },
    /// It could not be opened, or is not wanted.
    Never,
}

impl fmt::Debug for Rosout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rosout").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Rosout {
    pub(crate) fn new(participant: &Participant, is_wanted: bool) -> Arc<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let opened = if is_wanted { Opened::Not(participant.clone()) } else { Opened::Never };
        let rosout = Arc::new(Self { id, opened: Mutex::new(opened) });
        let mut all = ROSOUTS.write().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, other| other.strong_count() > 0);
        all.insert(id, Arc::downgrade(&rosout));
        rosout
    }

    /// By which loggers name it.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    fn publish(&self, said: Said) {
        let mut opened = lock(&self.opened);
        if let Opened::Not(participant) = &*opened {
            *opened = open(participant, self.id).unwrap_or_else(|error| {
                CONSOLE.print(&Said {
                    message: format!("can't open /rosout: {error}"),
                    severity: Severity::Error,
                    ..said_by_us()
                });
                Opened::Never
            });
        }
        let publisher = match &*opened {
            Opened::Yes { publisher, .. } => publisher.clone(),
            _ => return,
        };
        // Whoever publishes may have to wait for a slow reader.
        drop(opened);
        {
            let log = log_message(said);
            let write = |bytes: &mut [u8]| Ok(saltus_cdr::encode_into(&log, bytes)?);
            // A message that is not sent is counted by its publisher, and stands on the console.
            let _: Result<(), PublishValueError> =
                publisher.publish_with(saltus_cdr::encoded_len(&log), write);
        }
    }
}

fn open(participant: &Participant, id: u64) -> Result<Opened, OpenError> {
    let hidden = NodeName::new("/", &format!("_rosout_{}_{id}", std::process::id()));
    let topic = hidden.as_ref().ok().and_then(|name| TopicName::expand("/rosout", name).ok());
    // Both names are made here and keep the rules.
    let (Ok(name), Some(topic)) = (hidden, topic) else { return Ok(Opened::Never) };
    let node = participant.node(&NodeSpec::new(&name))?;
    let publisher = participant.publisher(&spec(&node, &topic, &Type::of::<Log>(), QoS::rosout(), None))?;
    Ok(Opened::Yes { publisher: Arc::new(publisher), _node: node })
}

fn log_message(said: Said) -> Log {
    let (sec, nanosec) = (said.time.div_euclid(1_000_000_000), said.time.rem_euclid(1_000_000_000));
    Log {
        // Seconds of a signed 32-bit number: until 2038, as ROS 2 has it.
        stamp: TimeMessage { sec: i32::try_from(sec).unwrap_or(i32::MAX), nanosec: nanosec as u32 },
        level: said.severity as u8,
        name: said.name,
        msg: said.message,
        file: said.file.into_owned(),
        function: said.function.into_owned(),
        line: said.line,
    }
}

fn said_by_us() -> Said {
    Said {
        severity: Severity::Warn,
        name: "saltus".into(),
        message: String::new(),
        context: 0,
        file: file!().into(),
        line: line!(),
        function: module_path!().into(),
        time: system_now().as_nanos(),
        is_ours: true,
    }
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
        IS_CONSOLE_ON.store(on, Ordering::Relaxed);
    }
    if let Some(on) = args.external_lib_logs {
        ARE_LIBRARIES_ON.store(on, Ordering::Relaxed);
    }
}

/// For the macros: whether this is the first time.
#[doc(hidden)]
pub fn is_first(before: &AtomicBool) -> bool {
    !before.swap(true, Ordering::Relaxed)
}

/// For the macros: whether so many nanoseconds have passed since this was last so.
#[doc(hidden)]
pub fn is_due(last: &AtomicU64, period: std::time::Duration) -> bool {
    let (now, before) = (monotonic_now(), last.load(Ordering::Relaxed));
    let passed =
        before == 0 || now.saturating_sub(before) >= u64::try_from(period.as_nanos()).unwrap_or(u64::MAX);
    passed && last.compare_exchange(before, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
}

/// Says something at a severity that is known only at run time: `log!(logger, severity, "…", …)`.
#[macro_export]
macro_rules! log {
    ($logger:expr, $severity:expr, $($text:tt)+) => {
        match $severity {
            $crate::Severity::Unset | $crate::Severity::Debug => $crate::debug!($logger, $($text)+),
            $crate::Severity::Info => $crate::info!($logger, $($text)+),
            $crate::Severity::Warn => $crate::warn!($logger, $($text)+),
            $crate::Severity::Error => $crate::error!($logger, $($text)+),
            $crate::Severity::Fatal => $crate::fatal!($logger, $($text)+),
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! say_at {
    ($logger:expr, $severity:ident, $level:ident, { $($field:tt)* }, $($text:tt)+) => {{
        let logger: &$crate::Logger = &$logger;
        if logger.is_enabled($crate::Severity::$severity) {
            $crate::__tracing::event!(
                target: $crate::__TARGET, $crate::__tracing::Level::$level,
                logger = logger.name(), context = logger.context(), $($field)* $($text)+
            );
        }
    }};
}

/// Defines the macros of a severity: always, once, and at most once per period.
macro_rules! severity_macros {
    ($dollar:tt $name:ident, $once:ident, $throttle:ident, $severity:ident, $level:ident, { $($field:tt)* }) => {
        /// Says something at this severity: `(logger, "format", values…)`.
        #[macro_export]
        macro_rules! $name {
            ($dollar logger:expr, $dollar($dollar text:tt)+) => {
                $crate::say_at!($dollar logger, $severity, $level, { $($field)* }, $dollar($dollar text)+)
            };
        }

        /// As above, but only the first time that this line is reached.
        #[macro_export]
        macro_rules! $once {
            ($dollar logger:expr, $dollar($dollar text:tt)+) => {{
                static SAID: ::std::sync::atomic::AtomicBool = ::std::sync::atomic::AtomicBool::new(false);
                let logger: &$crate::Logger = &$dollar logger;
                if logger.is_enabled($crate::Severity::$severity) && $crate::__is_first(&SAID) {
                    $crate::$name!(*logger, $dollar($dollar text)+);
                }
            }};
        }

        /// As above, but at most once per period: `(logger, Duration::from_secs(1), "format", values…)`.
        #[macro_export]
        macro_rules! $throttle {
            ($dollar logger:expr, $dollar period:expr, $dollar($dollar text:tt)+) => {{
                static LAST: ::std::sync::atomic::AtomicU64 = ::std::sync::atomic::AtomicU64::new(0);
                let logger: &$crate::Logger = &$dollar logger;
                if logger.is_enabled($crate::Severity::$severity) && $crate::__is_due(&LAST, $dollar period) {
                    $crate::$name!(*logger, $dollar($dollar text)+);
                }
            }};
        }
    };
}

severity_macros!($ debug, debug_once, debug_throttle, Debug, DEBUG, {});
severity_macros!($ info, info_once, info_throttle, Info, INFO, {});
severity_macros!($ warn, warn_once, warn_throttle, Warn, WARN, {});
severity_macros!($ error, error_once, error_throttle, Error, ERROR, {});
severity_macros!($ fatal, fatal_once, fatal_throttle, Fatal, ERROR, { fatal = 1u64, });

#[cfg(test)]
mod tests {
    use super::*;

    fn said() -> Said {
        Said { time: 1_500_000_000, message: "hello {name}".into(), name: "a.b".into(), ..said_by_us() }
    }

    #[test]
    fn a_line_has_the_form_that_the_format_says() {
        let line = |format: &str| {
            Console { format: format.into(), is_stdout: false, is_colored: false }.line(&said())
        };
        assert_eq!(line(DEFAULT_FORMAT), "[WARN] [1.500000000] [a.b]: hello {name}\n");
        assert_eq!(line("{time_as_nanoseconds} {nonsense} {"), "1500000000 {nonsense} {\n");
        let colored = Console { format: "{message}".into(), is_stdout: false, is_colored: true };
        assert_eq!(colored.line(&said()), "\x1b[33mhello {name}\x1b[0m\n");
    }

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
    fn a_level_that_a_logger_remembers_is_looked_up_again_when_an_ancestor_gets_another() {
        let logger = Logger::new("remembered.one.two");
        assert!(logger.is_enabled(Severity::Info) && !logger.is_enabled(Severity::Debug));
        for (ancestor, severity) in [("remembered", Severity::Error), ("remembered.one", Severity::Debug)] {
            set_logger_level(ancestor, severity);
            assert_eq!(logger.level(), severity as u64, "by {ancestor}");
        }
        // What others hold is the same logger, or another of its name: both see it.
        set_logger_level("remembered.one", Severity::Fatal);
        assert!(!logger.clone().is_enabled(Severity::Error));
        assert!(!Logger::new("remembered.one.two").is_enabled(Severity::Error));
    }

    #[test]
    fn once_and_throttle_let_through_what_they_should() {
        let (first, last) = (AtomicBool::new(false), AtomicU64::new(0));
        assert_eq!((is_first(&first), is_first(&first)), (true, false));
        let long = std::time::Duration::from_secs(1000);
        assert_eq!((is_due(&last, long), is_due(&last, long)), (true, false));
        assert!(is_due(&last, std::time::Duration::ZERO));
    }
}
