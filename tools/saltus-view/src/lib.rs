//! A page that shows robots in a browser, and the server that feeds it.
//!
//! The server sends the page the bytes of each message, as they are in shared memory, and the description of their type. The
//! page decodes and draws the messages itself. So the page can show and plot any type, and the server only forwards.
//!
//! | module | content |
//! |---|---|
//! | `access` | checks whether a request may see the page: host, origin, token; without I/O |
//! | `request` | the head of an HTTP request; without I/O |
//! | `mailbox` | the messages that wait for a page: the newest ones of each topic |
//! | `trees` | the newest transforms of all frames |
//! | `control` | goals, initial poses and velocities that a page sends |
//! | `topics` | the topics to which pages are subscribed |
//! | `command` | the commands that a page sends |
//! | `state` | the state that all connections use |
//! | `page` | a connection to a page |
//! | `server` | accepts connections |

mod access;
mod command;
mod control;
mod mailbox;
#[cfg(all(test, model))]
mod mailbox_model;
mod page;
mod request;
mod server;
mod state;
mod sync;
#[cfg(test)]
mod tests;
mod topics;
mod trees;

pub use server::{DEFAULT_PORT, Options, Server, ViewError};
