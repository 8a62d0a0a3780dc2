//! Service introspection: clients and servers publish events of their calls for tools (REP 2012).

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU8, Ordering},
};

use saltus_cdr::{Cdr, CdrError, ENCAPSULATION, Service, Writer};
use saltus_msgs::service_msgs::msg::ServiceEventInfo;
use saltus_types::{Gid, QoS, lock};

use crate::{
    Node, NodeError, TypeId,
    spec::{Type, spec},
};

/// The content of the events that a client or server publishes about its calls, on `<service>/_service_event`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ServiceIntrospection {
    /// Nothing is published.
    #[default]
    Off,
    /// Events with their type, client, sequence number and time.
    Metadata,
    /// Events with the metadata, and with the request or response.
    Contents,
}

impl ServiceIntrospection {
    fn from_level(level: u8) -> Self {
        match level {
            1 => Self::Metadata,
            2 => Self::Contents,
            _ => Self::Off,
        }
    }
}

/// The type of a service event. The numbers are those of `service_msgs/msg/ServiceEventInfo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceEventType {
    /// A client has sent a request.
    RequestSent = 0,
    /// A server has received a request.
    RequestReceived = 1,
    /// A server has sent a response.
    ResponseSent = 2,
    /// A client has received a response.
    ResponseReceived = 3,
}

impl ServiceEventType {
    fn is_request(self) -> bool {
        matches!(self, Self::RequestSent | Self::RequestReceived)
    }
}

/// A function that serializes an event. Its arguments are the info of the event, and the serialized request or response
/// if the event has one.
pub type EventEncoder =
    Arc<dyn Fn(&ServiceEventInfo, Option<&[u8]>, Option<&[u8]>) -> Result<Vec<u8>, CdrError> + Send + Sync>;

/// The type of the events of a service, and their encoder.
#[derive(Clone)]
pub(super) struct Events {
    pub(super) ty: TypeId,
    pub(super) encode: EventEncoder,
}

impl Events {
    /// Returns the events of a service that generated code defines.
    pub(super) fn of<S: Service>() -> Self {
        Self { ty: S::EVENT.into(), encode: event_encoder::<S>() }
    }
}

/// Returns the encoder for the `_Event` type of a service: the info, at most one request, and at most one response.
fn event_encoder<S: Service>() -> EventEncoder {
    Arc::new(|info, request, response| {
        let (request, response) = (content::<S::Request>(request)?, content::<S::Response>(response)?);
        let mut bytes = encapsulated(response.end(request.end(info.end(0))));
        let writer = &mut Writer::new(&mut bytes[ENCAPSULATION.len()..]);
        info.write(writer)?;
        request.write(writer)?;
        response.write(writer)?;
        Ok(bytes)
    })
}

/// Returns a field for the content of an event: a sequence of at most one message.
fn content<T: Cdr>(message: Option<&[u8]>) -> Result<Vec<T>, CdrError> {
    match message {
        Some(message) => saltus_cdr::decode(message).map(|value| vec![value]),
        None => Ok(Vec::new()),
    }
}

/// Returns the encapsulation header and `len` zero bytes.
fn encapsulated(len: usize) -> Vec<u8> {
    let mut bytes = vec![0; ENCAPSULATION.len() + len];
    bytes[..ENCAPSULATION.len()].copy_from_slice(&ENCAPSULATION);
    bytes
}

/// The introspection of one client or server. The default never publishes events, because their type is not known.
#[derive(Default)]
pub(super) struct Introspection {
    level: AtomicU8,
    publisher: Mutex<Option<Arc<saltus_host::Publisher>>>,
    endpoint: Option<Endpoint>,
}

/// The client or server whose events are published.
struct Endpoint {
    node: Node,
    service: String,
    events: Events,
}

impl Introspection {
    pub(super) fn new(node: &Node, service: &str, events: Events) -> Self {
        let endpoint = Endpoint { node: node.clone(), service: service.into(), events };
        Self { endpoint: Some(endpoint), ..Self::default() }
    }

    fn level(&self) -> ServiceIntrospection {
        ServiceIntrospection::from_level(self.level.load(Ordering::Relaxed))
    }

    /// Sets what is published. Opens or closes the publisher.
    pub(super) fn set(&self, introspection: ServiceIntrospection) -> Result<(), NodeError> {
        let mut publisher = lock(&self.publisher);
        match (introspection, &self.endpoint) {
            (ServiceIntrospection::Off, _) | (_, None) => *publisher = None,
            (_, Some(endpoint)) if publisher.is_none() => *publisher = Some(Arc::new(endpoint.open()?)),
            _ => {}
        }
        self.level.store(introspection as u8, Ordering::Relaxed);
        Ok(())
    }

    /// Returns a copy of a message if events include contents. It is called before the message is sent or passed to a
    /// callback.
    #[inline]
    pub(super) fn contents_of(&self, message: &[u8]) -> Option<Vec<u8>> {
        (self.level() == ServiceIntrospection::Contents).then(|| message.to_vec())
    }

    /// Publishes an event, unless introspection is off.
    #[inline]
    pub(super) fn publish(
        &self,
        event: ServiceEventType,
        client: Gid,
        sequence: u64,
        message: Option<Vec<u8>>,
    ) {
        if self.level() != ServiceIntrospection::Off {
            self.publish_event(event, client, sequence, message.as_deref());
        }
    }

    fn publish_event(&self, event: ServiceEventType, client: Gid, sequence: u64, message: Option<&[u8]>) {
        let publisher = lock(&self.publisher).clone();
        let (Some(publisher), Some(endpoint)) = (publisher, &self.endpoint) else { return };
        let info = ServiceEventInfo {
            event_type: event as u8,
            stamp: endpoint.node.clock().now().into(),
            client_gid: *client.as_bytes(),
            sequence_number: i64::try_from(sequence).unwrap_or(i64::MAX),
        };
        // An empty response means that the server dropped the request.
        let message = message.filter(|bytes| !bytes.is_empty());
        let (request, response) = if event.is_request() { (message, None) } else { (None, message) };
        let encoded = (endpoint.events.encode)(&info, request, response);
        let sent = encoded
            .map_err(|e| e.to_string())
            .and_then(|bytes| publisher.publish_bytes(&bytes).map_err(|e| e.to_string()));
        if let Err(error) = sent {
            let logger = endpoint.node.logger();
            crate::log_at!(
                logger,
                Error,
                ERROR,
                {},
                "service '{}': can't publish an event: {error}",
                endpoint.service
            );
        }
    }
}

impl Endpoint {
    fn open(&self) -> Result<saltus_host::Publisher, NodeError> {
        let service = self.node.resolve_service_name(&self.service)?;
        let topic = self.node.resolve_topic_name(&format!("{}/_service_event", service.as_str()))?;
        let ty = Type::Named(self.events.ty.clone());
        let spec = spec(self.node.entry(), &topic, &ty, QoS::default(), None);
        Ok(self.node.context().participant.publisher(&spec)?)
    }
}
