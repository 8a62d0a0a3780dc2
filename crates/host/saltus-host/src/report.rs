//! Reports: the counts of a domain's endpoints, its processes and its files. Tools read them without joining the
//! domain.

use std::{
    collections::{BTreeMap, HashMap},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use saltus_graph::{
    Channel, ConnectionInfo, DeviceInfo, EndpointId, EndpointInfo, EndpointKind, Entry, Graph,
    Mismatch as GraphMismatch, may_meet,
};
use saltus_memory::{
    counters::{ConnectionCounters, DeviceCounters, EndpointCounters, MISMATCHES},
    header::SegmentHeader,
    latency::Latency,
    membership::{DomainFiles, DomainId, process_of},
    os::{
        clock::monotonic_now,
        folder::{foreign_folders, other_versions},
        process::{ProcessId, time_namespace},
        segment::Segment,
    },
    protocol::membership::MemberInfo,
    queue::{ObservedQueue, QueueInfo},
};
use saltus_types::{Gid, LinkCounts, LinkLoss, LossCause, Losses};

use crate::{
    folder_report::FolderReport,
    observe::{living_members, open_domain},
    registry::entries,
};

/// The time of waiting for the lock of the member table after which the process that holds it is reported.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);

/// The state of a domain at one moment, with the counts of its endpoints.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Nodes and endpoints.
    pub graph: Graph,
    /// The counts of each publisher and subscription.
    pub endpoints: HashMap<Gid, EndpointReport>,
    /// The connections between publishers and subscriptions.
    pub connections: Vec<ConnectionReport>,
    /// Incompatible publishers and subscriptions of one topic.
    pub mismatches: Vec<Mismatch>,
    /// The processes and their memory.
    pub processes: Vec<ProcessReport>,
    /// The devices that processes act for.
    pub devices: Vec<DeviceReport>,
    /// Members whose memory can't be read.
    pub unreachable: Vec<UnreachableMember>,
    /// The free space and the size of the memory file system, in bytes.
    pub space: (u64, u64),
    /// The folder of shared memory.
    pub folder: FolderReport,
    /// The time namespace of this process. Times of processes in others can't be compared with its clock.
    pub time_namespace: u64,
    /// Files of dead processes. The next process that joins removes them.
    pub orphans: Vec<PathBuf>,
    /// Files and folders that have names of this domain, but were not created by a member. Each has the reason why it
    /// is not used.
    pub foreign: Vec<(PathBuf, String)>,
    /// Folders that processes with another version of Saltus use. They have graphs of their own.
    pub other_versions: Vec<PathBuf>,
    /// The error if the member table can't be locked. It names the process that holds the lock. Until the lock is
    /// released, no other process can join.
    pub locked: Option<String>,
}

/// A device that a process acts for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceReport {
    /// Its name. The entities of the device have it as their origin.
    pub name: String,
    /// The address at which the process reaches it, such as `udp 10.0.0.7:2018`.
    pub link: String,
    /// The id of the process in the domain.
    pub process: u64,
    /// The numbers of messages that were exchanged with it and lost.
    pub counts: LinkCounts,
}

impl DeviceReport {
    /// Returns the time since the device was last heard.
    pub fn silence(&self) -> Duration {
        since(self.counts.heard_at)
    }

    /// Returns the time since the last message was lost for a cause; `None` if none was.
    pub fn since_loss(&self, cause: LinkLoss) -> Option<Duration> {
        Some(self.counts.lost_at[cause as usize]).filter(|at| *at > 0).map(since)
    }
}

/// A member whose memory can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreachableMember {
    /// Its id in the domain.
    pub id: u64,
    /// Its process id, in its own PID namespace.
    pub pid: u32,
    /// Why it can't be read.
    pub reason: String,
}

