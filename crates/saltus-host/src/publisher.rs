//! The sending end of a topic.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use saltus_graph::{EndpointEvent, EndpointInfo};
use saltus_memory::{
    loan,
    sender::{PublishError, RequestId, Sender, Stamp},
    waiter::Waker,
};
use saltus_types::{Losses, Time};

use crate::{ends::PublisherEnd, presence::Presence};

/// What a publisher can tell of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PublisherStatus {
    /// How many messages were sent.
    pub sent: u64,
    /// How many subscriptions are connected: what is sent from now on reaches them, even if this
    /// process ends at once.
    pub matched: usize,
    /// How many messages were not delivered, as far as this end knows: one for each subscription that
    /// missed one.
    pub losses: Losses,
    /// How many messages outgrew the size they were loaned with, and were copied once.
    pub regrown: u64,
    /// How many subscriptions of this topic could not be connected for their type or QoS.
    pub incompatible: u64,
}

/// The sending end of a topic.
///
/// **Invariant:** messages reach each subscription in the order in which they were sent. May be
/// used from any thread; two threads that publish at once wait for each other. It leaves the graph
/// when it and the last of its loans are dropped.
#[derive(Debug)]
pub struct Publisher(Arc<Handle>);

/// What a publisher and its loans have in common: its place in the graph.
#[derive(Debug)]
struct Handle {
    /// That of `end`, at hand: each message goes through it.
    sender: Arc<Sender>,
    end: Arc<PublisherEnd>,
    /// This process stays in the domain as long as its handles.
    presence: Presence,
}

impl Handle {
    fn is_usable(&self) -> bool {
        self.sender.is_usable()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.presence.host.memory.usability.may_release() {
            self.presence.host.remove_publisher(&self.end);
        }
    }
}

impl Publisher {
    pub(crate) fn new(end: Arc<PublisherEnd>, presence: Presence) -> Self {
        Self(Arc::new(Handle { sender: end.sender.clone(), end, presence }))
    }

    /// What the graph says of it.
    pub fn info(&self) -> &EndpointInfo {
        &self.0.end.info
    }

    /// Counts and states.
    pub fn status(&self) -> PublisherStatus {
        if !self.0.is_usable() {
            return PublisherStatus::default();
        }
        let end = &self.0.end;
        let status = self.0.sender.status();
        PublisherStatus {
            sent: status.sent,
            matched: status.matched,
            losses: status.losses,
            regrown: status.regrown,
            incompatible: end.events.incompatible(),
        }
    }

    /// The next event that was not told yet.
    pub fn take_event(&self) -> Option<EndpointEvent> {
        if !self.0.is_usable() {
            return None;
        }
        self.0.end.notice_matched();
        self.0.end.events.take()
    }

    /// From now on an event rings there, or nowhere.
    pub fn set_event_waker(&self, waker: Option<&Waker>) {
        if self.0.is_usable() {
            self.0.end.events.set_waker(waker);
        }
    }

    /// Says that this publisher is alive, without publishing: renews the lease of manual liveliness.
    pub fn assert_liveliness(&self) {
        if self.0.is_usable() {
            self.0.sender.assert_alive();
        }
    }

    /// Sends a message of `len` bytes, encapsulation header included, that `write` writes: in place, or on the stack if
    /// it is small.
    ///
    /// If `write` fails nothing is sent. It runs without any lock of this publisher, and may use it. If there is no
    /// memory, a small message was written all the same.
    #[inline]
    pub fn publish_with<E: From<PublishError>>(
        &self,
        len: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.0.sender.send_with(len, write)
    }

    /// Sends a serialized message, which is copied once.
    #[inline]
    pub fn publish_bytes(&self, bytes: &[u8]) -> Result<(), PublishError> {
        self.0.sender.send_bytes(bytes, None)
    }

    /// As [`Publisher::publish_bytes`], of a message that was sent first somewhere else, then and with that number.
    pub fn publish_stamped(&self, bytes: &[u8], stamp: Stamp) -> Result<(), PublishError> {
        self.0.sender.send_bytes(bytes, Some(stamp))
    }

    /// Whether sending waits for room now where there is none: some subscription keeps all.
    pub fn may_wait(&self) -> bool {
        self.0.sender.may_wait()
    }

