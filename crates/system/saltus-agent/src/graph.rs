//! The objects of clients in the graph.

mod endpoints;

use std::collections::HashMap;

use saltus_host::{Device, EndpointSpec, Foreign, NodeEntry, NodeSpec, Origin, TypeText};
use saltus_node::{Logger, MAX_DOMAIN};
use saltus_types::{Durability, Gid, History, LinkCounts, LinkLoss, QoS, Reliability, TopicName, TypeHash};
use saltus_xrce::{
    ClientCounters, ClientKey, ClientReport, EndpointQos, GraphObject, ObjectId, Request, Service, Status,
    Topic, Written,
};

use crate::{
    contexts::ChosenDomainError,
    domains::{Domain, DomainError, Domains, EndpointKey},
    names,
};
pub(crate) use endpoints::ClientMessage;
use endpoints::Endpoint;

/// The domain of a client's node that leaves the choice to the agent.
const CHOSEN_BY_AGENT: i16 = 255;

/// The objects of all clients of a worker.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) domains: Domains,
    clients: HashMap<ClientKey, ClientObjects>,
    logger: Logger,
}

/// The objects of a client.
#[derive(Debug)]
struct ClientObjects {
    /// The transport and the address of the client, for people.
    link: String,
    nodes: HashMap<ObjectId, Node>,
    ends: HashMap<ObjectId, ClientEndpoint>,
    /// The client as a device, by domain.
    devices: HashMap<u32, Device>,
}

#[derive(Debug)]
struct Node {
    domain: u32,
    entry: NodeEntry,
}

#[derive(Debug)]
struct ClientEndpoint {
    domain: u32,
    end: Endpoint,
}

