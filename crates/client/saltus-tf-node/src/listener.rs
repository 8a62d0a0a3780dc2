//! Receives transforms into a buffer.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use saltus_executor::{Executor, ExecutorHandle, SingleThreadedExecutor};
use saltus_msgs::tf2_msgs::msg::TFMessage;
use saltus_node::{
    CallbackGroup, CallbackGroupKind, Context, Graph, JumpHandle, JumpThreshold, Logger, Node, NodeError,
    OpenError, Received, Subscription,
};
use saltus_tf::Buffer;
use saltus_types::{Gid, QoS};

use crate::{DEPTH, STATIC_LISTENER, STATIC_TOPIC, TOPIC, messages::from_message};

/// The largest number of faults that are logged, so that a hostile sender can't fill the log.
const MAX_FAULTS: usize = 100;
/// The largest number of characters of a fault that are logged. A name may be as long as a message.
const MAX_FAULT_LENGTH: usize = 500;
/// The time after which the name of an unknown publisher is searched again in the graph.
const SEARCH_PERIOD: Duration = Duration::from_secs(1);
/// The largest number of publishers whose names are kept.
const MAX_NAMES: usize = 1000;

/// Receives `/tf` and `/tf_static` into a [`Buffer`], until it is dropped. If the clock of the node jumps
/// back, or its source changes, the buffer is cleared: see [`Buffer::clear`].
///
/// A transform that is refused is a warning in the log of the node, once for each frame and reason.
///
/// ```no_run
/// use saltus::{Time, tf::{Buffer, TransformListener}};
/// let context = saltus::Context::new()?;
/// let node = context.node("planner").create()?;
/// let buffer = Buffer::default();
/// let _listener = TransformListener::new(&node, &buffer)?;
/// // While an executor spins the node:
/// let base = buffer.lookup("map", "base", Time::default());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TransformListener {
    _receiver: Receiver,
    /// The thread, if it has one of its own.
    thread: Option<(ExecutorHandle, JoinHandle<()>)>,
}

/// The entities of a listener.
struct Receiver {
    _subscriptions: [Subscription<TFMessage>; 2],
    _jump: JumpHandle,
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}

impl TransformListener {
    /// Returns a listener whose callbacks run in the executor of a node.
    ///
    /// # Errors
    ///
    /// Returns an error if a subscription can't be opened.
    pub fn new(node: &Node, buffer: &Buffer) -> Result<Self, NodeError> {
        let group = node.callback_group(CallbackGroupKind::MutuallyExclusive);
        Self::in_group(node, &group, buffer)
    }

    /// Returns a listener whose callbacks belong to a group of a node.
    ///
    /// # Errors
    ///
    /// Returns an error if a subscription can't be opened.
    pub fn in_group(node: &Node, group: &CallbackGroup, buffer: &Buffer) -> Result<Self, NodeError> {
        Ok(Self { _receiver: Receiver::new(node, group, buffer)?, thread: None })
    }

    /// Returns a listener with a thread of its own, so that transforms arrive while callbacks of the node wait for them.
    ///
    /// # Errors
    ///
    /// Returns an error if a subscription can't be opened, or if the thread can't be started.
    pub fn with_thread(node: &Node, buffer: &Buffer) -> Result<Self, ListenerError> {
        let group = node.manual_callback_group(CallbackGroupKind::MutuallyExclusive);
        let receiver = Receiver::new(node, &group, buffer)?;
        let mut executor = SingleThreadedExecutor::new(node.context())?;
        executor.add_callback_group(&group);
        let (handle, logger) = (executor.handle(), node.logger());
        let spin = move || {
            if let Err(error) = executor.spin() {
                saltus_node::error!(logger, "transforms are no longer received: {error}");
            }
        };
        let thread = thread::Builder::new().name("tf".into()).spawn(spin).map_err(ListenerError::Thread)?;
        Ok(Self { _receiver: receiver, thread: Some((handle, thread)) })
    }
}

impl Drop for TransformListener {
    fn drop(&mut self) {
        if let Some((executor, thread)) = self.thread.take() {
            executor.cancel();
            // A callback on this thread may own the last listener. The thread then ends after this callback.
            if thread.thread().id() != thread::current().id() {
                // It has logged its error.
                let _ = thread.join();
            }
        }
    }
}

/// Why there is no listener.
#[derive(Debug, thiserror::Error)]
pub enum ListenerError {
    /// A subscription can't be opened.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// The executor of the thread can't be created.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The thread can't be started.
    #[error("can't start the thread of a transform listener: {0}")]
    Thread(std::io::Error),
}

