//! A bridge: all its domains, and the flows between them.

use std::{path::PathBuf, sync::Arc, thread};

use saltus_executor::{Executor, SingleThreadedExecutor, SpinError};
use saltus_host::{OpenError, Origin, WaitStrategy};
use saltus_node::{Context, ContextError, ContextOptions, NodeError};
use saltus_relay::{Domain, Entry, Link, Relay, Side};

use crate::{config::Config, graph_id::GraphId};

/// Why a bridge could not start, or stopped.
#[derive(thiserror::Error)]
pub enum BridgeError {
    /// The configuration has no rules.
    #[error("nothing to forward: name topics, services or actions")]
    Empty,
    /// A domain can't be joined.
    #[error("{graph}: {source}")]
    Join {
        /// The domain.
        graph: GraphId,
        /// The cause.
        source: ContextError,
    },
    /// The node of the bridge can't be created in a domain.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// There is no memory.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// An executor stopped.
    #[error(transparent)]
    Spin(#[from] SpinError),
}

saltus_types::debug_as_display!(BridgeError);

/// The options of a bridge.
#[derive(Clone, Debug)]
pub struct BridgeOptions {
    /// The folder of the domains' files. The default is the value of `SALTUS_SHM_DIR`.
    pub folder: Option<PathBuf>,
    /// The strategy with which the threads of the bridge wait. The bridge has one thread for each domain.
    pub wait: WaitStrategy,
    /// Whether Ctrl-C ends the bridge.
    pub handle_signals: bool,
}

impl Default for BridgeOptions {
    fn default() -> Self {
        Self { folder: None, wait: WaitStrategy::default(), handle_signals: true }
    }
}

/// A handle that ends a bridge from another thread.
#[derive(Clone, Debug)]
pub struct Stopper(Vec<Context>);

impl Stopper {
    /// Makes [`DomainBridge::run`] return.
    pub fn stop(&self) {
        self.0.iter().for_each(Context::shut_down);
    }
}

/// A bridge that has joined its domains.
///
/// ```no_run
/// # use saltus_domain_bridge::{BridgeOptions, Config, DomainBridge};
/// let config = Config::parse("{from_domain: 2, to_domain: 3, topics: {chatter: {}}}", None, None)?;
/// DomainBridge::join(&config, &BridgeOptions::default())?.run()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DomainBridge {
    domains: Vec<Domain>,
    relay: Arc<Relay>,
    wait: WaitStrategy,
}

impl DomainBridge {
    /// Joins the domains. The bridge forwards messages while [`DomainBridge::run`] runs.
    ///
    /// # Errors
    /// Returns an error if a domain can't be joined, or if the configuration has no rules.
    pub fn join(config: &Config, options: &BridgeOptions) -> Result<Self, BridgeError> {
        let mut graphs: Vec<&GraphId> = Vec::new();
        for graph in config.links.iter().flat_map(|link| [&link.from, &link.to]) {
            if !graphs.contains(&graph) {
                graphs.push(graph);
            }
        }
        if graphs.is_empty() {
            return Err(BridgeError::Empty);
        }
        let index_of = |graph: &GraphId| graphs.iter().position(|other| *other == graph).unwrap_or_default();
        let links = config.links.iter().map(|link| Link {
            from: index_of(&link.from),
            to: index_of(&link.to),
            rules: link.rules.clone(),
        });
        let links = links.collect();
        let domains = graphs.iter().map(|graph| join_domain(graph, &config.name, options));
        let domains: Vec<Domain> = domains.collect::<Result<_, BridgeError>>()?;
        let sides = domains.iter().map(|domain| -> Arc<dyn Side> { Arc::new(domain.clone()) });
        let relay = Relay::new(sides.collect(), links);
        Ok(Self { domains, relay, wait: options.wait })
    }

    /// Returns a handle that ends the bridge from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.domains.iter().map(|domain| domain.context().clone()).collect())
    }

    /// Forwards messages until one of the contexts shuts down, for example on Ctrl-C. When the thread of one domain
    /// ends, all threads end.
    ///
    /// # Errors
    /// Returns an error if an executor can't start, or if it stops for another reason than a shutdown.
    pub fn run(self) -> Result<(), BridgeError> {
        let watches =
            self.domains.iter().enumerate().map(|(number, domain)| domain.watch(&self.relay, number));
        let _watches: Vec<Entry> = watches.collect();
        let stopper = self.stopper();
        let done = thread::scope(|scope| {
            let spin = |domain: &Domain| -> Result<(), BridgeError> {
                let _all_end = StopOnDrop(&stopper);
                let executor = SingleThreadedExecutor::new(domain.context())?;
                Ok(executor.strategy(self.wait).spin_node(domain.node())?)
            };
            let threads: Vec<_> =
                self.domains.iter().map(|domain| scope.spawn(move || spin(domain))).collect();
            let join = |thread: thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect::<Vec<_>>()
        });
        self.relay.end();
        done.into_iter().collect()
    }
}

/// A guard that ends all threads of a bridge when one thread ends, even by an error or a panic.
struct StopOnDrop<'a>(&'a Stopper);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Joins a domain and creates the node of the bridge there. Opens nothing else in that domain.
fn join_domain(graph: &GraphId, name: &str, options: &BridgeOptions) -> Result<Domain, BridgeError> {
    let mut context =
        ContextOptions::default().domain(graph.domain).rosout(false).handle_signals(options.handle_signals);
    if let Some(group) = &graph.group {
        context = context.group(group);
    }
    if let Some(folder) = &options.folder {
        context = context.folder(folder);
    }
    let context = context.create().map_err(|source| BridgeError::Join { graph: graph.clone(), source })?;
    let node = context.node(name).start_parameter_services(false).create()?;
    Ok(Domain::new(context, node, Origin::named(graph.to_string()))?)
}
