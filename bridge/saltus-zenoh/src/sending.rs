//! What is published for local publishers.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use saltus_host::Sample;
use saltus_relay::{Body, Message, Replica, ShowError, Target};
use saltus_rmw::EntityKind;
use saltus_types::{History, QoS, Reliability};
use zenoh::{
    Wait,
    bytes::ZBytes,
    liveliness::LivelinessToken,
    pubsub::Publisher,
    qos::{CongestionControl, Reliability as Sent},
};
use zenoh_ext::{AdvancedPublisher, AdvancedPublisherBuilderExt, CacheConfig, MissDetectionConfig};

use crate::link::{Announced, Link, Mark, attachment, keeps, number_of, other};

/// How often a publisher whose messages are kept says which was the last one, if it has sent some.
const HEARTBEAT: Duration = Duration::from_millis(500);

/// A local publisher in the network.
pub(crate) struct NetworkTarget {
    link: Arc<Link>,
    replica: Replica,
    announced: Announced,
    /// `None` while it is closed. With the mark that says that it is open.
    publisher: Option<(Sending, LivelinessToken)>,
}

/// An open publisher.
enum Sending {
    Volatile(Publisher<'static>),
    /// Keeps messages for late subscriptions.
    Keeping(AdvancedPublisher<'static>),
}

/// A sample in shared memory that zenoh sends from there. It is borrowed until the last link has sent it.
struct Borrowed(Sample);

impl AsRef<[u8]> for Borrowed {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl NetworkTarget {
    pub(crate) fn new(link: &Arc<Link>, replica: Replica) -> Result<Self, ShowError> {
        let announced = link.announce(EntityKind::Publisher, &replica)?;
        Ok(Self { link: link.clone(), replica, announced, publisher: None })
    }

    fn declare(&self) -> Result<Sending, ShowError> {
        let QoS { reliability, history, .. } = self.replica.end.qos;
        let (sent, congestion) = match (reliability, history) {
            (Reliability::Reliable, History::KeepAll) => (Sent::Reliable, CongestionControl::Block),
            (Reliability::Reliable, _) => (Sent::Reliable, CongestionControl::Drop),
            _ => (Sent::BestEffort, CongestionControl::Drop),
        };
        let key = self.link.key(&self.replica.end)?;
        let builder =
            self.link.session.declare_publisher(key).congestion_control(congestion).reliability(sent);
        if !keeps(&self.replica.end.qos) {
            return Ok(Sending::Volatile(builder.wait().map_err(other)?));
        }
        let cache = CacheConfig::default().max_samples(history.depth().into());
        let mut builder = builder.cache(cache).publisher_detection();
        if sent == Sent::Reliable {
            let detection = MissDetectionConfig::default().sporadic_heartbeat(HEARTBEAT);
            builder = builder.sample_miss_detection(detection);
        }
        Ok(Sending::Keeping(builder.wait().map_err(other)?))
    }

    /// Sends a message. What zenoh drops is not reported by it; its receivers see a gap in the numbers.
    fn put(&self, publisher: &Sending, payload: ZBytes, attachment: ZBytes) {
        let result = match publisher {
            Sending::Volatile(publisher) => publisher.put(payload).attachment(attachment).wait(),
            Sending::Keeping(publisher) => publisher.put(payload).attachment(attachment).wait(),
        };
        if let Err(error) = result {
            saltus_node::warn_throttle!(
                self.link.logger,
                Duration::from_secs(1),
                "can't send on '{}': {error}",
                self.replica.end.topic
            );
        }
    }
}

impl Target for NetworkTarget {
    fn is_open(&self) -> bool {
        self.publisher.is_some()
    }

    fn open(&mut self, kept: &[Message]) -> Result<(), ShowError> {
        let publisher = self.declare()?;
        for message in kept {
            let attachment = attachment(&message.stamp, self.announced.gid);
            self.put(&publisher, message.to_vec().into(), attachment);
        }
        let last = kept.last().map_or(0, |message| number_of(&message.stamp));
        // After the kept messages, so that whoever asks for them then gets all.
        self.publisher = Some((publisher, self.link.mark(&Mark::Sends(self.announced.gid, last))?));
        Ok(())
    }

    fn send(&mut self, message: Message) {
        let Some((publisher, _)) = &self.publisher else { return };
        let attachment = attachment(&message.stamp, self.announced.gid);
        let payload = match message.body {
            Body::Sample(sample) => ZBytes::from(Bytes::from_owner(Borrowed(sample))),
            Body::Parts(_) => message.to_vec().into(),
        };
        self.put(publisher, payload, attachment);
    }

    fn close(&mut self) -> Result<bool, ShowError> {
        if let Some((publisher, mark)) = self.publisher.take() {
            // The mark goes first: nobody must take it for that of a publisher that sends.
            drop(mark);
            drop(publisher);
        }
        Ok(true)
    }
}
