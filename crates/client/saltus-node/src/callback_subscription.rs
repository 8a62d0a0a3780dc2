//! Subscriptions with a callback, for serialized messages of any type.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use saltus_cdr::CdrError;
use saltus_host::{Sample, Waker, monotonic_now};
use saltus_types::lock;

use crate::{
    Arrival, CallbackGroup, CallbackGroupKind, Executed, Waitable,
    callback::Callback,
    generic::GenericSubscription,
    message_info::{MessageInfo, TakeError},
};

/// The callback of a subscription, which gets a message by reference or by value.
pub(crate) enum OnMessage {
    /// The callback borrows the message.
    Borrowed(Callback<BorrowedExclusive, BorrowedReentrant>),
    /// The callback owns the message. It calls [`Sample::callback_returned`] when the user's closure has returned.
    Owned(Callback<OwnedExclusive, OwnedReentrant>),
}

type BorrowedExclusive = dyn FnMut(&Sample) -> Result<(), CdrError> + Send;
type BorrowedReentrant = dyn Fn(&Sample) -> Result<(), CdrError> + Send + Sync;
type OwnedExclusive = dyn FnMut(Sample) -> Result<(), Unreadable> + Send;
type OwnedReentrant = dyn Fn(Sample) -> Result<(), Unreadable> + Send + Sync;

/// Why a message can't be read, and the information about that message.
pub(crate) type Unreadable = (CdrError, MessageInfo);

/// A generic subscription with a callback, which an executor calls with each message. Dropping it unsubscribes.
#[must_use = "dropping it ends the subscription; keep it in a variable, because `let _ =` drops it at once"]
pub struct CallbackSubscription(Arc<CallbackCore>);

struct CallbackCore {
    subscription: GenericSubscription,
    callback: OnMessage,
    /// Whether an unreadable message was logged already.
    has_reported: AtomicBool,
    /// The callback group, which this keeps alive.
    group: CallbackGroup,
}

impl CallbackSubscription {
    pub(crate) fn new(subscription: GenericSubscription, group: &CallbackGroup, callback: OnMessage) -> Self {
        let has_reported = AtomicBool::new(false);
        let core = Arc::new(CallbackCore { subscription, callback, has_reported, group: group.clone() });
        let as_waitable: Arc<dyn Waitable> = core.clone();
        group.add(Arc::downgrade(&as_waitable));
        Self(core)
    }

    /// Returns the subscription without the callback. If the program takes a message from it, the callback does not get
    /// that message.
    pub fn subscription(&self) -> &GenericSubscription {
        &self.0.subscription
    }

    /// Calls the callback on this thread with each message that waits. Does nothing while another callback of the same
    /// group runs, or if the group is reentrant.
    pub fn deliver_waiting(&self) {
        let group = &self.0.group;
        if group.kind() == CallbackGroupKind::Reentrant {
            return;
        }
        let Some(_pass) = group.try_enter() else { return };
        self.deliver_sent_until_now();
    }

    /// Does the same as [`CallbackSubscription::deliver_waiting`] in a callback of the same group, which excludes the other
    /// callbacks of the group already. Does nothing if the group is reentrant.
    pub fn deliver_waiting_in_callback(&self) {
        if self.0.group.kind() != CallbackGroupKind::Reentrant {
            self.deliver_sent_until_now();
        }
    }

    fn deliver_sent_until_now(&self) {
        let begin = monotonic_now() as i64;
        // A publisher that sends more meanwhile must not keep this thread.
        while let Executed::Ran(Some(arrival)) = self.0.execute()
            && arrival.sent_at < begin
        {}
    }
}

impl fmt::Debug for CallbackSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CallbackSubscription").field(self.0.subscription.info()).finish()
    }
}

impl Waitable for CallbackCore {
    fn set_waker(&self, waker: Option<&Waker>) {
        self.subscription.set_waker(waker);
    }

    fn is_reentrant(&self) -> bool {
        match &self.callback {
            OnMessage::Borrowed(callback) => callback.is_reentrant(),
            OnMessage::Owned(callback) => callback.is_reentrant(),
        }
    }

    fn has_more(&self) -> bool {
        self.subscription.has_message()
    }

    fn execute(&self) -> Executed {
        // A message is taken under the callback's lock, so that two threads can't process two messages out of order.
        match &self.callback {
            OnMessage::Borrowed(Callback::Exclusive(callback)) => self.call_borrowed(&mut **lock(callback)),
            OnMessage::Borrowed(Callback::Reentrant(callback)) => self.call_borrowed(callback),
            OnMessage::Owned(Callback::Exclusive(callback)) => self.call_owned(&mut **lock(callback)),
            OnMessage::Owned(Callback::Reentrant(callback)) => self.call_owned(callback),
        }
    }
}

impl CallbackCore {
    /// Takes the next message, and calls `callback` with a reference to it.
    #[inline]
    fn call_borrowed(&self, callback: impl FnOnce(&Sample) -> Result<(), CdrError>) -> Executed {
        let taken = self.subscription.take();
        let Some(sample) = &taken else { return Executed::Nothing };
        match callback(sample) {
            Ok(()) => sample.callback_returned(),
            Err(cause) => self.report(TakeError { info: MessageInfo::from(sample), cause }),
        }
        Executed::Ran(Some(Arrival::from(sample)))
    }

    /// Takes the next message, and calls `callback` with it.
    #[inline]
    fn call_owned(&self, callback: impl FnOnce(Sample) -> Result<(), Unreadable>) -> Executed {
        let Some(sample) = self.subscription.take() else { return Executed::Nothing };
        let arrival = Arrival::from(&sample);
        if let Err((cause, info)) = callback(sample) {
            self.report(TakeError { info, cause });
        }
        Executed::Ran(Some(arrival))
    }

    /// Counts a message that can't be read, and logs the first one.
    fn report(&self, error: TakeError) {
        self.subscription.count_unreadable();
        if !self.has_reported.swap(true, Ordering::Relaxed) {
            let topic = &self.subscription.info().topic;
            let logger = self.subscription.node().logger();
            crate::log_at!(logger, Error, ERROR, {}, "on topic '{topic}': {error}");
        }
    }
}