/// The names of the nodes of publishers, which are the authorities of their transforms.
struct Authorities {
    context: Context,
    names: HashMap<Gid, Arc<str>>,
    /// The last publisher that was not found, and the time of the search.
    unknown: Option<(Gid, Instant)>,
}

impl Authorities {
    /// Returns the name of the node of a publisher, or its gid if it has left or is not known yet.
    fn of(&mut self, publisher: Gid) -> Arc<str> {
        if let Some(name) = self.names.get(&publisher) {
            return name.clone();
        }
        // Reading the graph takes long, so it is not done for each message.
        let was_unknown =
            self.unknown.is_some_and(|(gid, at)| gid == publisher && at.elapsed() < SEARCH_PERIOD);
        let name = if was_unknown { None } else { name_of(&self.context.graph(), publisher) };
        let Some(name) = name else {
            if !was_unknown {
                self.unknown = Some((publisher, Instant::now()));
            }
            return publisher.to_string().into();
        };
        if self.names.len() == MAX_NAMES {
            self.names.clear();
        }
        self.names.entry(publisher).or_insert(name).clone()
    }
}

fn name_of(graph: &Graph, publisher: Gid) -> Option<Arc<str>> {
    let end = graph.endpoints.iter().find(|end| end.gid == publisher)?;
    let node = graph.nodes.iter().find(|node| node.gid == end.node)?;
    Some(format!("{}/{}", node.namespace.trim_end_matches('/'), node.name).into())
}

impl Receiver {
    /// Opens the subscriptions of a node in a callback group.
    fn new(node: &Node, group: &CallbackGroup, buffer: &Buffer) -> Result<Self, NodeError> {
        let subscription = |topic, qos: QoS, is_static| {
            let mut receive = receive(node, buffer.clone(), is_static);
            node.subscription::<TFMessage>(topic)
                .qos(qos)
                .callback_group(group)
                .received(move |message| receive(&message))
        };
        let subscriptions = [
            subscription(TOPIC, QoS::keep_last(DEPTH), false)?,
            subscription(STATIC_TOPIC, STATIC_LISTENER, true)?,
        ];
        let cleared = buffer.clone();
        let backward = JumpThreshold {
            min_backward: Some(Duration::from_nanos(1)),
            // The stamps of another source of time have no relation to those before.
            on_clock_change: true,
            ..JumpThreshold::default()
        };
        let logger = node.logger();
        let jump = node.clock().on_jump(backward, move |_| {
            saltus_node::warn!(
                logger,
                "Detected jump back in time, or another source of time. Clearing TF buffer."
            );
            cleared.clear();
        });
        Ok(Self { _subscriptions: subscriptions, _jump: jump })
    }
}

/// Returns a function that sets the transforms of a message in a buffer.
fn receive(
    node: &Node,
    buffer: Buffer,
    is_static: bool,
) -> impl FnMut(&Received<TFMessage>) + Send + 'static {
    let mut authorities =
        Authorities { context: node.context().clone(), names: HashMap::new(), unknown: None };
    let mut faults = Faults { logger: node.logger(), logged: BTreeSet::new() };
    move |received| {
        let authority = authorities.of(received.info().publisher);
        let message = match received.value() {
            Ok(message) => message,
            Err(error) => {
                return faults.log("", &format!("A message of {authority} is not a TFMessage: {error}"));
            }
        };
        for transform in &message.transforms {
            let result = match from_message(transform) {
                Ok(stamped) if is_static => {
                    buffer.set_static(&stamped, &authority).map_err(|error| error.to_string())
                }
                Ok(stamped) => buffer.set(&stamped, &authority).map_err(|error| error.to_string()),
                Err(error) => Err(format!(
                    "Ignoring transform for child_frame_id \"{}\" from authority \"{authority}\": {error}",
                    transform.child_frame_id
                )),
            };
            if let Err(text) = result {
                faults.log(&transform.child_frame_id, &text);
            }
        }
    }
}

/// Logs faults: each kind once for each frame.
struct Faults {
    logger: Logger,
    /// The hashes of frames and kinds.
    logged: BTreeSet<u64>,
}

impl Faults {
    fn log(&mut self, frame: &str, text: &str) {
        // The first word of an error is its kind.
        let kind = text.split([' ', ':']).next().unwrap_or_default();
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one((frame, kind));
        if self.logged.len() < MAX_FAULTS && self.logged.insert(hash) {
            let text: String = text.chars().take(MAX_FAULT_LENGTH).collect();
            saltus_node::warn!(self.logger, "{text}");
        }
    }
}
