//! DDS-XRCE: the protocol between microcontrollers and an agent, without I/O.
//!
//! A client is small and runs on a microcontroller. It sends requests to an agent: create a topic, a data writer, a
//! data reader. The agent is on a host, acts for its clients in the graph, and passes messages in both directions.
//! Source: OMG DDS-XRCE 1.0, with the choices of the widespread implementation (Micro XRCE-DDS 2 and 3, micro-ROS).
//!
//! The inputs are bytes and the time, in monotonic nanoseconds. The outputs are bytes, events and the time of the next
//! check. The crate opens no socket and reads no clock, so tests simulate both.
//!
//! | module | what it contains |
//! |---|---|
//! | `error`, `cursor` | reading and writing fields |
//! | `ids`, `message` | identifiers, headers, submessages |
//! | `entity` | the objects of clients, in binary form, in XML and as profiles |
//! | `payload` | the contents of submessages |
//! | `stream` | order, repetition and fragments |
//! | `framing` | messages on serial lines, in TCP connections and on CAN-FD |
//! | `agent` | the agent's side: clients, their sessions and objects |
//! | `client` | the client's side: a session |
//!
//! Parsing never panics, and never allocates more than the received bytes require.

mod agent;
mod client;

mod cursor;
mod entity;
mod error;
mod framing;
mod ids;
mod message;
mod payload;
mod stream;

pub use agent::{
    Agent, AgentConfig, AgentHost, ClientCounters, ClientReport, DeliverError, Departure, GraphObject,
    Refusal, SourceCounters, Stray, Written,
};
pub use client::{Client, ClientConfig, ClientEvent, WriteError};
pub use cursor::{ByteOrder, Reader, Writer};
pub use entity::{
    Definition, Endpoint, EndpointQos, Entity, Parent, ProfileError, Profiles, Service, Topic, TopicReference,
};
pub use error::WireError;
pub use framing::{
    CAN_MTU, SerialDecoder, SerialFrame, TcpDecoder, can_message, write_can_frame, write_serial_frame,
    write_tcp_message,
};
pub use ids::{ClientKey, ObjectId, ObjectKind, Request, RequestId, SequenceNumber, SessionId, StreamId};
pub use message::{MessageHeader, SubmessageKind, append_submessage};
pub use payload::{
    AgentVersion, ClientProperties, CreateClient, DataLimits, Locator, ReadRequest, SampleIdentity, Status,
};
pub use stream::PushError;
