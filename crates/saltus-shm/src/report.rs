//! What the endpoints of a domain have counted, read from outside by tools.

use std::{
    collections::HashMap,
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
};

use saltus_types::{Gid, LossCause, Losses};

use crate::{
    Channel, EndpointInfo, EndpointKind, Graph, Latency,
    connection::{losses_of, slots},
    counters::{ConnectionCounters, EndpointCounters, MISMATCHES},
    domain::{Domain, DomainId},
    graph::{mismatch, open_domain},
    link::SegmentHeader,
    os::segment::Segment,
    own::{is_alive, open_segment},
    protocol::ring::{Ring, RingHeader},
    registry::{ConnectionInfo, Entry, RegistryView},
};

/// Everything that is known of a domain at one moment, with its counts.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Who is there.
    pub graph: Graph,
    /// What each publisher and subscription has counted.
    pub endpoints: HashMap<Gid, EndpointReport>,
    /// What went from whom to whom.
    pub connections: Vec<ConnectionReport>,
    /// Publishers and subscriptions of one topic that don't suit each other.
    pub mismatches: Vec<Mismatch>,
    /// The processes and their memory.
    pub processes: Vec<ProcessReport>,
    /// Processes whose memory can't be read, and why.
    pub unreachable: Vec<(u64, String)>,
    /// How much of the memory file system is free, and how large it is, in bytes.
    pub space: (u64, u64),
    /// Files that processes left which are dead by now. The next that joins removes them.
    pub orphans: Vec<PathBuf>,
}

/// What an endpoint has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndpointReport {
    /// Messages sent, or taken.
    pub messages: u64,
    /// Messages not delivered, as far as this end knows.
    pub losses: Losses,
}

/// A connection and what it has counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionReport {
    /// From whom.
    pub publisher: Gid,
    /// To whom.
    pub subscription: Gid,
    /// How many messages wait to be taken.
    pub waiting: u64,
    /// How many can wait.
    pub depth: u64,
    /// What did not fit.
    pub losses: Losses,
    /// From `publish` until a message was taken.
    pub transport: Latency,
    /// In the subscription's callback.
    pub callback: Latency,
}

/// Two endpoints that don't suit each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The publisher.
    pub publisher: EndpointInfo,
    /// The subscription.
    pub subscription: EndpointInfo,
    /// Whether it is their types or their QoS.
    pub cause: LossCause,
    /// What exactly.
    pub reason: String,
}

/// A process of the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessReport {
    /// Its id in the domain.
    pub id: u64,
    /// Its process id, in its own PID namespace.
    pub pid: u32,
    /// The shared memory that it uses, in bytes.
    pub memory: u64,
}

/// A process's memory, open, and what it says of itself.
struct Opened {
    segment: Arc<Segment>,
    entries: Vec<Entry>,
}

