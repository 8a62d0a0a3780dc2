//! The interface of the agent to the program around it.

use crate::{
    entity::{EndpointQos, Service, Topic},
    ids::{ClientKey, ObjectId, Request},
    payload::{ReadRequest, Status},
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
}
