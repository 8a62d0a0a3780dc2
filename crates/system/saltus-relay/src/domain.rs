//! A domain of this host as a side of a relay.

mod forwarder;
mod joined;
mod service;
mod topic;

use std::sync::{Arc, Weak};

use saltus_host::{EndpointInfo, EndpointKind, NodeInfo, OfferInfo, OfferedService, Origin, Waker};
use saltus_node::{Executed, Logger, Waitable};
use saltus_types::{TypeHash, lock};

pub use joined::Domain;

use crate::{
    ends::{ClientEnd, Entry, Offered, Replica, ServerEnd, ShowError, Source, Target},
    exchange::Exchange,
    model::EndpointChange,
    output::Output,
    relay::Relay,
    side::Side,
};
use joined::Shown;
use service::{Client, Server};
use topic::{DomainSource, DomainTarget};

impl Domain {
    /// Makes the executor of the node refresh the relay when the graph changes, while the result is kept. `number` is that of this side.
    #[must_use]
    pub fn watch(&self, relay: &Arc<Relay>, number: usize) -> Entry {
        let watcher = Arc::new(Watcher { relay: Arc::downgrade(relay), domain: self.clone(), number });
        let waitable: Arc<dyn Waitable> = watcher;
        self.0.group.add(Arc::downgrade(&waitable));
        Box::new(waitable)
    }
}

impl Side for Domain {
    fn origin(&self) -> Origin {
        self.0.origin.clone()
    }

    fn logger(&self) -> Logger {
        self.node().logger()
    }

    fn take_changes(&self) -> Option<Vec<EndpointChange>> {
        let mut model = lock(&self.0.model);
        let mut changes = None;
        while let Some(difference) = self.0.watch.take() {
            changes.get_or_insert_with(Vec::new).extend(model.apply(difference));
        }
        changes
    }

    fn description(&self, hash: TypeHash) -> Option<String> {
        self.participant().description(hash)
    }

    fn subscription(&self, replica: &Replica) -> Result<Entry, ShowError> {
        let shown = Shown::new(self, replica.clone())?;
        let entry = self.participant().show(EndpointKind::Subscription, &shown.spec())?;
        Ok(Box::new((entry, shown.node)))
    }

    fn target(&self, replica: Replica) -> Result<Box<dyn Target>, ShowError> {
        Ok(Box::new(DomainTarget::new(self.clone(), Shown::new(self, replica)?)?))
    }

    fn source(&self, other: Origin, output: &Arc<Output>) -> Box<dyn Source> {
        Box::new(DomainSource::new(self.clone(), other, output.clone()))
    }

    fn server(&self, replica: Replica, exchange: &Arc<Exchange>) -> Result<Arc<dyn ServerEnd>, ShowError> {
        Ok(Server::open(self, Shown::new(self, replica)?, exchange)?)
    }

    fn offer(&self, replica: Replica, _: &Arc<Exchange>) -> Result<Offered, ShowError> {
        let shown = Shown::new(self, replica)?;
        let EndpointInfo { type_name, type_hash, qos, .. } = &shown.replica.end;
        let NodeInfo { gid, origin, .. } = shown.node.info().clone();
        let service = OfferedService {
            name: shown.topic.as_str().to_owned(),
            type_name: type_name.clone(),
            type_hash: *type_hash,
        };
        let offered = OfferInfo { node: gid, origin, qos: *qos, services: vec![service] };
        let entry = (self.participant().offer_services(offered, |_| {})?, shown.node);
        Ok(Offered { entry: Box::new(entry), server: None })
    }

    fn client(&self, replica: Replica, exchange: &Arc<Exchange>) -> Result<Arc<dyn ClientEnd>, ShowError> {
        Ok(Client::open(self, Shown::new(self, replica)?, exchange)?)
    }
}

/// A waitable that refreshes a relay when the graph of a domain changes.
struct Watcher {
    relay: Weak<Relay>,
    domain: Domain,
    number: usize,
}

impl Waitable for Watcher {
    fn set_waker(&self, waker: Option<&Waker>) {
        self.domain.0.watch.set_waker(waker);
    }

    fn execute(&self) -> Executed {
        let is_new = self.relay.upgrade().is_some_and(|relay| relay.refresh(self.number));
        if is_new { Executed::Ran(None) } else { Executed::Nothing }
    }
}
