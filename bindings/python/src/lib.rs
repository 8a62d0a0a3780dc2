//! The native module of the Python package. Programs use the package `saltus`, which calls this module.

#![expect(unsafe_code, reason = "memory is shared with NumPy arrays")]

mod context;
mod errors;
mod filters;
mod graph;
mod lifecycle;
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
mod transforms;
mod wait;

use pyo3::prelude::*;

/// The native part of `saltus`. Programs use `saltus` instead.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{
        context::{Context, remove_ros_args, restore_signals},
        filters::{ApproximateTime, LatestTime, TimeSequencer},
        graph::{Graph, expand_name, name_fault},
        lifecycle::StateMachine,
        loan::Loan,
        machine::machine_definition,
        message::{Field, Interfaces, Memory, Message, TypeSupport, deserialize, serialize},
        node::{Node, log, logger_level, own_logger_level, set_logger_level},
        parameters::{parameter_from_text, parameter_type},
        service::{Client, Responder, Server},
        timer::{Clock, Guard, Timer},
        topic::{Events, Info, Publisher, Subscription},
        transforms::TransformBuffer,
        wait::{WaitSet, monotonic, place_thread, placement},
    };
}
