//! Contexts: the membership of a process in the graph, and its shutdown.

use std::{
    fmt, io,
    path::PathBuf,
    sync::{
        Arc, LazyLock, Mutex, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use saltus_host::{
    Channel, DomainId, EndpointSpec, Graph, GraphEvent, GraphOwner, JoinError, OpenError, Participant,
    Signals, Waiter, Waker, WeakParticipant, group_id, may_use_group, on_termination,
};
use saltus_types::{Gid, lock};

use crate::{
    ArgsError, KeptMessage, Logger, RosArgs,
    kept::KeptMessages,
    logging::{self, Rosout},
    parameters::events::ParameterEvents,
};

/// The largest domain number, as in ROS 2 on Linux.
pub const MAX_DOMAIN: u32 = 232;
/// The exit code that a shell reports for an interrupted program.
const INTERRUPTED: i32 = 130;

/// The contexts that shut down on Ctrl-C.
static INTERRUPTIBLE: LazyLock<Mutex<Vec<Weak<ContextState>>>> = LazyLock::new(Mutex::default);

/// Why a context could not be created.
#[derive(thiserror::Error)]
pub enum ContextError {
    /// `ROS_DOMAIN_ID` is not a valid domain number.
    #[error("expected ROS_DOMAIN_ID to be a number from 0 to {MAX_DOMAIN}, found `{0}`")]
    Domain(String),
    /// The folder is relative: programs that are started in different folders would use different graphs.
    #[error("expected SALTUS_SHM_DIR to be an absolute path, found `{}`", .0.display())]
    Folder(PathBuf),
    /// The command line has an invalid argument for ROS.
    #[error(transparent)]
    Args(#[from] ArgsError),
    /// The group of users that should share the graph does not exist.
    #[error("expected SALTUS_GROUP to be a group of users, found `{0}`; `getent group` lists them")]
    Group(String),
    /// This process is not in the group of users that should share the graph.
    #[error(
        "{user} is not in group {group}, which SALTUS_GROUP names: add the user to the group (`usermod -aG`) and log in \
         again, or select another group"
    )]
    NotInGroup {
        /// The effective user of this process.
        user: GraphOwner,
        /// The group, as the user has given it.
        group: String,
    },
    /// The shared memory can't be used.
    #[error(transparent)]
    Join(#[from] JoinError),
    /// The handler of Ctrl-C can't be installed, for example because this process has another handler already.
    #[error("can't handle Ctrl-C: {0}; use ContextOptions::handle_signals(false)")]
    Signals(io::Error),
}

saltus_types::debug_as_display!(ContextError);

/// The options of a context.
///
/// The defaults are right for most programs: the context joins the domain that the environment names, and shuts down
/// on Ctrl-C.
#[derive(Clone, Debug)]
pub struct ContextOptions {
    domain: Option<u32>,
    folder: Option<PathBuf>,
    group: Option<String>,
    signals: Signals,
    on_signal: Option<OnSignal>,
    logging: bool,
    rosout: bool,
    args: RosArgs,
}

/// A function that is called when one of the signals of a context comes.
#[derive(Clone)]
struct OnSignal(Arc<dyn Fn() + Send + Sync>);

impl fmt::Debug for OnSignal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnSignal")
    }
}

impl Default for ContextOptions {
    fn default() -> Self {
        Self {
            domain: None,
            folder: None,
            group: None,
            signals: Signals::ALL,
            on_signal: None,
            logging: true,
            rosout: true,
            args: RosArgs::default(),
        }
    }
}

impl ContextOptions {
    /// Sets the domain. The default is the value of `ROS_DOMAIN_ID`, or 0 if it is unset.
    pub fn domain(mut self, number: u32) -> Self {
        self.domain = Some(number);
        self
    }

    /// Sets the folder of the domain's files. It must be on a memory file system. The default is the value of
    /// `SALTUS_SHM_DIR`, or `/dev/shm` if it is unset.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Sets the group of users that shares the graph, by name or number. The default is the value of `SALTUS_GROUP`.
    /// Without a group, the graph belongs to the effective user alone.
    pub fn group(mut self, group: impl Into<String>) -> Self {
        self.group = Some(group.into());
        self
    }

    /// Sets whether SIGINT, SIGTERM and SIGHUP shut the context down (default: yes).
    pub fn handle_signals(self, handle: bool) -> Self {
        self.signals(if handle { Signals::ALL } else { Signals::NONE })
    }

