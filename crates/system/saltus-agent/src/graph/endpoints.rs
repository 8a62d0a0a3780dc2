//! The endpoints of clients, and the bytes that pass through them.

use std::collections::VecDeque;

use saltus_host::{
    EndpointSpec, OpenError, PublishError, Publisher, RequestId as HostRequest, Sample, Subscription,
};
use saltus_types::Gid;
use saltus_xrce::{ByteOrder, Reader, Request, SampleIdentity, Written};

use crate::domains::{Domain, EndpointKey};

/// The bytes before a message in the graph: little-endian CDR. Clients send messages without them.
const ENCAPSULATION: [u8; 4] = [0, 1, 0, 0];
/// The number of requests of a client that may wait for responses. Beyond that, the oldest one gets none.
const OUTSTANDING: usize = 64;

/// An endpoint of a client.
#[derive(Debug)]
pub(crate) enum Endpoint {
    Publisher(Publisher),
    Subscription {
        subscription: Subscription,
        waiting: Option<ClientMessage>,
    },
    Client {
        requests: Publisher,
        responses: Subscription,
        outstanding: Outstanding,
        waiting: Option<ClientMessage>,
        unanswered: u64,
    },
    Server {
        requests: Subscription,
        responses: Publisher,
        waiting: Option<ClientMessage>,
    },
}

/// The requests that wait for responses: the number in the graph, and the client's request.
pub(crate) type Outstanding = VecDeque<(u64, Request)>;

/// A message for a client.
#[derive(Debug)]
pub(crate) struct ClientMessage {
    /// The bytes before the message: the identity of a request. Only the first `prefix_len` bytes are used.
    prefix: [u8; SampleIdentity::SIZE],
    prefix_len: usize,
    sample: Sample,
}

impl ClientMessage {
    pub(crate) fn prefix(&self) -> &[u8] {
        &self.prefix[..self.prefix_len]
    }

    /// Returns the message without its encapsulation.
    pub(crate) fn content(&self) -> &[u8] {
        self.sample.get(ENCAPSULATION.len()..).unwrap_or_default()
    }

    /// Returns the gid of the publisher of the message.
    pub(crate) fn publisher(&self) -> Gid {
        self.sample.publisher()
    }

    fn new(prefix: &[u8], sample: Sample) -> Self {
        let mut bytes = [0; SampleIdentity::SIZE];
        bytes[..prefix.len()].copy_from_slice(prefix);
        Self { prefix: bytes, prefix_len: prefix.len(), sample }
    }
}

impl Endpoint {
    pub(super) fn publisher(
        domain: &mut Domain,
        spec: &EndpointSpec<'_>,
        _key: EndpointKey,
    ) -> Result<Self, OpenError> {
        Ok(Self::Publisher(domain.participant().publisher(spec)?))
    }

    pub(super) fn subscription(
        domain: &mut Domain,
        spec: &EndpointSpec<'_>,
        key: EndpointKey,
    ) -> Result<Self, OpenError> {
        let subscription = domain.participant().subscription(spec)?;
        subscription.set_waker(Some(&domain.add(key)));
        Ok(Self::Subscription { subscription, waiting: None })
    }

    pub(super) fn client(
        domain: &mut Domain,
        spec: &EndpointSpec<'_>,
        key: EndpointKey,
    ) -> Result<Self, OpenError> {
        let (requests, responses) = domain.participant().client(spec)?;
        responses.set_waker(Some(&domain.add(key)));
        Ok(Self::Client { requests, responses, outstanding: VecDeque::new(), waiting: None, unanswered: 0 })
    }

    pub(super) fn server(
        domain: &mut Domain,
        spec: &EndpointSpec<'_>,
        key: EndpointKey,
    ) -> Result<Self, OpenError> {
        let (requests, responses) = domain.participant().server(spec)?;
        requests.set_waker(Some(&domain.add(key)));
        Ok(Self::Server { requests, responses, waiting: None })
    }