impl Report {
    /// Looks at a domain from outside, without taking part in it.
    pub fn observe(id: DomainId) -> io::Result<Self> {
        let mut report = Self { space: space(&id.folder)?, ..Self::default() };
        let Some(domain) = open_domain(id)? else { return Ok(report) };
        let mut opened = HashMap::new();
        for process in domain.processes().into_iter().filter(|process| is_alive(domain.id(), *process)) {
            match open_segment(domain.id(), process) {
                Ok(segment) if !is_of_this_version(&segment) => {
                    report.unreachable.push((process, "it runs another version of Saltus".into()));
                }
                Ok(segment) => {
                    report.processes.extend(describe(&domain, process, &segment));
                    let entries = RegistryView::default().refresh(&segment).added;
                    entries.iter().for_each(|entry| report.graph.add(entry));
                    opened.insert(process, Opened { segment, entries });
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => report.unreachable.push((process, error.to_string())),
            }
        }
        report.orphans = domain.lock()?.orphans(|process| is_alive(domain.id(), process));
        report.count(&opened);
        report.find_mismatches(&opened);
        Ok(report)
    }

    fn count(&mut self, opened: &HashMap<u64, Opened>) {
        // Of a client or server, what it has sent and what it has received together.
        let entries = opened.values().flat_map(|one| &one.entries);
        for endpoint in entries.filter_map(Entry::endpoint) {
            if let Some(counters) = counters_of(opened, endpoint) {
                let report = self.endpoints.entry(endpoint.gid).or_default();
                report.messages += counters.messages();
                report.losses.add_all(&counters.losses());
            }
        }
        for (publisher, entry) in
            opened.values().flat_map(|one| one.entries.iter().map(move |entry| (one, entry)))
        {
            if let Entry::Connection(info) = entry
                && let Some(connection) = connection(&publisher.segment, info, opened)
            {
                for end in [connection.publisher, connection.subscription] {
                    self.endpoints.entry(end).or_default().losses.add_all(&connection.losses);
                }
                self.connections.push(connection);
            }
        }
    }

    fn find_mismatches(&mut self, opened: &HashMap<u64, Opened>) {
        let endpoints = opened.values().flat_map(|one| &one.entries).filter_map(Entry::endpoint);
        let named = endpoints.filter(|endpoint| Channel::split(&endpoint.topic).0 != Channel::Response);
        let endpoints: Vec<&EndpointInfo> = named.collect();
        let of_kind = |kind| endpoints.iter().copied().filter(move |endpoint| endpoint.kind == kind);
        let mut by_topic = HashMap::<&str, Vec<&EndpointInfo>>::new();
        for publisher in of_kind(EndpointKind::Publisher) {
            by_topic.entry(&publisher.topic).or_default().push(publisher);
        }
        let mut found = Vec::new();
        for subscription in of_kind(EndpointKind::Subscription) {
            for publisher in by_topic.get(&*subscription.topic).into_iter().flatten() {
                found.extend(Mismatch::between(publisher, subscription));
            }
        }
        for mismatch in &found {
            let lost = lost_to_mismatches(opened, &found, &mismatch.subscription, mismatch.cause);
            let report = self.endpoints.entry(mismatch.subscription.gid).or_default();
            // Once for all publishers that don't suit for that cause.
            report.losses.add(mismatch.cause, lost.saturating_sub(report.losses[mismatch.cause]));
        }
        self.mismatches = found;
    }
}

impl Mismatch {
    fn between(publisher: &EndpointInfo, subscription: &EndpointInfo) -> Option<Self> {
        use crate::GraphEvent::{IncompatibleQos, IncompatibleType};
        let (cause, reason) = match mismatch(publisher, subscription)? {
            IncompatibleQos { policy, .. } => (LossCause::QosMismatch, policy.to_string()),
            IncompatibleType { local, remote } if local.type_name == remote.type_name => {
                let (offered, requested) = (local.type_hash, remote.type_hash);
                (LossCause::TypeMismatch, format!("{}: {offered} and {requested}", local.type_name))
            }
            IncompatibleType { local, remote } => {
                (LossCause::TypeMismatch, format!("{} and {}", local.type_name, remote.type_name))
            }
            _ => return None,
        };
        Some(Self { publisher: publisher.clone(), subscription: subscription.clone(), cause, reason })
    }
}

/// All that a subscription has lost for a cause: of publishers that have gone, and of those that are there.
fn lost_to_mismatches(
    opened: &HashMap<u64, Opened>,
    found: &[Mismatch],
    subscription: &EndpointInfo,
    cause: LossCause,
) -> u64 {
    let Some(own) = counters_of(opened, subscription) else { return 0 };
    let place = MISMATCHES.iter().position(|other| *other == cause).unwrap_or(0);
    let same = |m: &&Mismatch| (m.subscription.gid, m.cause) == (subscription.gid, cause);
    let sent = found.iter().filter(same).filter_map(|m| counters_of(opened, &m.publisher));
    let sent = sent.map(EndpointCounters::messages).fold(0, u64::saturating_add);
    own.losses()[cause].saturating_add(sent.saturating_sub(own.mismatch_base(place)))
}

fn counters_of<'a>(
    opened: &'a HashMap<u64, Opened>,
    endpoint: &EndpointInfo,
) -> Option<&'a EndpointCounters> {
    let owner = opened.get(&endpoint.gid.process())?;
    owner.segment.get::<EndpointCounters>(endpoint.counters).filter(|counters| counters.is_of(endpoint.gid))
}

fn is_of_this_version(segment: &Segment) -> bool {
    segment.get::<SegmentHeader>(0).is_some_and(SegmentHeader::is_published)
}

fn space(folder: &Path) -> io::Result<(u64, u64)> {
    let system = rustix::fs::statvfs(folder)?;
    Ok((system.f_bavail * system.f_frsize, system.f_blocks * system.f_frsize))
}

fn describe(domain: &Domain, process: u64, segment: &Segment) -> Option<ProcessReport> {
    let pid = segment.get::<SegmentHeader>(0)?.pid.load(Ordering::Relaxed);
    let memory = std::fs::metadata(domain.id().segment_path(process)).map_or(0, |meta| meta.blocks() * 512);
    Some(ProcessReport { id: process, pid, memory })
}

/// A connection whose subscription reads; `None` if nobody does.
fn connection(
    segment: &Arc<Segment>,
    info: &ConnectionInfo,
    opened: &HashMap<u64, Opened>,
) -> Option<ConnectionReport> {
    let header = segment.get::<RingHeader>(info.ring).filter(|header| header.is_attached(info.generation))?;
    let slots = slots(segment, info)?;
    // SAFETY: in bounds of the segment, which is mapped; the publisher may reuse the memory meanwhile,
    // and then a number is wrong.
    let slots = unsafe { slots.as_ref() };
    let depth = u64::from(info.depth);
    let reader = opened.get(&info.subscription.process())?;
    let counters = match header.reader_counters() {
        0 => None,
        offset => reader.segment.get::<ConnectionCounters>(offset),
    };
    Some(ConnectionReport {
        publisher: info.publisher,
        subscription: info.subscription,
        waiting: Ring { header, slots, depth }.len(),
        depth,
        losses: losses_of(header),
        transport: counters.map_or_else(Latency::default, |counters| counters.transport.snapshot()),
        callback: counters.map_or_else(Latency::default, |counters| counters.callback.snapshot()),
    })
}
