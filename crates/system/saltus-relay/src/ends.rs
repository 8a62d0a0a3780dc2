//! Replicas, and the ends of what flows between two graphs. Each graph has its own.

use std::sync::Arc;

use saltus_host::{EndpointInfo, NodeInfo, OpenError, RequestId};
use saltus_types::{History, NameError, NetworkLoss, TypeHash};

use crate::{message::Message, passage::Passage};

/// Why an entity of one graph can't be shown in another one.
#[derive(Debug, thiserror::Error)]
pub enum ShowError {
    /// Its name is not valid there.
    #[error(transparent)]
    Name(#[from] NameError),
    /// It can't be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A thread can't be started.
    #[error("can't start a thread: {0}")]
    Thread(#[from] std::io::Error),
    /// The other system refuses it.
    #[error("{0}")]
    Other(String),
}

/// Something in a graph that is there until this is dropped.
pub type Entry = Box<dyn Send + Sync>;

/// The replica of a server that is not open.
pub struct Offered {
    /// Shows it until this is dropped.
    pub entry: Entry,
    /// Passes on responses before the server itself is known; `None` if the graph needs no such end.
    pub server: Option<Arc<dyn ServerEnd>>,
}

/// What is shown in a graph of an endpoint of another one.
#[derive(Clone, Debug)]
pub struct Replica {
    /// The endpoint, with the name, the profile and the origin that the replica has. Its gid is that of the original.
    pub end: EndpointInfo,
    /// Its node, with the origin of the replica.
    pub node: NodeInfo,
    /// The description of its type, if it is known.
    pub description: Option<String>,
    /// How its messages are passed on.
    pub passage: Passage,
}

/// The replica of a publisher, in the graph of its subscriptions.
pub trait Target: Send {
    /// Returns whether messages can be sent.
    fn is_open(&self) -> bool;

    /// Opens it, so that messages can be sent. `kept` were sent before: they are for subscriptions that come late.
    ///
    /// # Errors
    /// Returns an error if it can't be opened.
    fn open(&mut self, kept: &[Message]) -> Result<(), ShowError>;

    /// Tells which hashes the types of its subscriptions have. Without an implementation nothing is done: that is for a graph in
    /// which the hash is no part of the address.
    ///
    /// # Errors
    /// Returns an error if messages can't be sent to one of them.
    fn reach(&mut self, hashes: &[TypeHash]) -> Result<(), ShowError> {
        let _ = hashes;
        Ok(())
    }

    /// Sends a message, if it is open. Returns how many messages that waited were dropped for it. A domain counts itself what it
    /// can't send.
    fn send(&mut self, message: Message) -> u64;

    /// Counts messages that never came from the original publisher. Without an implementation nothing is counted: that is for a graph
    /// whose publishers have no counts.
    fn count_missing(&self, loss: NetworkLoss, number: u64) {
        let _ = (loss, number);
    }

    /// Returns whether sending may wait for a subscription that keeps all messages.
    fn may_wait(&self) -> bool {
        false
    }

    /// Waits a short time for room in the queues of subscriptions that keep all messages. Returns whether there is room.
    fn wait_for_room(&self) -> bool {
        true
    }

    /// Closes it, because no subscription is known that needs its messages. It is still shown. Returns `false` if it stays open:
    /// a subscription is connected that the relay will learn of. If it were closed and opened again, that subscription would
    /// receive what is kept twice.
    ///
    /// # Errors
    /// Returns an error if it can't be shown.
    fn close(&mut self) -> Result<bool, ShowError>;
}

/// What takes the messages of one publisher, and passes them to an output. It ends when it is dropped.
pub trait Source: Send {
    /// Takes at least this history of the publisher's messages from now on; with `None`, none, unless the output stays open
    /// ([`OpenOutput::close`](crate::OpenOutput::close)). A source of a network takes the history of its first call.
    ///
    /// # Errors
    /// Returns an error if the messages can't be taken.
    fn want(&mut self, publisher: &EndpointInfo, history: Option<History>) -> Result<(), ShowError>;

    /// Passes on what has arrived, because the publisher has gone.
    fn end(self: Box<Self>);
}

/// The replica of a server, in the graph of its clients.
pub trait ServerEnd: Send + Sync {
    /// Sends a response. `None` says that there will be none. Returns whether it was sent.
    fn respond(&self, response: Option<&Message>, to: RequestId) -> bool;

    /// Tells which hashes the types of its clients have, as [`Target::reach`] does.
    ///
    /// # Errors
    /// Returns an error if one of them can't call it.
    fn reach(&self, hashes: &[TypeHash]) -> Result<(), ShowError> {
        let _ = hashes;
        Ok(())
    }
}

/// The replica of a client, in the graph of its servers.
pub trait ClientEnd: Send + Sync {
    /// Sends a request, unless the same was sent before. Returns whether an answer may come.
    fn forward(&self, request: Message) -> bool;

    /// Tells which hashes the types of its servers have, as [`Target::reach`] does.
    ///
    /// # Errors
    /// Returns an error if it can't call one of them.
    fn reach(&self, hashes: &[TypeHash]) -> Result<(), ShowError> {
        let _ = hashes;
        Ok(())
    }
}
