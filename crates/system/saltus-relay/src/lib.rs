//! Replicas of the entities of one graph in another one, and the flows of messages between them.
//!
//! A [`Relay`] joins graphs: domains of this host, and networks. Each is a [`Side`]. If a rule matches an entity of one side,
//! the relay shows a replica of the entity in the other side. The replica has the same gid, belongs to a node with the same
//! name, and is marked with its origin. Messages, requests and responses keep their source time and sequence number. From one
//! domain to another, each is copied once: from the memory of the sender into that of the relay.
//!
//! A domain as a side has only its own entities, not the replicas that relays show there. So nothing that comes into a domain
//! leaves it again: there are no loops. A message between two domains of a host passes one relay; between two hosts it passes two.
//!
//! | module | what it contains |
//! |---|---|
//! | `name` | patterns for names, and the remapping of names |
//! | `passage` | how many messages of a rule pass, and with which priority |
//! | `qos_change` | changes of profiles
//! | `rule` | the rules that select what is forwarded |
//! | `message` | a message that passes from one side to another |
//! | `model` | the endpoints of a side, and the model of a domain without replicas |
//! | `ends` | replicas, and the ends of what flows between two sides |
//! | `side` | what a relay needs of a graph |
//! | `output`, `topic` | replicas of publishers and subscriptions, and the forwarding of messages |
//! | `window`, `exchange`, `service` | replicas of clients and servers, and the forwarding of requests and responses |
//! | `relay` | all sides of a relay, and the flows between them |
//! | `domain` | a domain of this host as a side |

pub mod diagnostics;
mod domain;
mod ends;
mod exchange;
mod message;
mod model;
mod name;
mod output;
mod passage;
mod qos_change;
mod relay;
mod rule;
mod service;
mod side;
mod topic;
mod window;

pub use domain::Domain;
pub use ends::{ClientEnd, Entry, Offered, Replica, ServerEnd, ShowError, Source, Target};
pub use exchange::Exchange;
pub use message::{Body, Message, NotPassed, Parts};
pub use model::{ChannelName, EndpointChange};
pub use name::{Pattern, PatternError};
pub use output::{OpenOutput, Output};
pub use passage::{Passage, Priority, WhenFull};
pub use qos_change::QosChange;
pub use relay::{Link, Relay};
pub use rule::{Kind, Rule, Rules, Verdict};
pub use side::Side;
pub use window::Window;
