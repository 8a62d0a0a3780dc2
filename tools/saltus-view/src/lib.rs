//! A page that shows robots in a browser, and the server that feeds it.
//!
//! The page gets each message as the bytes that are in shared memory, and the description of its type. It decodes and draws
//! them itself. So it can show and plot any type, and the server only forwards.
//!
//! | module | content |
//! |---|---|
//! | `access` | who may see the page: hosts, origins, tokens; without I/O |
//! | `request` | the head of a request in HTTP; without I/O |
//! | `mailbox` | what waits for a page: the newest message of each topic |
//! | `trees` | the newest transforms of all frames |
//! | `control` | goals, initial poses and velocities that a page sends |
//! | `topics` | the topics that pages look at |
//! | `order` | what a page asks for |
//! | `shared` | what all connections share |
//! | `page` | a connection to a page |
//! | `server` | accepts connections |

mod access;
mod control;
mod mailbox;
#[cfg(test)]
mod mailbox_model;
mod order;
mod page;
mod request;
mod server;
mod shared;
mod sync;
#[cfg(test)]
mod tests;
mod topics;
mod trees;

pub use server::{Options, Server, ViewError};
