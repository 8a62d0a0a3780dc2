//! The running agent.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket},
    path::PathBuf,
    thread,
};

use saltus_node::{ContextError, Logger};
use saltus_xrce::{AgentConfig, Locator, Profiles};

use crate::{
    contexts::Contexts,
    domains::Domains,
    graph::Graph,
    options::{AgentOptions, Served, TransportOptions},
    transport::{
        Transport,
        can::{Can, CanBus},
        locator,
        serial::Serial,
        tcp::Tcp,
        udp::Udp,
    },
    worker::{Worker, WorkerError},
};

/// Why an agent could not start, or has ended.
#[derive(thiserror::Error)]
pub enum AgentError {
    /// There is no transport.
    #[error("nothing to serve: name a transport")]
    Empty,
    /// A domain can't be joined.
    #[error(transparent)]
    Context(#[from] ContextError),
    /// A transport can't be opened, or has failed.
    #[error("{transport}: {source}")]
    Transport {
        /// The transport.
        transport: String,
        /// The cause.
        source: io::Error,
    },
    /// The graph can't be used.
    #[error("{transport}: {reason}")]
    Graph {
        /// The transport.
        transport: String,
        /// The cause.
        reason: String,
    },
}

saltus_types::debug_as_display!(AgentError);

/// A handle that ends an agent from another thread.
#[derive(Clone, Debug)]
pub struct Stopper(Contexts);

impl Stopper {
    /// Makes [`MicroAgent::run`] return.
    pub fn stop(&self) {
        self.0.shut_down();
    }
}

/// An agent whose transports are open.
///
/// ```no_run
/// use saltus_agent::{AgentOptions, MicroAgent, TransportOptions};
/// let udp = TransportOptions::Udp { address: "0.0.0.0:8888".parse()?, discovery_port: None };
/// MicroAgent::open(AgentOptions { transports: vec![udp.into()], ..AgentOptions::default() })?.run()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct MicroAgent {
    contexts: Contexts,
    workers: Vec<(String, AnyWorker)>,
    addresses: Vec<SocketAddr>,
    terminals: Vec<PathBuf>,
}

#[derive(Debug)]
enum AnyWorker {
    Udp(Worker<Udp>),
    Tcp(Worker<Tcp>),
    Serial(Worker<Serial>),
    Can(Worker<Can>),
}

impl AnyWorker {
    fn run(self) -> Result<(), WorkerError> {
        match self {
            Self::Udp(worker) => worker.run(),
            Self::Tcp(worker) => worker.run(),
            Self::Serial(worker) => worker.run(),
            Self::Can(worker) => worker.run(),
        }
    }
}

impl MicroAgent {
    /// Opens the transports and joins the domain of the environment. Clients are served while [`MicroAgent::run`] runs.
    ///
    /// # Errors
    /// Returns an error if a transport can't be opened, or if the domain can't be joined.
    pub fn open(options: AgentOptions) -> Result<Self, AgentError> {
        if options.transports.is_empty() {
            return Err(AgentError::Empty);
        }
        let contexts = Contexts::new(options.folder.clone(), !options.ignores_signals);
        let (workers, addresses, terminals) = (Vec::new(), Vec::new(), Vec::new());
        let mut agent = Self { contexts, workers, addresses, terminals };
        for served in &options.transports {
            agent.add(served)?;
        }
        Ok(agent)
    }

    fn add(&mut self, served: &Served) -> Result<(), AgentError> {
        let failed = |name: &str, source: io::Error| AgentError::Transport { transport: name.into(), source };
        let mut config = served.config.clone();
        match &served.transport {
            TransportOptions::Udp { address, discovery_port } => {
                let name = format!("udp {address}");
                let udp = Udp::bind(*address, *discovery_port).map_err(|e| failed(&name, e))?;
                let own = udp.address().map_err(|e| failed(&name, e))?;
                self.addresses.push(own);
                config.locators = locators(own);
                let worker = AnyWorker::Udp(self.worker(udp, config, &served.profiles)?);
                self.workers.push((name, worker));
            }
            TransportOptions::Tcp { address } => {
                let name = format!("tcp {address}");
                let tcp = Tcp::bind(*address).map_err(|e| failed(&name, e))?;
                let own = tcp.address().map_err(|e| failed(&name, e))?;
                self.addresses.push(own);
                config.locators = locators(own);
                let worker = AnyWorker::Tcp(self.worker(tcp, config, &served.profiles)?);
                self.workers.push((name, worker));
            }
            TransportOptions::Serial { devices, baud } => {
                let serial = Serial::open(devices, *baud).map_err(|e| failed("serial", e))?;
                let worker = AnyWorker::Serial(self.worker(serial, config, &served.profiles)?);
                self.workers.push(("serial".into(), worker));
            }
            TransportOptions::PseudoTerminal => {
                let (serial, path) = Serial::pseudo_terminal().map_err(|e| failed("pty", e))?;
                self.terminals.push(path);
                let worker = AnyWorker::Serial(self.worker(serial, config, &served.profiles)?);
                self.workers.push(("pty".into(), worker));
            }
            TransportOptions::Can { interface } => {
                self.add_can(CanBus::Interface(interface.clone()), config, &served.profiles)?;
            }
            TransportOptions::CanSocket { path } => {
                self.add_can(CanBus::Socket(path.clone()), config, &served.profiles)?;
            }
        }
        Ok(())
    }

