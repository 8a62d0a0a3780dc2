//! What a relay needs of a graph: a domain of this host, or a network.

use std::sync::Arc;

use saltus_host::{EndpointInfo, NodeInfo, Origin};
use saltus_node::Logger;
use saltus_types::{QoS, TypeHash};

use crate::{
    ends::{ClientEnd, Entry, Offered, Replica, ServerEnd, ShowError, Source, Target},
    exchange::Exchange,
    model::{EndpointChange, EndpointWithNode},
    output::Output,
    passage::Passage,
};

/// A graph that a relay joins with others.
///
/// **Invariant:** a relay calls these functions while its flows are locked. So they never refresh the relay themselves.
///
/// Whoever implements it calls [`Relay::refresh`](crate::Relay::refresh) when [`Side::take_changes`] has something to return.
pub trait Side: Send + Sync {
    /// Returns where what comes from this graph is said to come from.
    fn origin(&self) -> Origin;

    /// Returns where a node of this graph is said to be.
    fn origin_of(&self, node: &NodeInfo) -> Origin {
        let _ = node;
        self.origin()
    }

    /// Returns the logger for what fails.
    fn logger(&self) -> Logger;

    /// Returns the changes since the last call, without those of replicas; `None` if nothing has changed.
    fn take_changes(&self) -> Option<Vec<EndpointChange>>;

    /// Returns the description of a type as canonical JSON (REP 2016), if it is known here. The text is untrusted.
    fn description(&self, hash: TypeHash) -> Option<String>;

    /// Shows the replica of a subscription.
    ///
    /// # Errors
    /// Returns an error if it can't be shown.
    fn subscription(&self, replica: &Replica) -> Result<Entry, ShowError>;

    /// Shows the replica of a publisher. It is closed.
    ///
    /// # Errors
    /// Returns an error if it can't be shown.
    fn target(&self, replica: Replica) -> Result<Box<dyn Target>, ShowError>;

    /// Returns what takes the messages of one of this graph's publishers for another graph. It takes none yet. `other` is the origin
    /// of the graph that the messages go to.
    fn source(&self, other: Origin, output: &Arc<Output>) -> Box<dyn Source>;

    /// Shows the replica of a server. It passes requests to the exchange.
    ///
    /// # Errors
    /// Returns an error if it can't be opened.
    fn server(&self, replica: Replica, exchange: &Arc<Exchange>) -> Result<Arc<dyn ServerEnd>, ShowError>;

    /// Shows the replica of a server that is not open. Its original is opened when the replica of a client is opened.
    ///
    /// # Errors
    /// Returns an error if it can't be shown.
    fn offer(&self, replica: Replica, exchange: &Arc<Exchange>) -> Result<Offered, ShowError>;

    /// Shows the replica of a client. It passes responses to the exchange.
    ///
    /// # Errors
    /// Returns an error if it can't be opened.
    fn client(&self, replica: Replica, exchange: &Arc<Exchange>) -> Result<Arc<dyn ClientEnd>, ShowError>;
}

/// Returns the replica of an endpoint of `source` under another name, and with another profile.
pub(crate) fn replica_of(
    source: &dyn Side,
    EndpointWithNode { end, node }: &EndpointWithNode,
    name: &str,
    qos: QoS,
    passage: Passage,
) -> Replica {
    let origin = source.origin_of(node);
    Replica {
        end: EndpointInfo { topic: name.to_owned(), qos, origin: origin.clone(), ..(**end).clone() },
        node: NodeInfo { origin, ..(**node).clone() },
        description: source.description(end.type_hash),
        passage,
    }
}
