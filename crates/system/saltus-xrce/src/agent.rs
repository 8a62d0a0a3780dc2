//! The agent's side: clients, their sessions and objects.
//!
//! | module | what it contains |
//! |---|---|
//! | `config` | limits and times |
//! | `host` | what the agent needs from the program around it |
//! | `counters` | what was received, sent and lost |
//! | `sources` | senders of messages that belong to no client |
//! | `objects` | the objects of a client |
//! | `streams` | the streams of a client |
//! | `refusal` | why the agent does not do what a client asks for |
//! | `session`, `submessages` | a client: its liveliness, and what its submessages do |
//! | `addresses` | the clients by address |
//! | `clients` | all clients, by key and by address |

mod addresses;
mod clients;
mod config;
mod counters;
mod host;
mod objects;
mod refusal;
mod session;
mod sources;
mod streams;
mod submessages;
#[cfg(test)]
mod tests;

pub use clients::{Agent, DeliverError};
pub use config::AgentConfig;
pub use counters::{ClientCounters, SourceCounters};
pub use host::{AgentHost, Departure, GraphObject, Written};
pub use refusal::{Refusal, Stray};
pub use session::ClientReport;