    /// Sets the signals that shut the context down, and whether these signals may have other handlers too.
    pub fn signals(mut self, signals: Signals) -> Self {
        self.signals = signals;
        self
    }

    /// Sets a function that is called when one of the signals comes. The context is not shut down by the signal then: the
    /// function should make another thread do that. A second signal ends the process. The function runs on a thread with a
    /// small stack.
    ///
    /// ```no_run
    /// # use saltus::context::ContextOptions;
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// let context = ContextOptions::default().on_signal(move || drop(sender.send(()))).create()?;
    /// receiver.recv()?;
    /// println!("ending");
    /// context.shut_down();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on_signal(mut self, function: impl Fn() + Send + Sync + 'static) -> Self {
        self.on_signal = Some(OnSignal(Arc::new(function)));
        self
    }

    /// Sets whether [`crate::RosLayer`] becomes the `tracing` subscriber of the process (default: yes). If the process
    /// has a subscriber already, that one stays.
    pub fn install_logging(mut self, install: bool) -> Self {
        self.logging = install;
        self
    }

    /// Sets whether log messages of nodes are published on `/rosout` (default: yes). The arguments that the user gives
    /// take precedence.
    pub fn rosout(mut self, publish: bool) -> Self {
        self.rosout = publish;
        self
    }

    /// Sets the arguments that the user gives to the nodes: names, parameters and log levels.
    pub fn args(mut self, args: RosArgs) -> Self {
        self.args = args;
        self
    }

    /// Returns the domain that these options select, together with the environment.
    pub fn domain_id(&self) -> Result<DomainId, ContextError> {
        let number = match self.domain {
            Some(number) => number,
            None => domain_from_environment()?,
        };
        if number > MAX_DOMAIN {
            return Err(ContextError::Domain(number.to_string()));
        }
        let mut id = DomainId::new(number);
        let folder = self.folder.clone().or_else(|| std::env::var_os("SALTUS_SHM_DIR").map(PathBuf::from));
        if let Some(folder) = folder {
            if folder.is_relative() {
                return Err(ContextError::Folder(folder));
            }
            id.folder = folder;
        }
        if let Some(group) = self.group_id()? {
            id.owner = GraphOwner::Group(group);
        }
        Ok(id)
    }

    /// Returns the group of users that shares the graph, if there is one.
    fn group_id(&self) -> Result<Option<u32>, ContextError> {
        let group = self.group.clone().or_else(|| std::env::var("SALTUS_GROUP").ok());
        let Some(group) = group.filter(|group| !group.is_empty()) else { return Ok(None) };
        let Some(id) = group_id(&group).ok().flatten() else { return Err(ContextError::Group(group)) };
        if !may_use_group(id) {
            return Err(ContextError::NotInGroup { user: GraphOwner::current_user(), group });
        }
        Ok(Some(id))
    }

    /// Joins the graph. Returns the context.
    pub fn create(self) -> Result<Context, ContextError> {
        if self.logging {
            logging::install();
        }
        logging::apply(&self.args);
        let participant = Participant::join(self.domain_id()?, Box::new(warn))?;
        let rosout = Rosout::new(&participant, self.args.rosout_logs.unwrap_or(self.rosout));
        let shared = Arc::new(ContextState {
            shutdown: AtomicBool::new(false),
            on_signal: self.on_signal,
            had_signal: AtomicBool::new(false),
            wakers: Mutex::default(),
            participant: participant.downgrade(),
            args: self.args,
            rosout,
            parameter_events: ParameterEvents::default(),
            kept: KeptMessages::default(),
        });
        if self.signals != Signals::NONE {
            handle_signals(&shared, self.signals)?;
        }
        Ok(Context { participant, shared })
    }
}

fn domain_from_environment() -> Result<u32, ContextError> {
    match std::env::var("ROS_DOMAIN_ID") {
        Ok(text) if !text.is_empty() => text.trim().parse().map_err(|_| ContextError::Domain(text)),
        _ => Ok(0),
    }
}

/// The membership of a process in the graph. A program creates nodes from it. Its shutdown ends all spins.
///
/// Cheap to clone. The process leaves the graph when the last clone, and everything that was created from it, is
/// dropped.
///
/// ```no_run
/// let context = saltus::Context::new()?;
/// let node = context.node("talker").create()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Context {
    pub(crate) participant: Participant,
    shared: Arc<ContextState>,
}