    /// Publishes data of the client.
    pub(super) fn write(&mut self, request: Request, data: &[u8]) -> Written {
        let published = match self {
            Self::Publisher(publisher) if !publisher.has_room() => return Written::Busy,
            Self::Publisher(publisher) => publish(publisher, data),
            Self::Client { requests, outstanding, unanswered, .. } => {
                send_request(requests, data).map(|number| {
                    if outstanding.len() >= OUTSTANDING {
                        outstanding.pop_front();
                        *unanswered += 1;
                    }
                    outstanding.push_back((number, request));
                })
            }
            Self::Server { responses, .. } => {
                match SampleIdentity::read(&mut Reader::new(data, ByteOrder::Little)) {
                    Ok(identity) => respond(responses, &identity, &data[SampleIdentity::SIZE..]),
                    Err(_) => return Written::Unusable,
                }
            }
            Self::Subscription { .. } => return Written::Unusable,
        };
        if published.is_ok() { Written::Published } else { Written::Unusable }
    }

    /// Returns whether it is the publisher with this gid.
    pub(super) fn publishes_as(&self, gid: Gid) -> bool {
        matches!(self, Self::Publisher(publisher) if publisher.info().gid == gid)
    }

    /// Returns how many requests were given up, because too many wait for responses.
    pub(super) fn unanswered(&self) -> u64 {
        match self {
            Self::Client { unanswered, .. } => *unanswered,
            Self::Publisher(_) | Self::Subscription { .. } | Self::Server { .. } => 0,
        }
    }

    /// Takes the next message for the client.
    pub(super) fn take(&mut self) -> Option<ClientMessage> {
        match self {
            Self::Publisher(_) => None,
            Self::Subscription { subscription, waiting } => {
                waiting.take().or_else(|| Some(ClientMessage::new(&[], subscription.take()?)))
            }
            Self::Client { responses, outstanding, waiting, .. } => {
                waiting.take().or_else(|| take_response(responses, outstanding))
            }
            Self::Server { requests, waiting, .. } => waiting.take().or_else(|| {
                let sample = requests.take()?;
                let id = sample.request_id();
                let identity = SampleIdentity { writer: *id.client.as_bytes(), sequence: id.sequence as i64 };
                Some(ClientMessage::new(&identity.to_bytes(), sample))
            }),
        }
    }

    /// Keeps a message that could not be delivered, so that it is taken next.
    pub(super) fn put_back(&mut self, taken: ClientMessage) {
        match self {
            Self::Publisher(_) => {}
            Self::Subscription { waiting, .. }
            | Self::Client { waiting, .. }
            | Self::Server { waiting, .. } => {
                *waiting = Some(taken);
            }
        }
    }
}

/// Writes a message from its content.
fn write_message(message: &mut [u8], content: &[u8]) {
    let (encapsulation, rest) = message.split_at_mut(ENCAPSULATION.len());
    encapsulation.copy_from_slice(&ENCAPSULATION);
    rest[..content.len()].copy_from_slice(content);
}

fn publish(publisher: &Publisher, content: &[u8]) -> Result<(), PublishError> {
    publisher.publish_with(ENCAPSULATION.len() + content.len(), |message| {
        write_message(message, content);
        Ok(())
    })
}

/// Sends a request, and returns its number.
fn send_request(requests: &Publisher, content: &[u8]) -> Result<u64, PublishError> {
    let len = ENCAPSULATION.len() + content.len();
    let mut loan = requests.loan(len)?;
    write_message(&mut loan, content);
    loan.request(len).map_err(|(_, error)| error)
}

fn respond(responses: &Publisher, to: &SampleIdentity, content: &[u8]) -> Result<(), PublishError> {
    let len = ENCAPSULATION.len() + content.len();
    let mut loan = responses.loan(len)?;
    write_message(&mut loan, content);
    loan.respond(len, HostRequest { client: Gid::from_bytes(to.writer), sequence: to.sequence as u64 })
}

/// Takes the next response to a request of the client. Responses to unknown requests are skipped, and so are empty ones,
/// which say that there will be no response.
fn take_response(responses: &Subscription, outstanding: &mut Outstanding) -> Option<ClientMessage> {
    loop {
        let sample = responses.take()?;
        let index = outstanding.iter().position(|(number, _)| *number == sample.sequence());
        let request = index.and_then(|index| outstanding.remove(index)).map(|(_, request)| request);
        if let Some(request) = request.filter(|_| !sample.is_empty()) {
            return Some(ClientMessage::new(&request.to_bytes(), sample));
        }
    }
}
