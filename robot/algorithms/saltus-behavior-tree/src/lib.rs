//! Behavior trees in the XML of BehaviorTree.CPP, version 4. No I/O, no clock, no threads.
//!
//! A tree is ticked again and again. A tick goes from the root to the leaves, and comes back with a status. Nodes share values on
//! blackboards. The users of this crate register the leaves, which get the context of the tick.
//!
//! Source: the documentation of BehaviorTree.CPP, <https://www.behaviortree.dev/docs/intro>, whose format and rules these are.
//!
//! | module | content |
//! |---|---|
//! | `status` | the result of a tick |
//! | `value` | values on blackboards |
//! | `error` | the errors of files and ticks, and their locations |
//! | `port` | the inputs and outputs of nodes |
//! | `board` | blackboards |
//! | `script` | the language of conditions and assignments |
//! | `document` | trees in XML |
//! | `tree` | a tree, its ticks, and the interface of a node to its tree |
//! | `registry` | the registered nodes |
//! | `builtin` | the nodes that each tree may use |
//! | `factory` | the factory: it creates trees of registered nodes |
//!
//! ```
//! use std::time::Duration;
//! use saltus_behavior_tree::{Factory, NodeKind, Port, Status, Tick, leaf};
//! let mut factory = Factory::<Vec<String>>::new();
//! factory.register("Say", NodeKind::Action, [Port::input("text")], |_| {
//!     Ok(leaf(|tick: &mut Tick<'_, Vec<String>>| {
//!         let text: String = tick.input("text")?;
//!         tick.context.push(text);
//!         Ok(Status::Success)
//!     }))
//! });
//! factory.load(
//!     r#"<root BTCPP_format="4"><BehaviorTree ID="Main">
//!       <Sequence> <Say text="hello"/> <Script code="name := 'robot'"/> <Say text="{name}"/> </Sequence>
//!     </BehaviorTree></root>"#,
//! )?;
//! let mut tree = factory.create("Main")?;
//! let mut said = Vec::new();
//! assert_eq!(tree.tick(&mut said, Duration::ZERO)?, Status::Success);
//! assert_eq!(said, ["hello", "robot"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod board;
mod builtin;
mod document;
mod error;
mod factory;
mod port;
mod registry;
mod script;
mod status;
#[cfg(test)]
mod tests;
mod tree;
mod value;

pub use board::{BoardId, Boards};
pub use error::{
    ElementProblem, IncludeProblem, LoadError, Location, NodeError, NodeProblem, ScriptError, TickError,
};
pub use factory::{Factory, Included, ReadFile};
pub use port::{Direction, Kind, ParseText, Port};
pub use registry::{Built, NodeConfig, leaf};
pub use status::{NodeKind, Status};
pub use tree::{Behavior, Change, NodeInfo, Tick, Tree};
pub use value::{FromValue, Value};
