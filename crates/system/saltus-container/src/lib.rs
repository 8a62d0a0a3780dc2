//! The program that runs components: in a container, each in a process of its own, or one component alone.
//!
//! The program and the libraries of components are built together, so that they share one copy of Saltus as a dynamic
//! library. `saltus install` builds them. The command `saltus` starts the program with the words of [`Role`].
//!
//! | module | content |
//! |---|---|
//! | `build` | the build of Saltus that a library belongs to |
//! | `library` | finds components in the index of packages, and loads their libraries |
//! | `role` | the roles of the program, as words of the command line |
//! | `wire` | the messages between a container and the processes of its components |
//! | `kept` | messages for late subscriptions, which survive the process that has published them |
//! | `worker` | a process of one component |
//! | `process` | starts, watches, restarts and ends such a process |
//! | `program` | the roles of the program |

#![allow(unsafe_code, reason = "only `library` loads shared libraries; each block has its reason")]

mod build;
mod kept;
mod library;
mod process;
mod program;
mod role;
mod wire;
mod worker;

pub use program::{ALLOCATOR, main, run};
pub use role::{Container, PYTHON_PROGRAM, ParseRoleError, Restart, RestartPolicy, Role, cpp_program};
