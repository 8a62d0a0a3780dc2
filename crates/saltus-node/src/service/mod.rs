//! Services: requests from clients to servers, and responses back.
//!
//! A request goes to every server of the service, as in ROS 2; the first response completes the call. No
//! request and no response is ever dropped for want of room: a client has at most [`WINDOW`] requests on
//! their way, and keeps what is beyond that until responses have come.

mod call;
mod client;
mod introspection;
mod server;

use saltus_cdr::{Service, TypeIdentity};
use saltus_host::{EndpointSpec, TypeText};
use saltus_types::QoS;

pub use call::{Call, CallError, GenericCall, InPlaceCall, Reply};
pub use client::{Client, ClientBuilder, ClientStatus, GenericClient};
pub use introspection::{EventEncoder, ServiceEventType, ServiceIntrospection};
pub use server::{
    GenericResponder, GenericServer, LoanedResponse, Request, RespondError, Responder, Server, ServerBuilder,
    ServerStatus,
};

use crate::{Node, NodeError, TypeId};
use introspection::{Events, Introspection};

/// How many requests of a client may be on their way to a server, and so how many responses back.
pub const WINDOW: u16 = 1024;

/// A service whose type is known only at run time, as its clients and servers are to be.
///
/// ```
/// # use saltus_node::{GenericServiceType, TypeId};
/// # use saltus_types::QoS;
/// use saltus_cdr::Service;
/// use saltus_msgs::example_interfaces::srv::AddTwoInts;
/// let add = GenericServiceType::from(&TypeId::from(AddTwoInts::TYPE)).qos(QoS::services_default());
/// ```
#[derive(Clone)]
pub struct GenericServiceType {
    ty: TypeId,
    qos: QoS,
    events: Option<Events>,
}

impl std::fmt::Debug for GenericServiceType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GenericServiceType")
            .field("ty", &self.ty)
            .field("qos", &self.qos)
            .finish_non_exhaustive()
    }
}

impl From<&TypeId> for GenericServiceType {
    fn from(ty: &TypeId) -> Self {
        Self { ty: ty.clone(), qos: QoS::services_default(), events: None }
    }
}

impl From<&Self> for GenericServiceType {
    fn from(other: &Self) -> Self {
        other.clone()
    }
}

impl GenericServiceType {
    /// Its quality of service. The depth is a wish: at least a whole [`WINDOW`] is kept.
    pub fn qos(mut self, qos: impl Into<QoS>) -> Self {
        self.qos = qos.into();
        self
    }

    /// The type of its events, `…_Event`, and what writes one: without them it has no introspection.
    pub fn events(mut self, ty: TypeId, encode: EventEncoder) -> Self {
        self.events = Some(Events { ty, encode });
        self
    }

    fn introspection(&self, node: &Node, service: &str) -> Introspection {
        let events = self.events.clone();
        events.map(|events| Introspection::new(node, service, events)).unwrap_or_default()
    }
}

/// A service as the graph is told of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServiceType<'a> {
    name: &'a str,
    hash: saltus_types::TypeHash,
    description: TypeText<'a>,
}

impl From<TypeIdentity> for ServiceType<'_> {
    fn from(identity: TypeIdentity) -> Self {
        let TypeIdentity { name, hash, description } = identity;
        Self { name, hash, description: TypeText::Pieces(description) }
    }
}

impl<'a> From<&'a TypeId> for ServiceType<'a> {
    fn from(id: &'a TypeId) -> Self {
        let description = id.description.as_deref().map_or(TypeText::Unknown, TypeText::Whole);
        Self { name: &id.name, hash: id.hash, description }
    }
}

impl ServiceType<'_> {
    fn of<S: Service>() -> Self {
        S::TYPE.into()
    }

    /// Opens a client or server of this type. Its queues hold a whole window, whatever depth it asks for.
    fn with_spec<T>(
        &self,
        node: &Node,
        service: &str,
        qos: QoS,
        open: impl FnOnce(&EndpointSpec<'_>) -> Result<T, saltus_host::OpenError>,
    ) -> Result<T, NodeError> {
        let topic = node.resolve_service_name(service)?;
        let depth = qos.history.depth().max(WINDOW);
        let spec = EndpointSpec {
            node: node.entry().info().gid,
            foreign: None,
            topic: &topic,
            type_name: self.name,
            type_hash: self.hash,
            qos: QoS { history: saltus_types::History::KeepLast(depth), ..qos },
            description: self.description,
        };
        Ok(open(&spec)?)
    }
}
