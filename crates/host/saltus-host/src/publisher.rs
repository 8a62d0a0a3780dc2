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
use saltus_types::{Losses, NetworkLoss, Time};

use crate::{ends::PublisherEnd, presence::Presence};

/// The counts and states of a publisher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PublisherStatus {
    /// The number of messages that were sent.
    pub sent: u64,
    /// The number of connected subscriptions. Messages that are sent from now on reach them, even if this process ends right
    /// after sending.
    pub matched: usize,
    /// The number of messages that were not delivered, as far as this end knows. A message counts once for each subscription that
    /// did not get it.
    pub losses: Losses,
    /// The number of times that a loan had to grow. Each time costs one copy.
    pub regrown: u64,
    /// The number of subscriptions of this topic that are incompatible in type or QoS.
    pub incompatible: u64,
}

/// The sending end of a topic.
///
/// **Invariant:** messages reach each subscription in the order in which they were sent. It may be
/// used from any thread; two threads that publish at once wait for each other. It leaves the graph
/// when it and all its loans are dropped.
#[derive(Debug)]
pub struct Publisher(Arc<Handle>);

/// The state that a publisher and its loans share. Dropping it removes the publisher from the graph.
#[derive(Debug)]
struct Handle {
    /// The sender of `end`, here for fast access, because each message goes through it.
    sender: Arc<Sender>,
    end: Arc<PublisherEnd>,
    /// Keeps this process in the domain as long as this handle exists.
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

    /// Returns the publisher as the graph shows it.
    pub fn info(&self) -> &EndpointInfo {
        &self.0.end.info
    }

    /// Returns counts and states.
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

    /// Lets the publisher connect to no more subscriptions, unless one is connected. Returns whether it did. It is to be dropped
    /// then.
    ///
    /// A process that closes a publisher because nobody needs it can't drop it instead: a subscription that connects at that
    /// moment would receive what is kept, and again from the next publisher.
    pub fn retire(&self) -> bool {
        !self.0.is_usable() || self.0.presence.host.retire_publisher(&self.0.end)
    }

    /// Takes the next event.
    pub fn take_event(&self) -> Option<EndpointEvent> {
        if !self.0.is_usable() {
            return None;
        }
        self.0.end.note_matched();
        self.0.end.events.take()
    }

    /// Sets the waker that each event rings, or removes it if `None`. Rings the new waker at once.
    pub fn set_event_waker(&self, waker: Option<&Waker>) {
        if self.0.is_usable() {
            self.0.end.events.set_waker(waker);
        }
    }

    /// Renews the lease of manual liveliness without publishing.
    pub fn assert_liveliness(&self) {
        if self.0.is_usable() {
            self.0.sender.assert_alive();
        }
    }

    /// Sends a message of `len` bytes, encapsulation header included. `write` writes it in place, or on the stack if it
    /// is small.
    ///
    /// If `write` fails, nothing is sent. It runs without any lock of this publisher, and may use the publisher. If
    /// there is no memory for a small message, `write` is called all the same.
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

    /// Sends a message as [`Publisher::publish_bytes`] does. It was first sent elsewhere, and the stamp holds its
    /// original time and number.
    #[inline]
    pub fn publish_stamped(&self, bytes: &[u8], stamp: Stamp) -> Result<(), PublishError> {
        self.0.sender.send_bytes(bytes, Some(stamp))
    }

    /// Counts messages that never came here from their original publisher, which is on another host.
    pub fn count_missing(&self, loss: NetworkLoss, number: u64) {
        if self.0.is_usable() {
            self.0.sender.count_missing(loss, number);
        }
    }

    /// Returns whether publishing may wait for room: whether any connected subscription keeps all.
    pub fn may_wait(&self) -> bool {
        self.0.sender.may_wait()
    }

    /// Waits while a subscription that keeps all has no room, at most as long as publishing would. Returns whether all
    /// have room.
    pub fn wait_for_room(&self) -> bool {
        !self.0.sender.is_usable() || self.0.sender.wait_for_room()
    }

    /// Returns whether all subscriptions that keep all have room, so that publishing does not wait.
    pub fn has_room(&self) -> bool {
        !self.0.sender.is_usable() || self.0.sender.has_room()
    }

    /// Returns the number of the oldest request that a connected server has received or will receive. `None` if no
    /// server is connected.
    pub fn oldest_served(&self) -> Option<u64> {
        if self.0.is_usable() { self.0.sender.oldest_received() } else { None }
    }

    /// Returns memory for a message of `len` bytes. The caller writes the message there, and sends it without a copy.
    #[inline]
    pub fn loan(&self, len: usize) -> Result<Loan, PublishError> {
        let loan = loan::Loan::new(&self.0.sender, len)?;
        Ok(Loan { loan, publisher: self.0.clone() })
    }
}

/// Memory for a message that has not been sent. Dropping it frees the memory without sending.
///
/// **Invariant:** it is at least as long as requested, and starts 4 bytes before a multiple of 64. So the body after
/// the encapsulation header is aligned for any type.
#[derive(Debug)]
pub struct Loan {
    loan: loan::Loan,
    publisher: Arc<Handle>,
}

impl Loan {
    /// Sends the first `len` bytes.
    ///
    /// # Panics
    /// Panics if `len` exceeds the loan's length.
    #[inline]
    pub fn publish(self, len: usize) -> Result<(), PublishError> {
        self.loan.send(len, None)
    }

    /// Sends a message as [`Loan::publish`] does. It was first sent elsewhere, and the stamp holds its original time
    /// and number.
    ///
    /// # Panics
    /// Panics if `len` exceeds the loan's length.
    #[inline]
    pub fn publish_stamped(self, len: usize, stamp: Stamp) -> Result<(), PublishError> {
        self.loan.send(len, Some(stamp))
    }

    /// Sends the first `len` bytes as a request to every server whose queue has room, and returns its number.
    ///
    /// # Errors
    /// Returns the loan and the error if there is no server, or if the queues of all servers are full.
    ///
    /// # Panics
    /// Panics if `len` exceeds the loan's length.
    pub fn request(self, len: usize) -> Result<u64, (Self, PublishError)> {
        self.request_as(len, None)
    }

    /// Sends a request as [`Loan::request`] does. It was first sent elsewhere, and the stamp holds its original time
    /// and number.
    ///
    /// # Panics
    /// Panics if `len` exceeds the loan's length.
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
    /// Panics if `len` exceeds the loan's length.
    pub fn respond(self, len: usize, request: RequestId) -> Result<(), PublishError> {
        self.respond_as(len, request, None)
    }

    /// Sends a response as [`Loan::respond`] does. It was first sent elsewhere at `source_time`.
    ///
    /// # Panics
    /// Panics if `len` exceeds the loan's length.
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
        // The client may be in the domain although this process has not found it yet.
        publisher.presence.host.sync();
        loan.respond(len, request, source_time).map_err(|(_, error)| error)
    }

    /// Makes it at least `len` bytes long and keeps the first `used` bytes. This costs one copy, which is counted.
    ///
    /// # Panics
    /// Panics if `used` exceeds the loan's length.
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
