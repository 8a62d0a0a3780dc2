//! The interface of the agent to the program around it.

use std::fmt;

use super::refusal::{Refusal, Stray};
use crate::{
    entity::{EndpointQos, Service, Topic},
    ids::{ClientKey, ObjectId, Request},
    payload::{Locator, ReadRequest, Status},
};

/// An object of a client that is part of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphObject<'a> {
    /// A node.
    Node {
        /// The domain.
        domain: i16,
        /// The namespace and the name; `None` if the client gives none.
        name: Option<&'a str>,
    },
    /// A publisher.
    Publisher {
        /// Its node.
        node: ObjectId,
        /// Its topic.
        topic: &'a Topic,
        /// Its quality of service.
        qos: EndpointQos,
    },
    /// A subscription.
    Subscription {
        /// Its node.
        node: ObjectId,
        /// Its topic.
        topic: &'a Topic,
        /// Its quality of service.
        qos: EndpointQos,
    },
    /// A client of a service.
    ServiceClient {
        /// Its node.
        node: ObjectId,
        /// The service.
        service: &'a Service,
    },
    /// A server of a service.
    ServiceServer {
        /// Its node.
        node: ObjectId,
        /// The service.
        service: &'a Service,
    },
}

/// Why a client is not there any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// It ended its session.
    EndedSession,
    /// It began another session, and its objects of the earlier one are dropped.
    BeganAnotherSession,
    /// It did not answer. Its objects come back when it is heard again.
    Silent,
    /// Its connection was closed. Its objects come back when it is heard again.
    Disconnected,
    /// Another client has come at its address.
    Replaced,
    /// It was away, and another client needed its memory.
    Forgotten,
}

/// The outcome of the publication of a client's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// They were published.
    Published,
    /// There is no room for them now. The agent tries again soon, and meanwhile acknowledges nothing of the stream.
    Busy,
    /// They can't be published.
    Unusable,
}

/// The program around the agent: a graph, a way to send, and a clock.
///
/// The agent calls these methods while it handles a message, so none of them may wait.
pub trait AgentHost {
    /// The address of a client.
    type Address: Clone + Eq + std::hash::Hash + std::fmt::Debug;

    /// Sends a message to a client. Returns whether it is on its way; it may still be lost.
    fn send(&mut self, to: &Self::Address, message: &[u8]) -> bool;

    /// Returns the time in nanoseconds since 1970.
    fn system_time(&mut self) -> i64;

    /// A client has begun a session, or is back.
    fn connected(&mut self, client: ClientKey, address: &Self::Address);

    /// A client is not there any more. Its objects were deleted before.
    fn departed(&mut self, client: ClientKey, reason: Departure);

    /// Creates an object. Its node was created before.
    fn create(&mut self, client: ClientKey, id: ObjectId, object: GraphObject<'_>) -> Status;

    /// Deletes an object.
    fn delete(&mut self, client: ClientKey, id: ObjectId);

    /// A client asks for the messages of an object. The program calls [`Agent::deliver`] for each message, from now on.
    ///
    /// [`Agent::deliver`]: crate::Agent::deliver
    fn read(&mut self, client: ClientKey, request: ReadRequest);

    /// A client publishes data with an object.
    fn write(&mut self, client: ClientKey, request: Request, data: &[u8]) -> Written;

    /// A client has acknowledged messages, so there may be room for more of them.
    fn has_room(&mut self, client: ClientKey);

    /// Two devices seem to have the key of a client: messages come from both addresses. Called now and then.
    fn shares_key(&mut self, _client: ClientKey, _addresses: [&Self::Address; 2]) {}

    /// A request of a client was refused. What the program itself refuses in [`AgentHost::create`] is not reported.
    fn refused(&mut self, _client: ClientKey, _object: Option<ObjectId>, _refusal: &Refusal) {}

    /// A message belongs to no client. Called now and then for each sender.
    fn stray(&mut self, _from: &Self::Address, _stray: Stray) {}

    /// Returns the addresses at which a client reaches the agent, if they are known. Otherwise a client that asks gets the
    /// addresses of the configuration.
    fn reachable_at(&mut self, _client: &Self::Address) -> Option<Vec<Locator>> {
        None
    }
}

impl fmt::Display for GraphObject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node { domain, name } => {
                write!(f, "the node `{}` in domain {domain}", name.unwrap_or_default())
            }
            Self::Publisher { topic, .. } => {
                write!(f, "a publisher of `{}` ({})", topic.name, topic.type_name)
            }
            Self::Subscription { topic, .. } => {
                write!(f, "a subscription of `{}` ({})", topic.name, topic.type_name)
            }
            Self::ServiceClient { service, .. } => {
                write!(f, "a client of `{}` ({})", service.name, service.request_type)
            }
            Self::ServiceServer { service, .. } => {
                write!(f, "a server of `{}` ({})", service.name, service.request_type)
            }
        }
    }
}
