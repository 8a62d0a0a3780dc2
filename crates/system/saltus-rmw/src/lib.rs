//! What ROS 2 nodes on Zenoh write and read: the conventions of `rmw_zenoh_cpp` 0.2.4 (Humble: 0.1.2) and later.
//!
//! This crate has no session. It makes texts and bytes, and reads those of others, which may be hostile.
//!
//! | module | content |
//! |---|---|
//! | `name` | names with `/` as one part of a key, and names of types in DDS |
//! | `key` | the keys on which messages, requests and responses are sent |
//! | `qos` | profiles as texts |
//! | `token` | the tokens with which nodes and endpoints are announced, and their gids |
//! | `attachment` | what is sent beside each message: its number, its time, and the gid of its sender |
//! | `answers` | answers to requests that a client may send again |
//! | `hold` | entities whose tokens have gone, and may come back |

mod answers;
mod attachment;
mod hold;
mod key;
mod name;
mod qos;
mod token;

pub use answers::{Answers, Known};
pub use attachment::{Attachment, AttachmentError};
pub use hold::Held;
pub use key::{data_key, key_with_zeros};
pub use token::{
    EndpointToken, EntityKind, MAX_TOKEN, Token, TokenError, gid_of, nodes_of_session, tokens_of,
    tokens_of_session,
};

#[cfg(test)]
mod tests;
