//! State machines: what states there are, what leads from one to another, and when.
//!
//! | module | what it knows |
//! |---|---|
//! | `definition` | states, within others too, transitions, time-outs: checked once, then fixed |
//! | `engine` | the state that a machine is in, and what a trigger does to it; pure |
//! | `yaml` | definitions as text, in the form that Python's `transitions` takes |
//! | `node` | a machine as a node: topics `machine/event`, `machine/state`, `machine/trigger`, and deadlines |
//! | `pulled` | triggers that wait for their turn |
//! | `client` | the other side of those topics |
//!
//! The words (state, trigger, transition, internal, queued) and the form of the text are those of the `transitions`
//! package of Python; the topics are those of `ros_transitions`.
//!
//! ```
//! use saltus_machine::{Definition, Machine};
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
mod pulled;
mod yaml;

pub use client::{MachineClient, MachineClientBuilder};
pub use definition::{
    Definition, DefinitionBuilder, DefinitionError, Destination, State, StateId, Transition,
};
pub use engine::{Machine, Step, TriggerError};
pub use node::{MachineNode, MachineNodeBuilder, Pulling};
pub use yaml::described_state;