/// The counts of an endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndpointReport {
    /// Messages that were sent or taken.
    pub messages: u64,
    /// Messages that were not delivered, as far as this endpoint knows.
    pub losses: Losses,
    /// The time since the last message was lost, by cause; `None` if that is not known. A queue does not
    /// store the time of its overflows.
    pub last_losses: [Option<Duration>; LossCause::COUNT],
    /// Subscriptions: messages that were copied, because the borrow limit was reached.
    pub copied: u64,
    /// The time since the last message was copied.
    pub last_copy: Option<Duration>,
    /// The time since the last message was taken, or since the endpoint was opened. Publishers take none.
    pub last_taken: Option<Duration>,
    /// Publishers: how many times `publish` failed because there was not enough memory.
    pub failed: u64,
}

impl EndpointReport {
    /// Returns how long ago the last message was lost for a cause, if that is known.
    pub fn last_loss(&self, cause: LossCause) -> Option<Duration> {
        self.last_losses[cause as usize]
    }

    /// Sets how long ago the last message was lost for a cause, unless a later loss is known.
    fn note_loss(&mut self, cause: LossCause, ago: Option<Duration>) {
        let known = &mut self.last_losses[cause as usize];
        *known = [*known, ago].into_iter().flatten().min();
    }
}

/// Returns the time since a monotonic time in nanoseconds.
fn since(time: u64) -> Duration {
    Duration::from_nanos(monotonic_now().saturating_sub(time))
}

/// A connection and its counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionReport {
    /// The publisher.
    pub publisher: Gid,
    /// The subscription.
    pub subscription: Gid,
    /// The number of messages in the queue.
    pub waiting: u64,
    /// The time for which the oldest of them has waited.
    pub oldest: Option<Duration>,
    /// The number of messages that the queue can hold.
    pub depth: u64,
    /// Messages that the publisher could not deliver through the queue.
    pub losses: Losses,
    /// The time from `publish` until a message was taken.
    pub transport: Latency,
    /// The time in the subscription's callback.
    pub callback: Latency,
}

/// Two incompatible endpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The publisher.
    pub publisher: EndpointInfo,
    /// The subscription.
    pub subscription: EndpointInfo,
    /// Whether their types or their QoS are incompatible.
    pub cause: LossCause,
    /// The types or the policy that are incompatible.
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
    /// The number of its open file descriptors, and its limit. `None` if the system does not report them.
    pub descriptors: Option<(usize, usize)>,
    /// Whether it is stopped, by SIGSTOP or a debugger. `false` if the system does not report that.
    pub is_stopped: bool,
    /// Its time namespace. Processes in different ones do not connect to each other.
    pub time_namespace: u64,
}

/// A process's open segment, and its entries.
struct Opened {
    segment: Arc<Segment>,
    entries: Vec<Entry>,
}

impl Opened {
    /// Returns the devices that the process acts for.
    fn devices(&self, process: u64) -> impl Iterator<Item = DeviceReport> {
        self.entries.iter().filter_map(move |entry| {
            let Entry::Device(DeviceInfo { serial, name, link, counters }) = entry else { return None };
            let counters = self.segment.get::<DeviceCounters>(*counters)?;
            let counts = counters.is_of(*serial).then(|| counters.get())?;
            Some(DeviceReport { name: name.clone(), link: link.clone(), process, counts })
        })
    }
}

impl Report {
    /// Reads a domain from outside, without joining it.
    pub fn observe(id: DomainId) -> io::Result<Self> {
        let mut report = Self {
            space: space(&id.folder)?,
            time_namespace: time_namespace(),
            foreign: foreign_folders(&id.folder, id.owner),
            other_versions: other_versions(&id.folder, id.owner),
            ..Self::default()
        };
        let Some(files) = open_domain(&id)? else {
            report.folder = FolderReport::of(&id.folder, false)?;
            return Ok(report);
        };
        let mut opened = BTreeMap::new();
        for (member, segment) in living_members(&files) {
            match segment {
                Ok(segment) => {
                    report.processes.push(describe(&member, &segment)?);
                    let entries = entries(&segment, member.id);
                    opened.insert(member.id, Opened { segment: Arc::new(segment), entries });
                }
                Err(error) => {
                    let reason = error.to_string();
                    report.unreachable.push(UnreachableMember { id: member.id, pid: member.pid, reason });
                }
            }
        }
        report.folder = FolderReport::of(&id.folder, !opened.is_empty())?;
        report.graph = opened.values().flat_map(|one: &Opened| one.entries.iter().cloned()).collect();
        report.check_files(&files);
        report.devices = opened.iter().flat_map(|(process, one)| one.devices(*process)).collect();
        report.count(&opened);
        report.find_mismatches(&opened);
        Ok(report)
    }

