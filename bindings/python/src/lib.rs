//! The native module of the Python package: messages, nodes and waiting. Nothing here is for users: the
//! package around it is.

#![expect(unsafe_code, reason = "NumPy is given memory and gives it")]

mod context;
mod errors;
mod graph;
mod loan;
mod machine;
mod message;
mod node;
mod parameters;
mod qos;
mod ready;
mod service;
mod timer;
mod topic;
mod wait;

use pyo3::prelude::*;

/// The native part of `saltus`; use `saltus`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{
        context::{Context, remove_ros_args, restore_signals},
        graph::{Graph, expand_name, name_fault},
        loan::Loan,
        machine::machine_definition,
        message::{Field, Interfaces, Memory, Message, TypeSupport, deserialize, serialize},
        node::{Node, logger_level, say, set_logger_level},
        parameters::{parameter_from_text, parameter_type},
        service::{Client, Responder, Server},
        timer::{Clock, Guard, Timer},
        topic::{Events, Publisher, Subscription},
        wait::{WaitSet, monotonic, place_thread},
    };
}