    fn add_can(&mut self, bus: CanBus, config: AgentConfig, profiles: &Profiles) -> Result<(), AgentError> {
        let name = match &bus {
            CanBus::Interface(interface) => format!("can {interface}"),
            CanBus::Socket(path) => format!("can {}", path.display()),
        };
        let can =
            Can::open(bus).map_err(|source| AgentError::Transport { transport: name.clone(), source })?;
        let worker = AnyWorker::Can(self.worker(can, config, profiles)?);
        self.workers.push((name, worker));
        Ok(())
    }

    fn worker<T: Transport>(
        &self,
        transport: T,
        config: AgentConfig,
        profiles: &Profiles,
    ) -> Result<Worker<T>, AgentError> {
        let name = transport.name();
        let domain = self.contexts.default_domain()?;
        let logger = Logger::new("agent").child(name.split(' ').next().unwrap_or_default());
        let graph = Graph::new(Domains::new(self.contexts.clone()), logger.clone());
        let worker = Worker::new(transport, graph, config, profiles.clone(), (domain, logger.clone()));
        let worker = worker.map_err(|error| failure(&name, error))?;
        saltus_node::info!(logger, "serves {name} in domain {domain}");
        Ok(worker)
    }

    /// Returns the addresses of the sockets for UDP and TCP, in the order of the transports.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Returns the paths at which clients open the pseudo-terminals, in the order of the transports.
    pub fn terminals(&self) -> &[PathBuf] {
        &self.terminals
    }

    /// Returns a handle that ends the agent from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.contexts.clone())
    }

    /// Serves clients until the contexts shut down, for example on Ctrl-C. When one transport fails, all end.
    ///
    /// # Errors
    /// Returns an error if a transport or the graph has failed.
    pub fn run(self) -> Result<(), AgentError> {
        let Self { contexts, workers, .. } = self;
        let done = thread::scope(|scope| {
            let serve = |(name, worker): (String, AnyWorker)| {
                let _all_end = ShutDownOnDrop(&contexts);
                worker.run().map_err(|error| failure(&name, error))
            };
            let threads: Vec<_> =
                workers.into_iter().map(|worker| scope.spawn(move || serve(worker))).collect();
            let join = |thread: thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect::<Vec<_>>()
        });
        done.into_iter().collect()
    }
}

/// A guard that ends all threads of an agent when one ends, even by an error or a panic.
struct ShutDownOnDrop<'a>(&'a Contexts);

impl Drop for ShutDownOnDrop<'_> {
    fn drop(&mut self) {
        self.0.shut_down();
    }
}

fn failure(transport: &str, error: WorkerError) -> AgentError {
    let transport = transport.to_owned();
    match error {
        WorkerError::Io(source) => AgentError::Transport { transport, source },
        WorkerError::Domain(_) | WorkerError::Open(_) => {
            AgentError::Graph { transport, reason: error.to_string() }
        }
    }
}

/// Returns the addresses that clients get: the one of a socket, or those of this host if the socket listens on all of
/// them.
fn locators(address: SocketAddr) -> Vec<Locator> {
    let own = if address.ip().is_unspecified() {
        [Some(IpAddr::V4(Ipv4Addr::LOCALHOST)), outward_address()].into_iter().flatten().collect()
    } else {
        vec![address.ip()]
    };
    own.into_iter().map(|ip| locator(SocketAddr::new(ip, address.port()))).collect()
}

/// Returns the address with which this host reaches others, if it has a network. Nothing is sent to find it.
fn outward_address() -> Option<IpAddr> {
    /// An address of no host (RFC 5737). The system only looks up the route.
    const ELSEWHERE: (Ipv4Addr, u16) = (Ipv4Addr::new(192, 0, 2, 1), 9);
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect(ELSEWHERE).ok()?;
    socket.local_addr().ok().map(|address| address.ip())
}
