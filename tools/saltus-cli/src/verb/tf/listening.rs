//! A node that receives transforms.

use std::{collections::BTreeSet, io};

use saltus::{
    Context, Node,
    tf::{Buffer, TransformListener},
};

use saltus_verb::{error::Error, graph, reading::hidden_node};

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

    /// Tells the user which of the known frames are similar to unknown ones.
    pub(super) fn tell_meant(&self, frames: [&str; 2]) -> io::Result<()> {
        let all = self.buffer.frames().into_iter();
        let known: BTreeSet<String> =
            all.flat_map(|info| [info.name.to_string(), info.parent.to_string()]).collect();
        frames.iter().try_for_each(|frame| graph::tell_meant("frame", frame, &known))
    }
}
