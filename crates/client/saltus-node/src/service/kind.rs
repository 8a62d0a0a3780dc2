//! Types of services that are known only at run time, and the opening of clients and servers.

use saltus_host::{EndpointSpec, OpenError};
use saltus_types::{History, QoS};

use super::introspection::{EventEncoder, Events, Introspection};
use crate::{
    CallbackGroup, Node, NodeError, TypeId,
    spec::{Type, spec},
};

/// The largest number of requests of one client that may be in flight to one server. The same number of responses may
/// be in flight back.
pub const MAX_REQUESTS_IN_FLIGHT: u16 = 1024;

/// The type of a service that is known only at run time, and the settings of a client or server.
///
/// ```
/// # use saltus::generic::{GenericServiceType, TypeId};
/// # use saltus::QoS;
/// use saltus::cdr::Service;
/// use saltus::msgs::example_interfaces::srv::AddTwoInts;
/// let add = GenericServiceType::from(&TypeId::from(AddTwoInts::TYPE)).qos(QoS::services_default());
/// ```
#[derive(Clone)]
pub struct GenericServiceType {
    pub(super) ty: TypeId,
    pub(super) qos: QoS,
    /// The callback group of the callbacks; `None` is the node's default group.
    group: Option<CallbackGroup>,
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
        Self { ty: ty.clone(), qos: QoS::services_default(), group: None, events: None }
    }
}

impl From<&Self> for GenericServiceType {
    fn from(other: &Self) -> Self {
        other.clone()
    }
}

impl GenericServiceType {
    /// Sets the quality of service. A depth below [`MAX_REQUESTS_IN_FLIGHT`] is raised to [`MAX_REQUESTS_IN_FLIGHT`].
    pub fn qos(mut self, qos: impl Into<QoS>) -> Self {
        self.qos = qos.into();
        self
    }

    /// Sets the callback group that the callbacks belong to. The default is the node's default group.
    pub fn callback_group(mut self, group: &CallbackGroup) -> Self {
        self.group = Some(group.clone());
        self
    }

    /// Returns the callback group of the callbacks of a client or server of a node.
    pub(super) fn group_of(&self, node: &Node) -> CallbackGroup {
        self.group.as_ref().unwrap_or_else(|| node.default_callback_group()).clone()
    }

    /// Sets the type of the service's events, `…_Event`, and their encoder. Without these, introspection has no effect.
    pub fn events(mut self, ty: TypeId, encode: EventEncoder) -> Self {
        self.events = Some(Events { ty, encode });
        self
    }

    pub(super) fn introspection(&self, node: &Node, service: &str) -> Introspection {
        let events = self.events.clone();
        events.map(|events| Introspection::new(node, service, events)).unwrap_or_default()
    }
}

/// Opens a client or server. Its queues hold at least [`MAX_REQUESTS_IN_FLIGHT`] messages, whatever depth `qos` has.
pub(super) fn with_spec<T>(
    node: &Node,
    service: &str,
    ty: &Type,
    qos: QoS,
    open: impl FnOnce(&EndpointSpec<'_>) -> Result<T, OpenError>,
) -> Result<T, NodeError> {
    let topic = node.resolve_service_name(service)?;
    let depth = qos.history.depth().max(MAX_REQUESTS_IN_FLIGHT);
    let qos = QoS { history: History::KeepLast(depth), ..qos };
    Ok(open(&spec(node.entry(), &topic, ty, qos, None))?)
}
