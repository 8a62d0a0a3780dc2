//! Services: requests from clients to servers, and responses back.
//!
//! A request goes to every server of the service, as in ROS 2. The first response completes the call. No request and no
//! response is dropped because a queue is full: a client has at most [`MAX_REQUESTS_IN_FLIGHT`] requests in flight, and keeps further
//! requests until responses have come.

mod call;
mod call_state;
mod client;
mod client_core;
mod introspection;
mod kind;
mod responder;
mod server;

pub use call::{Call, GenericCall, InPlaceCall, Reply};
pub use call_state::CallError;
pub use client::{Client, ClientBuilder, GenericClient};
pub use client_core::ClientStatus;
pub use introspection::{EventEncoder, ServiceEventType, ServiceIntrospection};
pub use kind::{GenericServiceType, MAX_REQUESTS_IN_FLIGHT};
pub use responder::{GenericResponder, LoanedResponse, Request, RespondError, Responder};
pub use server::{GenericServer, Server, ServerBuilder, ServerStatus};