#[derive(Debug)]
struct ContextState {
    shutdown: AtomicBool,
    on_signal: Option<OnSignal>,
    /// Whether `on_signal` was called.
    had_signal: AtomicBool,
    wakers: Mutex<Vec<Weak<Waker>>>,
    /// The handle with which a shutdown wakes the threads that wait for a change of the graph.
    participant: WeakParticipant,
    args: RosArgs,
    rosout: Arc<Rosout>,
    parameter_events: ParameterEvents,
    kept: KeptMessages,
}

impl ContextState {
    /// Does what the first signal must do.
    fn interrupt(&self) {
        self.had_signal.store(true, Ordering::Release);
        match &self.on_signal {
            Some(OnSignal(function)) => function(),
            None => self.shut_down(),
        }
    }

    /// Whether the context ends already, so that a further signal ends the process.
    fn is_ending(&self) -> bool {
        self.shutdown.load(Ordering::Acquire) || self.had_signal.load(Ordering::Acquire)
    }

    fn shut_down(&self) {
        self.shutdown.store(true, Ordering::Release);
        let wakers = lock(&self.wakers);
        wakers.iter().filter_map(Weak::upgrade).for_each(|waker| waker.ring());
        drop(wakers);
        if let Some(participant) = self.participant.upgrade() {
            participant.wake_waiting();
        }
    }
}

/// Two handles are equal if they belong to the same context.
impl PartialEq for Context {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl Eq for Context {}

impl Context {
    /// Joins the graph with the settings of the environment and of the command line of this process. [`RosArgs::rest`]
    /// has the arguments that are not for ROS.
    pub fn from_args() -> Result<Self, ContextError> {
        let arguments = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
        ContextOptions::default().args(RosArgs::parse(arguments)?).create()
    }

    /// Returns the number with which loggers refer to the `/rosout` publisher of the context.
    pub(crate) fn rosout(&self) -> u64 {
        self.shared.rosout.id()
    }

    /// Returns the publisher of parameter events.
    pub(crate) fn parameter_events(&self) -> &ParameterEvents {
        &self.shared.parameter_events
    }

    /// Gives messages of an earlier process to the publishers that will be opened. The first transient-local publisher
    /// of the topic and type of a message keeps it for late subscriptions, as if it had published it.
    pub fn keep_messages(&self, messages: Vec<KeptMessage>) {
        self.shared.kept.add(messages);
    }

    /// Opens a publisher with the messages that were given for its topic.
    pub(crate) fn open_publisher(
        &self,
        spec: &EndpointSpec<'_>,
    ) -> Result<saltus_host::Publisher, OpenError> {
        self.shared.kept.open(&self.participant, spec)
    }

    /// Returns the arguments that the user gave on the command line.
    pub fn args(&self) -> &RosArgs {
        &self.shared.args
    }

    /// Joins the graph with the settings of the environment.
    pub fn new() -> Result<Self, ContextError> {
        ContextOptions::default().create()
    }

    /// Shuts the context down: every executor of the context ends its spin, and every blocking wait ends.
    pub fn shut_down(&self) {
        self.shared.shut_down();
    }

    /// Whether the context was shut down, by Ctrl-C or by [`Context::shut_down`].
    #[inline]
    pub fn is_shut_down(&self) -> bool {
        self.shared.shutdown.load(Ordering::Acquire)
    }

    /// Registers a waker that is rung when the context shuts down, unless the waker is dropped before. If the context
    /// is shut down already, rings the waker at once.
    pub fn on_shutdown(&self, waker: &Arc<Waker>) {
        let mut wakers = lock(&self.shared.wakers);
        wakers.retain(|other| other.strong_count() > 0);
        wakers.push(Arc::downgrade(waker));
        drop(wakers);
        if self.is_shut_down() {
            waker.ring();
        }
    }

    /// Returns the participant of the context in the graph. Programs that represent other systems use it to open
    /// entities that do not belong to this process.
    pub fn participant(&self) -> &Participant {
        &self.participant
    }

    /// Returns a gid that no other entity has.
    pub(crate) fn new_gid(&self) -> Gid {
        self.participant.new_gid()
    }

