//! The lost messages, as `saltus doctor` counts them.

use std::collections::BTreeMap;

use saltus::{
    advanced::Gid,
    graph::{EndpointInfo, EndpointKind, Report},
    qos::{History, LossCause, Losses},
};

use saltus_verb::graph::{ends, node_name};

/// The lost messages of a domain.
///
/// Messages that were replaced by newer ones are counted separately. They are the overflows of subscriptions with
/// `keep_last(1)`, which request only the newest message.
#[derive(Debug, Default)]
pub(super) struct Lost {
    /// The losses by topic and node.
    pub(super) by_node: BTreeMap<(String, String), Losses>,
    /// The losses of all topics. A publisher and a subscription of a topic may both count the same lost message. So for each
    /// topic and cause, the larger of the two counts is used.
    pub(super) all: Losses,
    /// The number of messages that were replaced by newer ones.
    pub(super) replaced: u64,
}

impl Lost {
    /// Returns the lost messages of a report.
    pub(super) fn of(report: &Report) -> Self {
        let replaced = replaced(report);
        let mut lost = Self::default();
        let mut by_topic = BTreeMap::<&str, [Losses; 2]>::new();
        for end in ends(&report.graph) {
            let counted = report.endpoints.get(&end.gid).map(|counted| counted.losses).unwrap_or_default();
            let own = replaced.get(&end.gid).copied().unwrap_or_default();
            if end.kind == EndpointKind::Subscription {
                lost.replaced += own;
            }
            let losses = without_overflows(&counted, own);
            if losses.total() > 0 {
                let key = (end.topic.clone(), node_name(&report.graph, end));
                lost.by_node.entry(key).or_default().add_all(&losses);
            }
            by_topic.entry(&end.topic).or_default()[end.kind as usize].add_all(&losses);
        }
        for [one, other] in by_topic.into_values() {
            one.iter().for_each(|(cause, count)| lost.all.add(cause, count.max(other[cause])));
        }
        lost
    }
}

/// Returns the numbers of replaced messages that publishers and subscriptions have counted as overflows. A publisher counts
/// those of its open connections separately from those of its closed connections, which are not included.
fn replaced(report: &Report) -> BTreeMap<Gid, u64> {
    let requests_newest = |end: &&EndpointInfo| {
        end.kind == EndpointKind::Subscription && end.qos.history == History::KeepLast(1)
    };
    let overflows = |end: &EndpointInfo| {
        report.endpoints.get(&end.gid).map_or(0, |counted| counted.losses[LossCause::QueueOverflow])
    };
    let newest = report.graph.endpoints.iter().filter(requests_newest);
    let mut replaced: BTreeMap<Gid, u64> = newest.map(|end| (end.gid, overflows(end))).collect();
    for connection in &report.connections {
        if replaced.contains_key(&connection.subscription) {
            *replaced.entry(connection.publisher).or_default() += connection.losses[LossCause::QueueOverflow];
        }
    }
    replaced
}

/// Returns losses without a number of overflows.
fn without_overflows(losses: &Losses, overflows: u64) -> Losses {
    let mut rest = Losses::default();
    for (cause, count) in losses.iter() {
        let removed = if cause == LossCause::QueueOverflow { overflows } else { 0 };
        rest.add(cause, count.saturating_sub(removed));
    }
    rest
}