    /// Finds files of dead processes, and files that no member created.
    fn check_files(&mut self, files: &DomainFiles) {
        let folder = files.folder();
        let path = |name: &String| folder.path().join(name);
        match files.lock(LOCK_TIMEOUT) {
            Ok(_lock) => self.orphans = files.orphan_names(ProcessId::current()).iter().map(path).collect(),
            Err(error) => self.locked = Some(error.to_string()),
        }
        let foreign = folder.names().into_iter();
        self.foreign.extend(foreign.filter_map(|name| Some((path(&name), folder.why_foreign(&name)?))));
    }

    /// Reads the counts of endpoints and connections.
    fn count(&mut self, opened: &BTreeMap<u64, Opened>) {
        // The two endpoints of a client or server have one gid, so their counts are added.
        let entries = opened.values().flat_map(|one| &one.entries);
        for endpoint in entries.filter_map(Entry::endpoint) {
            if let Some(counters) = counters_of(opened, endpoint) {
                let report = self.endpoints.entry(endpoint.gid).or_default();
                report.messages += counters.messages();
                report.losses.add_all(&counters.losses());
                report.copied += counters.copied();
                report.last_copy =
                    [report.last_copy, counters.copied_at().map(since)].into_iter().flatten().min();
                report.last_taken =
                    [report.last_taken, Some(since(counters.taken_at()))].into_iter().flatten().min();
                report.failed += counters.failed();
                for cause in LossCause::ALL {
                    report.note_loss(cause, counters.lost_at(cause).map(since));
                }
            }
        }
        let entries = opened.values().flat_map(|one| &one.entries);
        let gids: HashMap<EndpointId, Gid> =
            entries.filter_map(Entry::endpoint).map(|endpoint| (endpoint.id, endpoint.gid)).collect();
        for one in opened.values() {
            for entry in &one.entries {
                if let Entry::Connection(info) = entry
                    && let Some(connection) = connection(&one.segment, info, opened, &gids)
                {
                    // The queue counts the messages that its publisher could not send. The publisher stores the times.
                    let publisher = self.endpoints.get(&connection.publisher).copied().unwrap_or_default();
                    for end in [connection.publisher, connection.subscription] {
                        let report = self.endpoints.entry(end).or_default();
                        report.losses.add_all(&connection.losses);
                        for cause in [LossCause::OutOfMemory, LossCause::Refused] {
                            report.note_loss(cause, publisher.last_loss(cause));
                        }
                    }
                    self.connections.push(connection);
                }
            }
        }
    }

    /// Finds incompatible publishers and subscriptions, and counts the messages that were lost because of that.
    fn find_mismatches(&mut self, opened: &BTreeMap<u64, Opened>) {
        let endpoints = opened.values().flat_map(|one| &one.entries).filter_map(Entry::endpoint);
        let checked = endpoints.filter(|endpoint| Channel::split(&endpoint.topic).0 != Channel::Response);
        let endpoints: Vec<&EndpointInfo> = checked.collect();
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
            // `lost` includes all publishers that are incompatible for that cause, so it is added only once.
            report.losses.add(mismatch.cause, lost.saturating_sub(report.losses[mismatch.cause]));
        }
        self.mismatches = found;
    }
}

impl Mismatch {
    fn between(publisher: &EndpointInfo, subscription: &EndpointInfo) -> Option<Self> {
        let mismatch =
            GraphMismatch::between(publisher, subscription).filter(|_| may_meet(publisher, subscription))?;
        let reason = match mismatch {
            GraphMismatch::Qos(policy) => policy.to_string(),
            GraphMismatch::Type if publisher.type_name == subscription.type_name => {
                let (offered, requested) = (publisher.type_hash, subscription.type_hash);
                format!("{}: {offered} and {requested}", publisher.type_name)
            }
            GraphMismatch::Type => format!("{} and {}", publisher.type_name, subscription.type_name),
        };
        let cause = mismatch.loss_cause();
        Some(Self { publisher: publisher.clone(), subscription: subscription.clone(), cause, reason })
    }
}

