//! A bridge: all its domains, and the flows between them.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, Weak},
    thread,
};

use saltus_executor::{Executor, SingleThreadedExecutor, SpinError};
use saltus_host::{EndpointKind, GraphWatch, OpenError, WaitStrategy, Waker};
use saltus_node::{Context, ContextError, ContextOptions, Executed, NodeError, Waitable};
use saltus_types::lock;

use crate::{
    config::Config,
    model::{ChannelName, EndpointChange, Model},
    rule::{GraphId, Rules},
    service::{ApplyChanges, ServiceFlow},
    side::Side,
    topic::{Route, TopicFlow},
};

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
    core: Arc<Core>,
    wait: WaitStrategy,
}

struct Core {
    sides: Vec<Arc<Side>>,
    watches: Vec<GraphWatch>,
    links: Vec<Link>,
    state: Mutex<State>,
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core").field("sides", &self.sides).finish_non_exhaustive()
    }
}

/// A link from one side to another.
struct Link {
    from: usize,
    to: usize,
    rules: Rules,
}

/// The number of a link, and a name in the domain `from` of the link.
type FlowKey = (usize, ChannelName);

struct State {
    models: Vec<Model>,
    topics: HashMap<FlowKey, TopicFlow>,
    services: HashMap<FlowKey, ServiceFlow>,
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
        let sides = graphs.iter().map(|graph| Ok(Arc::new(join_side(graph, &config.name, options)?)));
        let sides: Vec<Arc<Side>> = sides.collect::<Result<_, BridgeError>>()?;
        let watches = sides.iter().map(|side| side.participant().watch_others()).collect::<Result<_, _>>()?;
        let models = sides.iter().map(|_| Model::default()).collect();
        let state = State { models, topics: HashMap::new(), services: HashMap::new() };
        let core = Core { sides, watches, links, state: Mutex::new(state) };
        Ok(Self { core: Arc::new(core), wait: options.wait })
    }

    /// Returns a handle that ends the bridge from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.core.sides.iter().map(|side| side.context.clone()).collect())
    }

    /// Forwards messages until one of the contexts shuts down, for example on Ctrl-C. When the thread of one domain
    /// ends, all threads end.
    ///
    /// # Errors
    /// Returns an error if an executor can't start, or if it stops for another reason than a shutdown.
    pub fn run(self) -> Result<(), BridgeError> {
        let watchers: Vec<Arc<dyn Waitable>> = (0..self.core.sides.len())
            .map(|side| -> Arc<dyn Waitable> { Arc::new(Watcher { core: Arc::downgrade(&self.core), side }) })
            .collect();
        for (side, watcher) in self.core.sides.iter().zip(&watchers) {
            side.group.add(Arc::downgrade(watcher));
        }
        let done = thread::scope(|scope| {
            let spin = |side: &Arc<Side>| -> Result<(), BridgeError> {
                let _all_end = ShutDownOnDrop(&self.core);
                let executor = SingleThreadedExecutor::new(&side.context)?;
                Ok(executor.strategy(self.wait).spin_node(&side.node)?)
            };
            let threads: Vec<_> =
                self.core.sides.iter().map(|side| scope.spawn(move || spin(side))).collect();
            let join = |thread: thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect::<Vec<_>>()
        });
        done.into_iter().collect()
    }
}

/// A guard that ends all threads of a bridge when one thread ends, even by an error or a panic.
struct ShutDownOnDrop<'a>(&'a Core);

impl Drop for ShutDownOnDrop<'_> {
    fn drop(&mut self) {
        self.0.shut_down();
    }
}

/// Joins a domain and creates the node of the bridge there. Opens nothing else in that domain.
fn join_side(graph: &GraphId, name: &str, options: &BridgeOptions) -> Result<Side, BridgeError> {
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
    Ok(Side::new(context, node, graph))
}

impl Core {
    fn shut_down(&self) {
        self.sides.iter().for_each(|side| side.context.shut_down());
    }

    /// Takes the pending changes of a domain's graph, and updates the flows that they affect. Returns whether there
    /// were changes.
    fn apply_changes(self: &Arc<Self>, side: usize) -> bool {
        let mut state = lock(&self.state);
        let mut changes: Vec<EndpointChange> = Vec::new();
        let mut is_new = false;
        while let Some(difference) = self.watches[side].take() {
            is_new = true;
            changes.extend(state.models[side].apply(difference));
        }
        // Clients come first, so that each client that may call a new server is known.
        changes.sort_by_key(|change| change.end.kind);
        for change in &changes {
            let ChannelName { name, .. } = &change.channel_name;
            let channel = change.channel_name.channel();
            for (number, link) in self.links.iter().enumerate() {
                if link.from == side && is_source(change) && link.rules.to_name(channel, name).is_some() {
                    self.apply(&mut state, number, &change.channel_name, change);
                }
                if link.to == side && !is_source(change) {
                    for name in link.rules.source_names(channel, name) {
                        let source = ChannelName { name, ..change.channel_name.clone() };
                        self.apply(&mut state, number, &source, change);
                    }
                }
            }
        }
        is_new
    }

    /// Applies a change to the flow of a topic or service on one link.
    fn apply(
        self: &Arc<Self>,
        state: &mut State,
        number: usize,
        channel_name: &ChannelName,
        change: &EndpointChange,
    ) {
        let link = &self.links[number];
        let Some((name, rule)) = link.rules.to_name(channel_name.channel(), &channel_name.name) else {
            return;
        };
        let route = Route {
            from: &self.sides[link.from],
            to: &self.sides[link.to],
            from_name: &channel_name.name,
            to_name: &name,
            rule,
        };
        let key = (number, channel_name.clone());
        if channel_name.is_service {
            let flow = state
                .services
                .entry(key.clone())
                .or_insert_with(|| ServiceFlow::new(self.apply_changes_of(link.to)));
            flow.apply(&route, change);
            if flow.is_empty() {
                state.services.remove(&key);
            }
        } else {
            let flow = state.topics.entry(key.clone()).or_default();
            flow.apply(&route, change);
            if flow.is_empty() {
                state.topics.remove(&key);
            }
        }
    }

    fn apply_changes_of(self: &Arc<Self>, side: usize) -> ApplyChanges {
        let core = Arc::downgrade(self);
        Arc::new(move || {
            core.upgrade().inspect(|core| _ = core.apply_changes(side));
        })
    }
}

/// Whether an endpoint is one that a link forwards from its first domain: a publisher or a server.
fn is_source(change: &EndpointChange) -> bool {
    match change.end.kind {
        EndpointKind::Publisher => !change.channel_name.is_service,
        EndpointKind::Subscription => change.channel_name.is_service,
    }
}

/// A waitable that applies the changes of one domain's graph.
struct Watcher {
    core: Weak<Core>,
    side: usize,
}

impl Waitable for Watcher {
    fn set_waker(&self, waker: Option<&Waker>) {
        if let Some(core) = self.core.upgrade() {
            core.watches[self.side].set_waker(waker);
        }
    }

    fn execute(&self) -> Executed {
        let is_new = self.core.upgrade().is_some_and(|core| core.apply_changes(self.side));
        if is_new { Executed::Ran(None) } else { Executed::Nothing }
    }
}
