//! A node of the graph, and calls of its services.

use std::time::Duration;

use saltus::{Context, Node, cdr::Service, graph::Graph, service::CallError};

use crate::{
    error::{Ended, Error},
    reading::hidden_node,
};

/// The time limit for a node and its responses.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct ResponseTimeout {
    /// The longest time to wait for the node and for each of its responses, in seconds
    #[arg(long, default_value_t = 5.0)]
    timeout: f64,
}

impl ResponseTimeout {
    /// Returns the time limit. A negative number counts as 0.
    pub fn time(self) -> Duration {
        Duration::try_from_secs_f64(self.timeout.max(0.0)).unwrap_or(Duration::MAX)
    }
}

/// A node of the graph whose services a verb calls.
pub struct Remote {
    node: Node,
    /// The full name of the node.
    pub name: String,
    timeout: Duration,
}

impl Remote {
    /// Waits until `is_there` holds for the graph, because the node may just be starting. Returns `None` if it does not in
    /// time.
    pub fn find(
        name: String,
        timeout: ResponseTimeout,
        is_there: impl Fn(&Graph, &str) -> bool,
    ) -> Result<Option<Self>, Error> {
        let context = Context::new()?;
        let node = hidden_node(&context)?;
        let timeout = timeout.time();
        if context.wait_until(timeout, || is_there(&context.graph(), &name)) {
            return Ok(Some(Self { node, name, timeout }));
        }
        if context.is_shut_down() { Err(Ended::Interrupted.into()) } else { Ok(None) }
    }

    /// Returns the context with which the node is called. Ctrl-C shuts it down.
    pub fn context(&self) -> &Context {
        self.node.context()
    }

    /// Returns how long to wait for a response, as the user has chosen.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Calls a service of the node. Returns `None` if the node has no such service.
    pub fn call<S: Service>(
        &self,
        service: &str,
        request: &S::Request,
    ) -> Result<Option<S::Response>, Error> {
        self.call_for::<S>(service, request, self.timeout)
    }

    /// Calls a service of the node like [`Remote::call`], and waits at most `timeout` for the response.
    pub fn call_for<S: Service>(
        &self,
        service: &str,
        request: &S::Request,
        timeout: Duration,
    ) -> Result<Option<S::Response>, Error> {
        let client = self.node.client::<S>(&format!("{}/{service}", self.name)).create()?;
        if !client.wait_for_service(self.timeout) {
            return if self.node.context().is_shut_down() {
                Err(Ended::Interrupted.into())
            } else {
                Ok(None)
            };
        }
        match client.call(request, timeout) {
            Ok(response) => Ok(Some(response)),
            Err(_) if self.node.context().is_shut_down() => Err(Ended::Interrupted.into()),
            Err(error) => {
                let error = call_error(error, &self.node.context().graph());
                Err(format!("Exception while calling service of node '{}': {error}", self.name).into())
            }
        }
    }
}

/// Returns an error of a call as a user of commands can use it.
pub fn call_error(error: CallError, graph: &Graph) -> Error {
    let CallError::NoServer { service } = &error else { return error.into() };
    let server = graph.servers.iter().find(|server| server.topic == *service);
    match server.map(|server| crate::graph::node_name(graph, server)) {
        Some(node) => format!(
            "the node '{node}' has the service '{service}' and does not accept the connection: its process may be stopped \
             (`saltus doctor` says so)"
        ),
        None => format!("no server for service '{service}': start the node that has it"),
    }
    .into()
}
