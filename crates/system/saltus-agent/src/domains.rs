//! The domains in which clients have nodes.

use std::{collections::HashMap, sync::Arc};

use saltus_host::{OpenError, Participant, Waiter, Waker};
use saltus_node::{Context, ContextError};
use saltus_xrce::{ClientKey, ObjectId};

use crate::contexts::{ChosenDomainError, Contexts};

/// An endpoint of a client.
pub(crate) type EndpointKey = (ClientKey, ObjectId);

/// A domain that a worker uses.
#[derive(Debug)]
pub(crate) struct Domain {
    context: Context,
    pub(crate) waiter: Waiter,
    /// The endpoints by the class of the waiter that they ring.
    by_class: [Vec<EndpointKey>; Waiter::CLASSES as usize],
    next_class: u32,
    /// The waker of the agent's end. The context does not keep it.
    _shutdown: Arc<Waker>,
}

/// The class that is rung when the agent ends.
const SHUTDOWN: u32 = 0;

impl Domain {
    pub(crate) fn participant(&self) -> &Participant {
        self.context.participant()
    }

    pub(crate) fn is_shut_down(&self) -> bool {
        self.context.is_shut_down()
    }

    /// Adds an endpoint. Returns the waker that its messages ring.
    pub(crate) fn add(&mut self, end: EndpointKey) -> Waker {
        self.next_class = self.next_class % (Waiter::CLASSES - 1) + 1;
        self.by_class[self.next_class as usize].push(end);
        self.waiter.waker(self.next_class)
    }

    pub(crate) fn remove(&mut self, end: EndpointKey) {
        self.by_class.iter_mut().for_each(|ends| ends.retain(|other| *other != end));
    }

    /// Returns the endpoints of the classes that are set in `ready`.
    pub(crate) fn ends(&self, ready: u32) -> impl Iterator<Item = EndpointKey> {
        let is_ready = move |class: &usize| ready & (1 << class) != 0;
        (0..self.by_class.len()).filter(is_ready).flat_map(|class| self.by_class[class].iter().copied())
    }
}

/// The domains that a worker uses. A domain is joined when the first client has a node in it.
#[derive(Debug)]
pub(crate) struct Domains {
    contexts: Contexts,
    joined: HashMap<u32, Domain>,
}

/// Why a domain can't be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DomainError {
    #[error(transparent)]
    Join(#[from] ContextError),
    #[error(transparent)]
    Open(#[from] OpenError),
}

impl Domains {
    /// Returns the number of the domain for nodes whose clients leave the choice to the agent.
    pub(crate) fn chosen(&self) -> Result<u32, ChosenDomainError> {
        self.contexts.chosen_domain()
    }

    pub(crate) fn new(contexts: Contexts) -> Self {
        Self { contexts, joined: HashMap::new() }
    }

    /// Returns a domain, and joins it if this worker has not used it yet.
    pub(crate) fn join(&mut self, number: u32) -> Result<&mut Domain, DomainError> {
        if !self.joined.contains_key(&number) {
            let context = self.contexts.get(number)?;
            let waiter = context.waiter()?;
            let by_class = [const { Vec::new() }; Waiter::CLASSES as usize];
            let shutdown = Arc::new(waiter.waker(SHUTDOWN));
            context.on_shutdown(&shutdown);
            let domain = Domain { context, waiter, by_class, next_class: 0, _shutdown: shutdown };
            self.joined.insert(number, domain);
        }
        self.joined.get_mut(&number).ok_or_else(|| unreachable!("the domain was joined just now"))
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut Domain> {
        self.joined.get_mut(&number)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut Domain)> {
        self.joined.iter_mut().map(|(number, domain)| (*number, domain))
    }

    pub(crate) fn is_shut_down(&self) -> bool {
        self.joined.values().any(Domain::is_shut_down)
    }
}
