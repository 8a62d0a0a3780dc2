//! `/rosout`: the topic for the log messages of nodes.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, LazyLock, Mutex, PoisonError, RwLock, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

use saltus_host::{NodeEntry, NodeSpec, OpenError, Participant};
use saltus_msgs::rcl_interfaces::msg::Log;
use saltus_types::{NodeName, QoS, Severity, Time, TopicName, lock};

use super::{
    console,
    record::{LogRecord, library_warning},
};
use crate::{
    publish_error::PublishValueError,
    spec::{Type, spec},
};

/// The `/rosout` publisher of each context, by the number of the context.
static ROSOUTS: LazyLock<RwLock<HashMap<u64, Weak<Rosout>>>> = LazyLock::new(RwLock::default);

/// Prints a record, and publishes it on `/rosout`.
pub(super) fn emit(record: LogRecord) {
    console::print(&record);
    let rosout =
        ROSOUTS.read().unwrap_or_else(PoisonError::into_inner).get(&record.context).and_then(Weak::upgrade);
    if let Some(rosout) = rosout {
        rosout.publish(record);
    }
}

/// A context's publisher on `/rosout`.
///
/// There is one publisher per context, so a subscription has one connection for all nodes of the context. The publisher
/// belongs to a hidden node, and is opened when a node first logs a message.
pub(crate) struct Rosout {
    id: u64,
    state: Mutex<RosoutState>,
}

enum RosoutState {
    /// The publisher is not open, because no message was logged yet.
    Closed(Participant),
    Open {
        publisher: Arc<saltus_host::Publisher>,
        _node: NodeEntry,
    },
    /// The publisher could not be opened, or the context publishes no log messages.
    Disabled,
}

impl fmt::Debug for Rosout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rosout").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Rosout {
    pub(crate) fn new(participant: &Participant, is_enabled: bool) -> Arc<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let state = if is_enabled { RosoutState::Closed(participant.clone()) } else { RosoutState::Disabled };
        let rosout = Arc::new(Self { id, state: Mutex::new(state) });
        let mut all = ROSOUTS.write().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, other| other.strong_count() > 0);
        all.insert(id, Arc::downgrade(&rosout));
        rosout
    }

    /// Returns the number with which loggers refer to this publisher.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    fn publish(&self, record: LogRecord) {
        let mut state = lock(&self.state);
        if let RosoutState::Closed(participant) = &*state {
            *state = open(participant, self.id).unwrap_or_else(|error| {
                console::print(&LogRecord {
                    message: format!("can't open /rosout: {error}"),
                    severity: Severity::Error,
                    ..library_warning()
                });
                RosoutState::Disabled
            });
        }
        let publisher = match &*state {
            RosoutState::Open { publisher, .. } => publisher.clone(),
            _ => return,
        };
        // The lock is released first, because publishing may wait for a slow subscription.
        drop(state);
        {
            let log = log_message(record);
            let write = |bytes: &mut [u8]| Ok(saltus_cdr::encode_into(&log, bytes)?);
            // An error is ignored: the publisher counts the message, and it was printed on the console.
            let _: Result<(), PublishValueError> =
                publisher.publish_with(saltus_cdr::encoded_len(&log), write);
        }
    }
}

fn open(participant: &Participant, id: u64) -> Result<RosoutState, OpenError> {
    let hidden = NodeName::new("/", &format!("_rosout_{}_{id}", std::process::id()));
    let topic = hidden.as_ref().ok().and_then(|name| TopicName::expand("/rosout", name).ok());
    // Both names are always valid.
    let (Ok(name), Some(topic)) = (hidden, topic) else { return Ok(RosoutState::Disabled) };
    let node = participant.node(&NodeSpec::new(&name))?;
    let publisher = participant.publisher(&spec(&node, &topic, &Type::of::<Log>(), QoS::rosout(), None))?;
    Ok(RosoutState::Open { publisher: Arc::new(publisher), _node: node })
}

fn log_message(record: LogRecord) -> Log {
    Log {
        // As in ROS 2, the seconds are a signed 32-bit number, which is enough until 2038.
        stamp: Time::from_nanos(record.time).into(),
        level: record.severity as u8,
        name: record.name,
        msg: record.message,
        file: record.file.into_owned(),
        function: record.function.into_owned(),
        line: record.line,
    }
}
