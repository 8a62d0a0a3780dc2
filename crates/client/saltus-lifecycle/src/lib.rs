//! Lifecycle nodes, which ROS 2 also calls managed nodes: their state machine, and the nodes themselves.
//!
//! Only the module `node` does I/O. The state machine knows no node, no topic and no clock.
//!
//! The ids and labels, and the order in which services list states and transitions, are those of ROS 2. Source: the
//! design article "Managed nodes" and `lifecycle_msgs`.
//!
//! ```
//! use saltus::lifecycle::{CallbackReturn, State, StateMachine, Transition};
//! let mut machine = StateMachine::new();
//! machine.begin(Transition::Configure)?;
//! assert_eq!(machine.state(), State::Configuring);
//! // Now the node calls `on_configure`. The result of the callback ends the transition.
//! machine.end(CallbackReturn::Success)?;
//! assert_eq!(machine.state(), State::Inactive);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod machine;
mod node;
mod state;
mod transition;

pub use machine::{StateMachine, TransitionError};
pub use node::{CallbackResult, Lifecycle, LifecycleNode, LifecyclePublisher, WeakLifecycleNode};
pub use state::State;
pub use transition::{CallbackReturn, Outcome, Step, Transition};
