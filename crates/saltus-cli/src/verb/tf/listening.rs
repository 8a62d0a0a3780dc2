//! A node that receives transforms.

use saltus::{
    Context, Node,
    graph::{EndpointKind, Graph},
    tf::{Buffer, TransformListener},
};

use crate::{error::Error, reading::hidden_node};

/// A node that receives transforms.
pub(super) struct Listening {
    pub(super) node: Node,
    pub(super) buffer: Buffer,
    pub(super) _listener: TransformListener,
}

impl Listening {
    pub(super) fn new(context: &Context) -> Result<Self, Error> {
        let (node, buffer) = (hidden_node(context)?, Buffer::default());
        // The stamps of transforms are those of the simulation then.
        if is_simulated(&context.graph()) {
            node.use_sim_time(true)?;
        }
        let listener = TransformListener::new(&node, &buffer)?;
        Ok(Self { node, buffer, _listener: listener })
    }
}

fn is_simulated(graph: &Graph) -> bool {
    graph.endpoints.iter().any(|end| end.kind == EndpointKind::Publisher && end.topic == "/clock")
}
