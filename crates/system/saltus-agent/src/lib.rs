//! An agent for microcontrollers: it acts in the graph for clients of DDS-XRCE, such as micro-ROS.
//!
//! Each transport has one thread, whatever the number of its clients is. The thread waits for messages of clients and
//! of the graph. The objects of a client are entities of the graph, with the client as their origin. The bytes of a
//! message are copied once: from a datagram into shared memory, or from shared memory into a datagram.
//!
//! | module | what it contains |
//! |---|---|
//! | `names` | names in DDS and in the graph |
//! | `transport` | UDP, TCP, serial lines, CAN-FD |
//! | `contexts`, `domains` | the contexts of the agent, and the domains that a worker uses |
//! | `graph` | the objects of clients in the graph |
//! | `worker` | the thread of a transport |
//! | `options`, `agent` | what an agent serves, and the running agent |

mod agent;
mod contexts;
mod domains;
mod graph;
mod names;
mod options;
mod transport;
mod worker;

pub use agent::{AgentError, MicroAgent, Stopper};
pub use options::{AgentOptions, Served, TransportOptions};
pub use saltus_xrce::{AgentConfig, ProfileError, Profiles};
pub use worker::BYTES as BYTES_LOGGER;