    /// Returns a waiter for entities of this context.
    pub fn waiter(&self) -> Result<Waiter, OpenError> {
        self.participant.waiter()
    }

    /// Waits until `condition` returns `true`, for at most `timeout`. Also ends when the context shuts down. Calls
    /// `condition` whenever the graph changes. Returns the last result of `condition`.
    pub fn wait_until(&self, timeout: Duration, mut condition: impl FnMut() -> bool) -> bool {
        let mut holds = false;
        self.participant.wait_until(timeout, || {
            holds = condition();
            holds || self.is_shut_down()
        });
        holds
    }

    /// Returns everything that this process knows of the graph.
    pub fn graph(&self) -> Graph {
        self.participant.graph()
    }
}

/// Installs a signal handler. The first signal shuts the context down. A second signal ends the process.
fn handle_signals(shared: &Arc<ContextState>, signals: Signals) -> Result<(), ContextError> {
    let mut contexts = lock(&INTERRUPTIBLE);
    contexts.retain(|context| context.strong_count() > 0);
    contexts.push(Arc::downgrade(shared));
    drop(contexts);
    on_termination(signals, interrupt).map_err(ContextError::Signals)
}

fn interrupt(is_shared: bool) {
    let contexts = lock(&INTERRUPTIBLE);
    let alive: Vec<_> = contexts.iter().filter_map(Weak::upgrade).collect();
    // If the signal has another handler too, only that handler may end the process.
    if !is_shared && alive.iter().all(|context| context.is_ending()) {
        std::process::exit(INTERRUPTED);
    }
    alive.iter().for_each(|context| context.interrupt());
}

/// Logs a warning about a problem in the graph.
fn warn(event: &GraphEvent) {
    // A mismatch between a client and a server is reported once, for the endpoints of requests.
    if let GraphEvent::IncompatibleQos { local, .. } | GraphEvent::IncompatibleType { local, .. } = event
        && local.channel() == Channel::Response
    {
        return;
    }
    crate::log_at!(Logger::new("saltus"), Warn, WARN, {}, "{}", describe(event));
}

fn describe(event: &GraphEvent) -> String {
    use saltus_host::EndpointKind::Publisher;
    match event {
        GraphEvent::IncompatibleQos { local, policy, .. } if local.channel() == Channel::Request => format!(
            "Incompatible QoS on service '{}'. No requests will be exchanged. Last incompatible policy: {policy}",
            local.name()
        ),
        GraphEvent::IncompatibleType { local, remote } if local.channel() == Channel::Request => format!(
            "Incompatible types on service '{}': local {} ({}), remote {} ({}). No requests will be exchanged",
            local.name(),
            local.type_name,
            local.type_hash,
            remote.type_name,
            remote.type_hash
        ),
        GraphEvent::IncompatibleQos { local, policy, .. } if local.kind == Publisher => format!(
            "New subscription discovered on topic '{}', requesting incompatible QoS. No messages will be sent to it. Last incompatible policy: {policy}",
            local.topic
        ),
        GraphEvent::IncompatibleQos { local, policy, .. } => format!(
            "New publisher discovered on topic '{}', offering incompatible QoS. No messages will be received from it. Last incompatible policy: {policy}",
            local.topic
        ),
        GraphEvent::IncompatibleType { local, remote } => format!(
            "Incompatible types on topic '{}': local {} ({}), remote {} ({}). No messages will be exchanged",
            local.topic, local.type_name, local.type_hash, remote.type_name, remote.type_hash
        ),
        GraphEvent::Unreachable { process, pid, reason } => {
            format!("Can't use the shared memory of process {pid} (member {process:016x}): {reason}")
        }
        GraphEvent::Unlisted { reason } => {
            format!(
                "New processes can't find this process: it could not be listed: {reason}. It tries again every second"
            )
        }
        GraphEvent::Expelled { reason } => {
            format!("This context can't take part in its graph any more: {reason}. Create a new context")
        }
        GraphEvent::Unreadable { process, entries } => format!(
            "{entries} entries of process {process:016x} can't be read. It may run another version of Saltus"
        ),
        GraphEvent::NotConnected { subscription, reason } => {
            format!(
                "Can't connect subscription {} on topic '{}': {reason}",
                subscription.gid,
                subscription.name()
            )
        }
    }
}
