//! State machines: their definition, their current state, and nodes that run them.
//!
//! | module | content |
//! |---|---|
//! | `definition` | states, nested states, transitions and timeouts; they are checked once and then fixed |
//! | `engine` | the current state of a machine, and the effect of a trigger on it; no I/O and no clock |
//! | `yaml` | definitions as text, in the form of Python's `transitions` |
//! | `node` | a machine as a node: topics `machine/event`, `machine/state`, `machine/trigger`, and timeouts |
//! | `queue` | the triggers that a node has not processed yet |
//! | `client` | a client of those topics |
//!
//! The terms (state, trigger, transition, internal, queued) and the form of the text are those of Python's package
//! `transitions`. The topics are those of `ros_transitions`.
//!
//! ```
//! use saltus::machine::{Definition, Machine};
//! let matter = Definition::from_yaml("{states: [solid, liquid], initial: solid, transitions: [[melt, solid, liquid]]}")?;
//! let mut machine = Machine::new(matter);
//! assert_eq!(machine.state(), "solid");
//! machine.trigger("melt")?;
//! assert_eq!(machine.state(), "liquid");
//! assert!(machine.trigger("melt").is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod client;
mod definition;
mod engine;
mod node;
mod queue;
mod yaml;

pub use client::{MachineClient, MachineClientBuilder};
pub use definition::{
    Definition, DefinitionBuilder, DefinitionError, Destination, State, StateId, Transition,
};
pub use engine::{Machine, Step, TriggerError};
pub use node::{EventData, MachineNode, MachineNodeBuilder};
pub use yaml::state_of_description;
