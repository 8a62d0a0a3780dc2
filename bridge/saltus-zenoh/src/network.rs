//! The network as a side of a relay.

use std::sync::{Arc, Mutex};

use saltus_host::{NodeInfo, Origin};
use saltus_node::Logger;
use saltus_relay::{
    ClientEnd, EndpointChange, Entry, Exchange, Offered, Output, Replica, ServerEnd, ShowError, Side, Source,
    Target,
};
use saltus_types::{TypeHash, lock};

use crate::{
    call::{NetworkClient, Servers},
    link::Link,
    receiving::{Inputs, NetworkSource},
    sending::NetworkTarget,
    table::Table,
};

/// A network over Zenoh.
#[derive(Debug)]
pub(crate) struct Network {
    link: Arc<Link>,
    table: Arc<Mutex<Table>>,
    inputs: Arc<Inputs>,
    servers: Servers,
}

impl Network {
    pub(crate) fn new(link: Arc<Link>, table: Arc<Mutex<Table>>) -> Self {
        let (inputs, servers) =
            (Arc::new(Inputs::new(link.clone(), table.clone())), Servers::new(link.clone(), table.clone()));
        Self { link, table, inputs, servers }
    }

    /// Returns the subscriptions of the session.
    pub(crate) fn inputs(&self) -> &Arc<Inputs> {
        &self.inputs
    }
}

impl Side for Network {
    fn origin(&self) -> Origin {
        Origin::named("zenoh".into())
    }

    fn origin_of(&self, node: &NodeInfo) -> Origin {
        node.origin.clone()
    }

    fn logger(&self) -> Logger {
        self.link.logger.clone()
    }

    fn take_changes(&self) -> Option<Vec<EndpointChange>> {
        lock(&self.table).take()
    }

    fn description(&self, _: TypeHash) -> Option<String> {
        None
    }

    fn subscription(&self, replica: &Replica) -> Result<Entry, ShowError> {
        Ok(Box::new(self.inputs.announce(replica)?))
    }

    fn target(&self, replica: Replica) -> Result<Box<dyn Target>, ShowError> {
        Ok(Box::new(NetworkTarget::new(&self.link, replica)?))
    }

    fn source(&self, _: Origin, output: &Arc<Output>) -> Box<dyn Source> {
        Box::new(NetworkSource::new(&self.inputs, output.clone()))
    }

    fn server(&self, replica: Replica, exchange: &Arc<Exchange>) -> Result<Arc<dyn ServerEnd>, ShowError> {
        Ok(Arc::new(self.servers.open(&replica, exchange)?))
    }

    fn offer(&self, replica: Replica, exchange: &Arc<Exchange>) -> Result<Offered, ShowError> {
        let server = Arc::new(self.servers.open(&replica, exchange)?);
        Ok(Offered { entry: Box::new(server.clone()), server: Some(server) })
    }

    fn client(&self, replica: Replica, exchange: &Arc<Exchange>) -> Result<Arc<dyn ClientEnd>, ShowError> {
        Ok(Arc::new(NetworkClient::open(&self.link, &replica, exchange)?))
    }
}
