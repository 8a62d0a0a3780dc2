//! Components for benchmarks: one publishes, receives and works as a node of a described system, and one does nothing.
//!
//! | module | content |
//! |---|---|
//! | `system` | systems as data: nodes, topics, sizes, rates, work |
//! | `record` | the messages that a node has received, in a file |
//! | `traffic` | the component of described systems |
//! | `idle` | the component that does nothing |

mod idle;
mod record;
mod system;
mod traffic;

pub use idle::{ANNOUNCE, ANNOUNCEMENT, Idle};
pub use record::{Received, read_records};
pub use system::{BUNDLED, Cycle, Forward, NodeData, Output, System, When};
pub use traffic::Traffic;

saltus::component!("bench::Traffic", Traffic);
saltus::component!("bench::Idle", Idle);
