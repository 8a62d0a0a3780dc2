//! Puts the transforms that others send into a buffer.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};

use saltus_executor::{Executor, ExecutorHandle, SingleThreadedExecutor};
use saltus_msgs::tf2_msgs::msg::TFMessage;
use saltus_node::{
    CallbackGroupKind, Context, Graph, JumpHandle, JumpThreshold, Node, NodeError, OpenError, Received,
    Subscription,
};
use saltus_tf::Buffer;
use saltus_types::{Gid, QoS};

use crate::{DEPTH, STATIC_LISTENER, STATIC_TOPIC, TOPIC, messages::from_message};

/// How many faults are told at most, so that a hostile sender can't fill the log.
const MOST_TOLD: usize = 100;

/// Receives `/tf` and `/tf_static` into a [`Buffer`], until it is dropped. If simulated time jumps back, the buffer is cleared.
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
    /// The node of a thread of its own, or that of the user.
    _node: Node,
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
        Ok(Self { _receiver: Receiver::new(node, node, buffer)?, thread: None })
    }

    /// Returns a listener with a thread of its own, so that transforms arrive while callbacks of the node wait for them.
    ///
    /// # Errors
    ///
    /// Returns an error if a subscription can't be opened, or if the thread can't be started.
    pub fn with_thread(node: &Node, buffer: &Buffer) -> Result<Self, ListenerError> {
        let name = format!("transform_listener_impl_{}", node.gid());
        let own = node.context().node(&name).start_parameter_services(false).create()?;
        let receiver = Receiver::new(&own, node, buffer)?;
        let mut executor = SingleThreadedExecutor::new(node.context())?;
        executor.add_node(&own);
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
            // It has logged its error.
            let _ = thread.join();
        }
    }
}

/// Why there is no listener.
#[derive(Debug, thiserror::Error)]
pub enum ListenerError {
    /// A subscription or the node of the thread can't be opened.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// The executor of the thread can't be made.
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
}

impl Authorities {
    /// Returns the name of the node of a publisher, or its gid if it has left.
    fn of(&mut self, publisher: Gid) -> Arc<str> {
        let context = &self.context;
        self.names.entry(publisher).or_insert_with(|| name_of(&context.graph(), publisher)).clone()
    }
}

fn name_of(graph: &Graph, publisher: Gid) -> Arc<str> {
    let end = graph.endpoints.iter().find(|end| end.gid == publisher);
    let node = end.and_then(|end| graph.nodes.iter().find(|node| node.gid == end.node));
    let name = node.map(|node| format!("{}/{}", node.namespace.trim_end_matches('/'), node.name));
    name.unwrap_or_else(|| publisher.to_string()).into()
}

impl Receiver {
    /// Opens the subscriptions on a node. The user's node gives the clock and the log.
    fn new(node: &Node, of_user: &Node, buffer: &Buffer) -> Result<Self, NodeError> {
        let group = node.callback_group(CallbackGroupKind::MutuallyExclusive);
        let subscription = |topic, qos: QoS, is_static| {
            let mut receive = receive(of_user, buffer.clone(), is_static);
            node.subscription::<TFMessage>(topic)
                .qos(qos)
                .callback_group(&group)
                .received(move |message| receive(&message))
        };
        let subscriptions = [
            subscription(TOPIC, QoS::keep_last(DEPTH), false)?,
            subscription(STATIC_TOPIC, STATIC_LISTENER, true)?,
        ];
        let cleared = buffer.clone();
        let backward =
            JumpThreshold { min_backward: Some(Duration::from_nanos(1)), ..JumpThreshold::default() };
        let logger = of_user.logger();
        let jump = of_user.clock().on_jump(backward, move |_| {
            saltus_node::warn!(logger, "Detected jump back in time. Clearing TF buffer.");
            cleared.clear();
        });
        Ok(Self { _subscriptions: subscriptions, _jump: jump, _node: node.clone() })
    }
}

/// Returns the function that puts the transforms of a message into a buffer.
fn receive(
    node: &Node,
    buffer: Buffer,
    is_static: bool,
) -> impl FnMut(&Received<TFMessage>) + Send + 'static {
    let logger = node.logger();
    let mut authorities = Authorities { context: node.context().clone(), names: HashMap::new() };
    // Each frame and kind of fault is told once.
    let mut told = BTreeSet::new();
    move |received| {
        let authority = authorities.of(received.info().publisher);
        let message = match received.value() {
            Ok(message) => message,
            Err(error) => {
                return saltus_node::warn!(logger, "a message of {authority} is no TFMessage: {error}");
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
            if let Err(text) = result
                && told.len() < MOST_TOLD
                && told.insert((transform.child_frame_id.clone(), fault(&text)))
            {
                saltus_node::warn!(logger, "{text}");
            }
        }
    }
}

/// Returns the first word of an error, which tells its kind.
fn fault(text: &str) -> String {
    text.split([' ', ':']).next().unwrap_or_default().to_owned()
}