/// Returns how many messages a subscription has lost for a cause. This includes messages of publishers that no longer
/// exist.
fn lost_to_mismatches(
    opened: &BTreeMap<u64, Opened>,
    found: &[Mismatch],
    subscription: &EndpointInfo,
    cause: LossCause,
) -> u64 {
    let Some(own) = counters_of(opened, subscription) else { return 0 };
    let index = MISMATCHES.iter().position(|other| *other == cause).unwrap_or(0);
    let same = |m: &&Mismatch| (m.subscription.id, m.cause) == (subscription.id, cause);
    let sent = found.iter().filter(same).filter_map(|m| counters_of(opened, &m.publisher));
    let sent = sent.map(EndpointCounters::messages).fold(0, u64::saturating_add);
    own.losses()[cause].saturating_add(sent.saturating_sub(own.mismatch_base(index)))
}

fn counters_of<'a>(
    opened: &'a BTreeMap<u64, Opened>,
    endpoint: &EndpointInfo,
) -> Option<&'a EndpointCounters> {
    let owner = opened.get(&endpoint.id.process).filter(|_| endpoint.counters > 0)?;
    let counters = owner.segment.get::<EndpointCounters>(endpoint.counters);
    counters.filter(|counters| counters.is_of(endpoint.id.serial))
}

fn space(folder: &Path) -> io::Result<(u64, u64)> {
    let system = rustix::fs::statvfs(folder)?;
    Ok((system.f_bavail * system.f_frsize, system.f_blocks * system.f_frsize))
}

fn describe(member: &MemberInfo, segment: &Segment) -> io::Result<ProcessReport> {
    let memory = segment.file().metadata()?.blocks() * 512;
    Ok(ProcessReport {
        id: member.id,
        pid: member.pid,
        memory,
        descriptors: descriptors(member),
        is_stopped: process_of(member).is_stopped(ProcessId::current()),
        time_namespace: segment
            .get::<SegmentHeader>(0)
            .map_or_else(time_namespace, SegmentHeader::time_namespace),
    })
}

/// Returns how many file descriptors a process has open, and its limit. `None` if the system does not report them.
fn descriptors(member: &MemberInfo) -> Option<(usize, usize)> {
    let this = ProcessId::current();
    if !process_of(member).is_visible_to(this) || process_of(member).has_ended(this) {
        return None;
    }
    let open = std::fs::read_dir(format!("/proc/{}/fd", member.pid)).ok()?.count();
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", member.pid)).ok()?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    Some((open, limit.split_whitespace().next()?.parse().ok()?))
}

/// Returns the report of a connection. `None` if no subscription reads from it.
fn connection(
    segment: &Segment,
    info: &ConnectionInfo,
    opened: &BTreeMap<u64, Opened>,
    gids: &HashMap<EndpointId, Gid>,
) -> Option<ConnectionReport> {
    let queue = QueueInfo::from_bytes(&info.queue)?;
    let seen = ObservedQueue::read(segment, &queue)?;
    let reader = opened.get(&info.subscription.process)?;
    let counters = match seen.reader_counters {
        0 => None,
        offset => reader.segment.get::<ConnectionCounters>(offset),
    };
    Some(ConnectionReport {
        publisher: *gids.get(&info.publisher)?,
        subscription: *gids.get(&info.subscription)?,
        waiting: seen.waiting,
        oldest: seen.oldest_sent_at.map(|time| since(time as u64)),
        depth: queue.depth.into(),
        losses: seen.losses,
        transport: counters.map_or_else(Latency::default, |counters| counters.transport.snapshot()),
        callback: counters.map_or_else(Latency::default, |counters| counters.callback.snapshot()),
    })
}
