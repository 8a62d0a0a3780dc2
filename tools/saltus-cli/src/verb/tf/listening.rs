//! A node that receives transforms.

use saltus::{
    Context, Node,
    tf::{Buffer, TransformListener},
};

use saltus_verb::{error::Error, reading::hidden_node};

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
        if context.graph().publishers("/clock").next().is_some() {
            node.use_sim_time(true)?;
        }
        let listener = TransformListener::new(&node, &buffer)?;
        Ok(Self { node, buffer, _listener: listener })
    }
}