/// Why an object can't be created.
#[derive(Debug, thiserror::Error)]
enum CreateError {
    #[error(transparent)]
    Name(#[from] saltus_types::NameError),
    #[error(transparent)]
    Domain(#[from] DomainError),
    #[error(transparent)]
    Open(#[from] saltus_host::OpenError),
    #[error(
        "expected a domain from 0 to {MAX_DOMAIN}, or {CHOSEN_BY_AGENT} for that of the agent, found {0}"
    )]
    InvalidDomain(i16),
    #[error(transparent)]
    Chosen(#[from] ChosenDomainError),
    #[error("its node does not exist")]
    NoNode,
}

impl CreateError {
    fn status(&self) -> Status {
        match self {
            Self::Name(_) | Self::InvalidDomain(_) => Status::InvalidData,
            Self::Domain(_) | Self::Chosen(_) => Status::Failed,
            Self::Open(_) => Status::Resources,
            Self::NoNode => Status::UnknownReference,
        }
    }
}

impl Graph {
    pub(crate) fn new(domains: Domains, logger: Logger) -> Self {
        Self { domains, clients: HashMap::new(), logger }
    }

    /// Notes that a client has come, or has another link.
    pub(crate) fn connected(&mut self, client: ClientKey, link: String) {
        saltus_node::info!(self.logger, "client {client} connected over {link}");
        let objects = self.clients.entry(client).or_insert_with(|| ClientObjects {
            link: String::new(),
            nodes: HashMap::new(),
            ends: HashMap::new(),
            devices: HashMap::new(),
        });
        if objects.link != link {
            objects.link = link;
            // They are shown again with the new link, when a node is created or the counts are set.
            let domains: Vec<u32> = objects.devices.drain().map(|(domain, _)| domain).collect();
            for number in domains {
                self.show_device(client, number)
                    .unwrap_or_else(|error| saltus_node::warn!(self.logger, "client {client}: {error}"));
            }
        }
    }

    /// Shows a client as a device in a domain, unless it is shown already.
    fn show_device(&mut self, client: ClientKey, number: u32) -> Result<(), CreateError> {
        let Some(objects) = self.clients.get_mut(&client) else { return Ok(()) };
        if !objects.devices.contains_key(&number) {
            let domain = self.domains.join(number)?;
            let device = domain.participant().device(&device_name(client), &objects.link)?;
            objects.devices.insert(number, device);
        }
        Ok(())
    }

    /// Forgets a client.
    pub(crate) fn forget(&mut self, client: ClientKey) {
        let Some(objects) = self.clients.remove(&client) else { return };
        for (id, end) in &objects.ends {
            if let Some(domain) = self.domains.get_mut(end.domain) {
                domain.remove((client, *id));
            }
        }
    }

    /// Sets the counts of a client that tools read.
    pub(crate) fn set_counts<A>(&self, report: &ClientReport<A>) {
        if let Some(objects) = self.clients.get(&report.key) {
            let mut counts = link_counts(report);
            let unanswered = objects.ends.values().map(|end| end.end.unanswered());
            counts.lost[LinkLoss::Unusable as usize] += unanswered.sum::<u64>();
            objects.devices.values().for_each(|device| device.set(&counts));
        }
    }

    /// Creates an object of a client.
    pub(crate) fn create(&mut self, client: ClientKey, id: ObjectId, object: GraphObject<'_>) -> Status {
        match self.try_create(client, id, object) {
            Ok(()) => {
                saltus_node::debug!(self.logger, "client {client}: created {object}");
                Status::Ok
            }
            Err(error) => {
                saltus_node::warn!(self.logger, "client {client}: can't create {object}: {error}");
                error.status()
            }
        }
    }

    /// Returns the number of the domain that a client names for a node.
    fn domain_number(&self, domain: i16) -> Result<u32, CreateError> {
        if domain == CHOSEN_BY_AGENT {
            return Ok(self.domains.chosen()?);
        }
        let number = u32::try_from(domain).ok().filter(|number| *number <= MAX_DOMAIN);
        number.ok_or(CreateError::InvalidDomain(domain))
    }

    fn try_create(
        &mut self,
        client: ClientKey,
        id: ObjectId,
        object: GraphObject<'_>,
    ) -> Result<(), CreateError> {
        match object {
            GraphObject::Node { domain, name: given } => {
                let number = self.domain_number(domain)?;
                let name = names::node(given, client)?;
                if let Some(given) = given.filter(|given| !given.is_empty()) {
                    self.tell_name(client, "node", given, &name.fully_qualified());
                }
                self.show_device(client, number)?;
                let domain = self.domains.join(number)?;
                let foreign = foreign(domain, client);
                let entry = domain.participant().node(&NodeSpec { name: &name, foreign: Some(&foreign) })?;
                if let Some(objects) = self.clients.get_mut(&client) {
                    objects.nodes.insert(id, Node { domain: number, entry });
                }
                saltus_node::info!(
                    self.logger,
                    "client {client} has the node {} in domain {number}",
                    name.fully_qualified()
                );
                Ok(())
            }
            GraphObject::Publisher { node, topic, qos } => {
                let (name, type_name) = self.topic_names(client, topic)?;
                self.open(client, id, node, (&name, &type_name, publisher_qos(&qos)), Endpoint::publisher)
            }
            GraphObject::Subscription { node, topic, qos } => {
                let (name, type_name) = self.topic_names(client, topic)?;
                self.open(
                    client,
                    id,
                    node,
                    (&name, &type_name, subscription_qos(&qos)),
                    Endpoint::subscription,
                )
            }
            GraphObject::ServiceClient { node, service } => {
                let (name, type_name) = self.service_names(client, service)?;
                self.open(client, id, node, (&name, &type_name, QoS::services_default()), Endpoint::client)
            }
            GraphObject::ServiceServer { node, service } => {
                let (name, type_name) = self.service_names(client, service)?;
                self.open(client, id, node, (&name, &type_name, QoS::services_default()), Endpoint::server)
            }
        }
    }

    /// Returns the name of a topic in the graph, and the name of its type.
    fn topic_names(&self, client: ClientKey, topic: &Topic) -> Result<(TopicName, String), CreateError> {
        let name = names::topic(&topic.name)?;
        self.tell_name(
            client,
            "topic",
            topic.name.strip_prefix(names::TOPIC).unwrap_or(&topic.name),
            name.as_str(),
        );
        Ok((name, names::type_name(&topic.type_name)))
    }

    /// Returns the name of a service in the graph, and the name of its type.
    fn service_names(
        &self,
        client: ClientKey,
        service: &Service,
    ) -> Result<(TopicName, String), CreateError> {
        let name = names::service(service)?;
        self.tell_name(client, "service", names::requested_service(service), name.as_str());
        Ok((name, names::service_type(service)))
    }

    /// Says which name something has, if it is not the one that the client has given.
    fn tell_name(&self, client: ClientKey, what: &str, given: &str, name: &str) {
        if given.trim_start_matches('/') != name.trim_start_matches('/') {
            saltus_node::warn!(self.logger, "client {client}: the {what} `{given}` is {name} here");
        }
    }

    /// Opens an endpoint of a client.
    fn open(
        &mut self,
        client: ClientKey,
        id: ObjectId,
        node: ObjectId,
        (topic, type_name, qos): (&TopicName, &str, QoS),
        open: impl FnOnce(&mut Domain, &EndpointSpec<'_>, EndpointKey) -> Result<Endpoint, saltus_host::OpenError>,
    ) -> Result<(), CreateError> {
        let objects = self.clients.get_mut(&client).ok_or(CreateError::NoNode)?;
        let node = objects.nodes.get(&node).ok_or(CreateError::NoNode)?;
        let number = node.domain;
        let domain = self.domains.get_mut(number).ok_or(CreateError::NoNode)?;
        let foreign = foreign(domain, client);
        let spec = EndpointSpec {
            node: node.entry.info().gid,
            topic,
            type_name,
            type_hash: TypeHash::UNKNOWN,
            qos,
            description: TypeText::Unknown,
            foreign: Some(&foreign),
            only_from: None,
            skips_own: false,
        };
        let end = open(domain, &spec, (client, id))?;
        objects.ends.insert(id, ClientEndpoint { domain: number, end });
        Ok(())
    }

    /// Deletes an object of a client.
    pub(crate) fn delete(&mut self, client: ClientKey, id: ObjectId) {
        let Some(objects) = self.clients.get_mut(&client) else { return };
        saltus_node::debug!(self.logger, "client {client}: deleted {id}");
        objects.nodes.remove(&id);
        if let Some(end) = objects.ends.remove(&id)
            && let Some(domain) = self.domains.get_mut(end.domain)
        {
            domain.remove((client, id));
        }
    }

    /// Publishes data with an object of a client.
    pub(crate) fn write(&mut self, client: ClientKey, request: Request, data: &[u8]) -> Written {
        let objects = self.clients.get_mut(&client);
        let end = objects.and_then(|objects| objects.ends.get_mut(&request.object));
        end.map_or(Written::Unusable, |end| end.end.write(request, data))
    }

    /// Takes the next message for an object of a client.
    pub(crate) fn take(&mut self, (client, id): EndpointKey) -> Option<ClientMessage> {
        self.clients.get_mut(&client)?.ends.get_mut(&id)?.end.take()
    }

    /// Returns whether a publisher is one of a client's.
    pub(crate) fn is_own(&self, client: ClientKey, publisher: Gid) -> bool {
        let objects = self.clients.get(&client);
        objects.is_some_and(|objects| objects.ends.values().any(|end| end.end.publishes_as(publisher)))
    }

    /// Keeps a message that could not be delivered, so that it is taken next.
    pub(crate) fn put_back(&mut self, (client, id): EndpointKey, taken: ClientMessage) {
        let objects = self.clients.get_mut(&client);
        if let Some(end) = objects.and_then(|objects| objects.ends.get_mut(&id)) {
            end.end.put_back(taken);
        }
    }

    /// Returns the endpoints of a client.
    pub(crate) fn ends_of(&self, client: ClientKey) -> Vec<EndpointKey> {
        let objects = self.clients.get(&client);
        objects.map_or_else(Vec::new, |objects| objects.ends.keys().map(|id| (client, *id)).collect())
    }
}

/// Returns the name of a client as a device.
fn device_name(client: ClientKey) -> String {
    format!("device {client}")
}

fn foreign(domain: &Domain, client: ClientKey) -> Foreign {
    Foreign { origin: Origin::Device(device_name(client)), gid: domain.participant().new_gid() }
}

/// The depth of a subscription that keeps all. A device must not make the publishers of the graph wait.
const DEEPEST: u16 = 1000;

fn publisher_qos(qos: &EndpointQos) -> QoS {
    let history = qos.depth.map_or(History::KeepAll, |depth| History::KeepLast(depth.max(1)));
    let milliseconds =
        |ms: Option<u32>| ms.filter(|ms| *ms > 0).map(|ms| std::time::Duration::from_millis(ms.into()));
    QoS {
        reliability: if qos.is_reliable { Reliability::Reliable } else { Reliability::BestEffort },
        durability: if qos.is_transient_local { Durability::TransientLocal } else { Durability::Volatile },
        history,
        deadline: milliseconds(qos.deadline_ms),
        lifespan: milliseconds(qos.lifespan_ms),
        ..QoS::system_default()
    }
}

fn subscription_qos(qos: &EndpointQos) -> QoS {
    let offered = publisher_qos(qos);
    QoS { history: History::KeepLast(offered.history.depth().min(DEEPEST)), lifespan: None, ..offered }
}

fn link_counts<A>(report: &ClientReport<A>) -> LinkCounts {
    let ClientCounters { received, received_bytes, sent, sent_bytes, repeated, .. } = report.counters;
    let mut lost = [0; LinkLoss::COUNT];
    let counts = &report.counters;
    for (cause, count) in [
        (LinkLoss::Link, counts.lost_on_link),
        (LinkLoss::GivenUp, counts.given_up_by_client),
        (LinkLoss::Malformed, counts.malformed),
        (LinkLoss::Unusable, counts.unusable),
        (LinkLoss::TooLongFromDevice, counts.too_long_from_client),
        (LinkLoss::TooLongForDevice, counts.too_long_for_client),
        (LinkLoss::OverRate, counts.over_rate),
        (LinkLoss::Unacknowledged, counts.unanswered),
    ] {
        lost[cause as usize] = count;
    }
    LinkCounts {
        is_present: report.is_present,
        heard_at: report.heard_at,
        received,
        received_bytes,
        sent,
        sent_bytes,
        repeated,
        lost,
        lost_at: [0; LinkLoss::COUNT],
    }
}
