//! The client's side: a session, its streams, and its objects.

mod connection;
mod events;
mod receiving;

pub use connection::{Client, ClientConfig, WriteError};
pub use events::ClientEvent;
