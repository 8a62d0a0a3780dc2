//! The nodes and endpoints of a domain.

use std::{
    ffi::{c_char, c_void},
    sync::Arc,
};

use saltus::graph::{EndpointInfo, EndpointKind, GraphCallback};

use crate::{
    callbacks::{CallbackContext, Closure, DropFunction, Gated, obey},
    context::Context,
    gate::Gate,
    gid::Gid,
    group::Group,
    node::Node,
    pointers::{self, Options},
    qos::Qos,
    status::{
        Failure, SALTUS_ERROR, SALTUS_NOTHING, Status, create, destroy, given, node_failure, place, run,
    },
    text::Text,
    timer::TimerFunction,
};

/// A publisher.
pub const SALTUS_ENDPOINT_PUBLISHER: u8 = 1;
/// A subscription.
pub const SALTUS_ENDPOINT_SUBSCRIPTION: u8 = 2;
/// A server of a service.
pub const SALTUS_ENDPOINT_SERVER: u8 = 3;
/// A client of a service.
pub const SALTUS_ENDPOINT_CLIENT: u8 = 4;

/// The nodes and endpoints of a domain, as this process knew them at one moment.
#[derive(Debug)]
pub struct Graph {
    nodes: Vec<[Text; 2]>,
    publishers: Vec<Endpoint>,
    subscriptions: Vec<Endpoint>,
    servers: Vec<Endpoint>,
    clients: Vec<Endpoint>,
}

/// An endpoint in the form of C, with the texts that it points to.
#[derive(Debug)]
struct Endpoint {
    info: GraphEndpoint,
    _texts: [Text; 2],
}

/// An endpoint of the graph. The texts are valid as long as the graph.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GraphEndpoint {
    /// The size of this struct: sizeof(saltus_graph_endpoint_t).
    pub struct_size: usize,
    /// The full name of the topic or service.
    pub name: *const c_char,
    /// The name of the type, such as "std_msgs/msg/String".
    pub type_name: *const c_char,
    /// The SHA-256 part of the type's RIHS01 hash. All zero means unknown.
    pub type_hash: [u8; 32],
    /// The gid of the endpoint.
    pub gid: Gid,
    /// The index of its node, or SIZE_MAX if the node is unknown.
    pub node: usize,
    /// The quality of service that it offers or requests.
    pub qos: Qos,
}

// SAFETY: it is `repr(C)`, begins with its size, and has only numbers and pointers.
unsafe impl Options for GraphEndpoint {
    const NAME: &str = "saltus_graph_endpoint_t";

    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            name: std::ptr::null(),
            type_name: std::ptr::null(),
            type_hash: [0; 32],
            gid: Gid::default(),
            node: usize::MAX,
            qos: Qos::defaults(),
        }
    }
}

impl Graph {
    fn new(graph: &saltus::graph::Graph) -> Self {
        let of_node = |endpoint: &EndpointInfo| graph.nodes.iter().position(|node| node.gid == endpoint.node);
        let listed = |endpoint: &EndpointInfo| {
            let texts = [Text::new(endpoint.name()), Text::new(&endpoint.type_name)];
            let info = GraphEndpoint {
                struct_size: size_of::<GraphEndpoint>(),
                name: texts[0].pointer(),
                type_name: texts[1].pointer(),
                type_hash: *endpoint.type_hash.digest(),
                gid: endpoint.gid.into(),
                node: of_node(endpoint).unwrap_or(usize::MAX),
                qos: Qos::from(&endpoint.qos),
            };
            Endpoint { info, _texts: texts }
        };
        let of_kind =
            |kind| graph.endpoints.iter().filter(move |endpoint| endpoint.kind == kind).map(listed).collect();
        Self {
            nodes: graph
                .nodes
                .iter()
                .map(|node| [Text::new(&node.name), Text::new(&node.namespace)])
                .collect(),
            publishers: of_kind(EndpointKind::Publisher),
            subscriptions: of_kind(EndpointKind::Subscription),
            servers: graph.servers.iter().map(listed).collect(),
            clients: graph.clients.iter().map(listed).collect(),
        }
    }