    /// Waits while a subscription that keeps all has no room, for as long as sending would. Whether all have room now.
    pub fn wait_for_room(&self) -> bool {
        !self.0.sender.is_usable() || self.0.sender.has_room_soon()
    }

    /// The number of the oldest request that a server who is there now has received or will receive; `None`
    /// if there is no server.
    pub fn oldest_served(&self) -> Option<u64> {
        if self.0.is_usable() { self.0.sender.oldest_received() } else { None }
    }

    /// A place for a message of `len` bytes, to be written at leisure and sent without a copy.
    pub fn loan(&self, len: usize) -> Result<Loan, PublishError> {
        let loan = loan::Loan::new(&self.0.sender, len)?;
        Ok(Loan { loan, publisher: self.0.clone() })
    }
}

/// Memory for a message that has not been sent. Dropped, it goes back unused.
///
/// **Invariant:** it is at least as long as was asked for, and starts 4 bytes before a multiple of
/// 64, so that the body behind the encapsulation header is aligned for anything.
#[derive(Debug)]
pub struct Loan {
    loan: loan::Loan,
    publisher: Arc<Handle>,
}

impl Loan {
    /// Sends the first `len` bytes.
    ///
    /// # Panics
    /// If `len` exceeds the loan's length.
    pub fn publish(self, len: usize) -> Result<(), PublishError> {
        self.loan.send(len, None)
    }

    /// As [`Loan::publish`], of a message that was sent first somewhere else, then and with that number.
    ///
    /// # Panics
    /// If `len` exceeds the loan's length.
    pub fn publish_stamped(self, len: usize, stamp: Stamp) -> Result<(), PublishError> {
        self.loan.send(len, Some(stamp))
    }

    /// Sends the first `len` bytes as a request to every server, and returns its number. The loan comes back
    /// if there is no server, or one whose queue is full.
    ///
    /// # Panics
    /// If `len` exceeds the loan's length.
    pub fn request(self, len: usize) -> Result<u64, (Self, PublishError)> {
        self.request_as(len, None)
    }

    /// As [`Loan::request`], of a request that was sent first somewhere else, then and with that number.
    ///
    /// # Panics
    /// If `len` exceeds the loan's length.
    pub fn request_stamped(self, len: usize, stamp: Stamp) -> Result<u64, (Self, PublishError)> {
        self.request_as(len, Some(stamp))
    }

    fn request_as(self, len: usize, stamp: Option<Stamp>) -> Result<u64, (Self, PublishError)> {
        let Self { loan, publisher } = self;
        loan.request(len, stamp).map_err(|(loan, error)| (Self { loan, publisher }, error))
    }

    /// Sends the first `len` bytes as the response to a request.
    ///
    /// # Panics
    /// If `len` exceeds the loan's length.
    pub fn respond(self, len: usize, request: RequestId) -> Result<(), PublishError> {
        self.respond_as(len, request, None)
    }

    /// As [`Loan::respond`], of a response that was sent first somewhere else, at that time.
    ///
    /// # Panics
    /// If `len` exceeds the loan's length.
    pub fn respond_stamped(
        self,
        len: usize,
        request: RequestId,
        source_time: Time,
    ) -> Result<(), PublishError> {
        self.respond_as(len, request, Some(source_time))
    }

    fn respond_as(
        self,
        len: usize,
        request: RequestId,
        source_time: Option<Time>,
    ) -> Result<(), PublishError> {
        let Self { loan, publisher } = self;
        let (loan, error) = match loan.respond(len, request, source_time) {
            Ok(()) => return Ok(()),
            Err(refused) => refused,
        };
        if !publisher.is_usable() {
            return Err(error);
        }
        // The client may be known to the domain, and not yet to this process.
        publisher.presence.host.sync();
        loan.respond(len, request, source_time).map_err(|(_, error)| error)
    }

    /// Makes it at least `len` bytes long, keeping the first `used`: one copy, which is counted.
    ///
    /// # Panics
    /// If `used` exceeds the loan's length.
    pub fn grow(&mut self, used: usize, len: usize) -> Result<(), PublishError> {
        self.loan.grow(used, len)
    }
}

impl Deref for Loan {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.loan
    }
}

impl DerefMut for Loan {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.loan
    }
}
