//! libsaltus: the C interface of Saltus.
//!
//! The header `saltus/saltus.h` is generated from this crate by `cargo xtask codegen`. Its first comment states the rules that
//! hold for all functions; the comments of this crate become the comments of the header.
//!
//! Handles are references here: `Option<&Node>` is a pointer that may be NULL. What a caller in C must guarantee is written in
//! the header, because no function here can check it: a pointer is NULL or valid, a text ends with a zero byte, a handle is
//! destroyed once, and nothing uses it afterwards.
//!
//! | module | content |
//! |---|---|
//! | `status` | results of functions, and the text of the last error of a thread |
//! | `pointers` | reads texts, arrays and structs that a caller passes |
//! | `gate` | the end of an entity waits for its running callback |
//! | `callbacks` | callbacks: a context, a function, and a function that drops the context |
//! | `wait` | timeouts, and waits for a condition |
//! | `text` | texts that the library returns |
//! | `context`, `node`, `group`, `qos` | contexts, nodes, callback groups, quality of service |
//! | `gid` | the identity of an endpoint |
//! | `message`, `publisher`, `subscription`, `event` | topics: messages, their endpoints, and the events of these |
//! | `service`, `client` | services and their clients |
//! | `action`, `action_server`, `action_client` | actions: their options, servers with their goals, clients |
//! | `lifecycle` | nodes with a lifecycle |
//! | `clock`, `timer`, `guard` | time, timers, guard conditions |
//! | `parameter_value`, `parameter` | the parameters of a node |
//! | `executor` | executors, which wait and run callbacks |
//! | `container` | components, and the containers that load and unload them |
//! | `graph` | the nodes and endpoints of a domain |
//! | `log` | logging |
//! | `tf`, `tf_request`, `tf_frames` | transforms between coordinate frames |

#![expect(
    unsafe_code,
    reason = "C passes raw pointers; each block names what the header demands of the caller"
)]

pub mod action;
pub mod action_client;
pub mod action_server;
pub mod callbacks;
pub mod client;
pub mod clock;
pub mod container;
pub mod context;
pub mod event;
pub mod executor;
mod gate;
pub mod gid;
pub mod graph;
pub mod group;
pub mod guard;
pub mod lifecycle;
pub mod log;
pub mod message;
pub mod node;
pub mod parameter;
pub mod parameter_value;
mod pointers;
pub mod publisher;
pub mod qos;
pub mod service;
pub mod status;
pub mod subscription;
mod sync;
pub mod text;
pub mod tf;
pub mod tf_frames;
pub mod tf_request;
pub mod timer;
mod wait;