    fn endpoints(&self, kind: u8) -> Result<&[Endpoint], Failure> {
        match kind {
            SALTUS_ENDPOINT_PUBLISHER => Ok(&self.publishers),
            SALTUS_ENDPOINT_SUBSCRIPTION => Ok(&self.subscriptions),
            SALTUS_ENDPOINT_SERVER => Ok(&self.servers),
            SALTUS_ENDPOINT_CLIENT => Ok(&self.clients),
            other => Err(Failure::argument(format!("no endpoint has the kind {other}"))),
        }
    }
}

/// Writes the present graph of a context's domain.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_context_graph(context: Option<&Context>, graph: Option<&mut *mut Graph>) -> Status {
    create(graph, || Ok(Graph::new(&given(context, "context")?.inner.graph())))
}

/// Frees a graph.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_graph_destroy(graph: Option<Box<Graph>>) {
    destroy(graph);
}

/// Returns how many nodes there are.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_graph_node_count(graph: Option<&Graph>) -> usize {
    graph.map_or(0, |graph| graph.nodes.len())
}

/// Returns the name of a node, or NULL if there is none with this index. It is valid as long as the graph.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_graph_node_name(graph: Option<&Graph>, index: usize) -> *const c_char {
    graph.and_then(|graph| graph.nodes.get(index)).map_or(std::ptr::null(), |node| node[0].pointer())
}

/// Returns the namespace of a node, or NULL if there is none with this index. It is valid as long as the graph.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_graph_node_namespace(graph: Option<&Graph>, index: usize) -> *const c_char {
    graph.and_then(|graph| graph.nodes.get(index)).map_or(std::ptr::null(), |node| node[1].pointer())
}

/// Returns how many endpoints of a kind there are. The kind is one of SALTUS_ENDPOINT_….
#[unsafe(no_mangle)]
pub extern "C" fn saltus_graph_endpoint_count(graph: Option<&Graph>, kind: u8) -> usize {
    graph.and_then(|graph| graph.endpoints(kind).ok()).map_or(0, <[Endpoint]>::len)
}

/// Writes an endpoint. Set the field struct_size of `endpoint` before. Returns SALTUS_NOTHING if there is none with this index.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_graph_endpoint(
    graph: Option<&Graph>,
    kind: u8,
    index: usize,
    endpoint: Option<&mut GraphEndpoint>,
) -> Status {
    run(|| {
        let found = given(graph, "graph")?.endpoints(kind)?.get(index);
        let found =
            found.ok_or_else(|| Failure::new(SALTUS_NOTHING, format!("there is no endpoint {index}")))?;
        pointers::write_known(place(endpoint, "endpoint")?, &found.info)
    })
}

/// Tells a program when the graph has changed.
#[derive(Debug)]
pub struct GraphWatch(#[expect(dead_code, reason = "it keeps the callback")] Gated<GraphCallback>);

/// Watches the graph of a node's domain. An executor calls `call` when nodes or endpoints have come, changed or gone since the last
/// call; the first call is for those that are there. saltus_context_graph() returns the graph. `group` may be NULL: the default
/// group of the node. `drop` is called even if this function fails.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_graph_watch_create(
    node: Option<&Node>,
    group: Option<&Group>,
    call: TimerFunction,
    context: *mut c_void,
    drop: DropFunction,
    watch: Option<&mut *mut GraphWatch>,
) -> Status {
    let context = CallbackContext::new(context, drop);
    create(watch, || {
        let callback = Closure::given(call, context, "changes of the graph")?;
        let node = given(node, "node")?;
        let gate = Arc::<Gate>::default();
        let entered = gate.clone();
        let inner = node.inner.watch_graph_in(&node.group(group), move |_| {
            obey(entered.run(|| (callback.call)(callback.context.pointer())).unwrap_or_default());
        });
        Ok(GraphWatch(Gated::new(gate, inner.map_err(node_failure(SALTUS_ERROR))?)))
    })
}

/// Ends a watch. A callback that runs on another thread has returned when this function returns.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_graph_watch_destroy(watch: Option<Box<GraphWatch>>) {
    destroy(watch);
}
