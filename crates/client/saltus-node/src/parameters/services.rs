//! The six services with which other nodes read and set the parameters of a node.
//!
//! The graph shows the services as offered. A server is opened when its first client is opened. So a node whose
//! parameters are never requested has no open servers.

use std::{
    any::Any,
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex},
};

use saltus_cdr::{Service, TypeIdentity};
use saltus_host::{NodeInfo, Offer, OfferInfo, OfferedService, OpenError};
use saltus_msgs::rcl_interfaces::{
    msg::{ListParametersResult, Parameter as ParameterMessage, SetParametersResult},
    srv::{
        DescribeParameters, DescribeParameters_Response, GetParameterTypes, GetParameterTypes_Response,
        GetParameters, GetParameters_Response, ListParameters, ListParameters_Response, SetParameters,
        SetParameters_Response, SetParametersAtomically, SetParametersAtomically_Response,
    },
};
use saltus_param::{ParameterError, ParameterValue};
use saltus_types::{QoS, TopicName, lock};

use super::messages::{descriptor_message, parameter_of, value_message};
use crate::{Node, NodeError, node::WeakNode};

/// One of the services: its name, relative to the name of the node, its type, and the function that opens it.
struct Kind {
    name: &'static str,
    ty: TypeIdentity,
    open: fn(&Node, &str) -> Result<AnyServer, NodeError>,
}

/// A server of any type. It is open until it is dropped.
type AnyServer = Box<dyn Any + Send + Sync>;

/// Opens a server of a node. The server does not keep the node alive.
fn open<S: Service>(
    node: &Node,
    name: &str,
    answer: fn(&Node, S::Request) -> S::Response,
) -> Result<AnyServer, NodeError> {
    let weak = node.downgrade();
    let server = node
        .service::<S>(name)
        .qos(QoS::parameters())
        .weakly()
        .callback(move |request| weak.upgrade().map(|node| answer(&node, request)).unwrap_or_default())?;
    Ok(Box::new(server))
}

const KINDS: [Kind; 6] = [
    Kind {
        name: "describe_parameters",
        ty: DescribeParameters::TYPE,
        open: |node, name| {
            open::<DescribeParameters>(node, name, |node, request| {
                let all: Result<Vec<_>, _> =
                    request.names.iter().map(|one| node.describe_parameter(one)).collect();
                let descriptors = all.unwrap_or_default().into_iter().map(descriptor_message).collect();
                DescribeParameters_Response { descriptors }
            })
        },
    },
    Kind {
        name: "get_parameter_types",
        ty: GetParameterTypes::TYPE,
        open: |node, name| {
            open::<GetParameterTypes>(node, name, |node, request| {
                let ty = |one: &String| node.parameter_type(one).map(|ty| ty as u8);
                let types: Result<Vec<_>, _> = request.names.iter().map(ty).collect();
                GetParameterTypes_Response { types: types.unwrap_or_default() }
            })
        },
    },
    Kind {
        name: "get_parameters",
        ty: GetParameters::TYPE,
        open: |node, name| {
            open::<GetParameters>(node, name, |node, request| {
                let all: Result<Vec<ParameterValue>, _> =
                    request.names.iter().map(|one| node.parameter_value(one)).collect();
                GetParameters_Response {
                    values: all.unwrap_or_default().into_iter().map(value_message).collect(),
                }
            })
        },
    },
    Kind {
        name: "list_parameters",
        ty: ListParameters::TYPE,
        open: |node, name| {
            open::<ListParameters>(node, name, |node, request| {
                let listed = node.list_parameters(&request.prefixes, request.depth);
                let result = ListParametersResult { names: listed.names, prefixes: listed.prefixes };
                ListParameters_Response { result }
            })
        },
    },
    Kind {
        name: "set_parameters",
        ty: SetParameters::TYPE,
        open: |node, name| {
            open::<SetParameters>(node, name, |node, request| {
                let set = |one: ParameterMessage| node.set_parameters_atomically(vec![parameter_of(one)?]);
                let results = request.parameters.into_iter().map(set).map(result_message).collect();
                SetParameters_Response { results }
            })
        },
    },
    Kind {
        name: "set_parameters_atomically",
        ty: SetParametersAtomically::TYPE,
        open: |node, name| {
            open::<SetParametersAtomically>(node, name, |node, request| {
                let parameters: Result<Vec<_>, _> =
                    request.parameters.into_iter().map(parameter_of).collect();
                let result = parameters.and_then(|list| node.set_parameters_atomically(list));
                let result = result_message(result);
                SetParametersAtomically_Response { result }
            })
        },
    },
];

fn result_message(result: Result<(), ParameterError>) -> SetParametersResult {
    let reason = result.as_ref().err().map(ToString::to_string).unwrap_or_default();
    SetParametersResult { successful: result.is_ok(), reason }
}

/// The services that a node offers, and the servers that were opened.
struct ParameterServices {
    /// Keeps the services offered.
    _offer: Offer,
    /// The servers that were opened. `None` for a server that is being opened.
    _opened: Arc<OpenedServers>,
}

type OpenedServers = Mutex<HashMap<&'static str, Option<AnyServer>>>;

/// Offers the services of a node under their remapped names, until the returned value is dropped.
///
/// # Errors
/// Returns an error if a name is invalid, or if there is no memory.
pub(crate) fn offer(node: &Node) -> Result<Box<dyn Any + Send + Sync>, NodeError> {
    let mut wanted: Vec<(TopicName, &Kind)> = Vec::new();
    for kind in &KINDS {
        wanted.push((node.resolve_service_name(&format!("~/{}", kind.name))?, kind));
    }
    let services = wanted.iter().map(|(name, kind)| OfferedService {
        name: name.as_str().to_owned(),
        type_name: kind.ty.name.to_owned(),
        type_hash: kind.ty.hash,
    });
    let services = services.collect();
    let NodeInfo { gid, origin, .. } = node.entry().info().clone();
    let offered = OfferInfo { node: gid, origin, qos: QoS::parameters(), services };
    let opened = Arc::<OpenedServers>::default();
    let (weak, of_offer): (WeakNode, _) = (node.downgrade(), Arc::downgrade(&opened));
    let offer = node.context().participant.offer_services(offered, move |name| {
        let (Some(node), Some(opened)) = (weak.upgrade(), of_offer.upgrade()) else { return };
        if let Some((_, kind)) = wanted.iter().find(|(other, _)| other.as_str() == name) {
            open_once(&node, kind, name, &opened);
        }
    });
    let offer = offer.map_err(|error: OpenError| NodeError::Open(error))?;
    Ok(Box::new(ParameterServices { _offer: offer, _opened: opened }))
}

/// Opens a server, unless it is open already or is being opened.
fn open_once(node: &Node, kind: &Kind, name: &str, opened: &OpenedServers) {
    // Opening the server calls the closure of the offer again.
    match lock(opened).entry(kind.name) {
        Entry::Occupied(_) => return,
        Entry::Vacant(entry) => entry.insert(None),
    };
    match (kind.open)(node, &format!("~/{}", kind.name)) {
        Ok(server) => {
            lock(opened).insert(kind.name, Some(server));
        }
        Err(error) => {
            lock(opened).remove(kind.name);
            crate::log_at!(node.logger(), Error, ERROR, {}, "can't open service '{name}': {error}");
        }
    }
}
