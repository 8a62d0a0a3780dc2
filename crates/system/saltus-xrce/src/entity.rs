//! The objects of clients: what they are, and how a client describes them.
//!
//! A client describes an object in one of three ways: in binary form, in the XML of Fast DDS, or with the name of a
//! profile that the agent knows. All three are read into an [`Entity`].

mod binary;
mod model;
mod profiles;
mod representation;
mod xml;

pub use model::{Definition, Endpoint, EndpointQos, Entity, Parent, Service, Topic, TopicReference};
pub use profiles::{ProfileError, Profiles};
