//! Subscriptions to a type.

use std::{fmt, marker::PhantomData, ops::Deref};

use saltus_cdr::Message;
use saltus_host::Sample;

use crate::{
    GenericSubscription,
    endpoint::CalledSubscription,
    message_info::{MessageInfo, TakeError},
};

/// A subscription whose messages are taken by hand. Derefs to the subscription of bytes that it is.
#[derive(Debug)]
pub struct PollSubscription<M> {
    bytes: GenericSubscription,
    of: PhantomData<fn() -> M>,
}

impl<M> Deref for PollSubscription<M> {
    type Target = GenericSubscription;

    fn deref(&self) -> &GenericSubscription {
        &self.bytes
    }
}

impl<M: Message> PollSubscription<M> {
    pub(crate) fn new(bytes: GenericSubscription) -> Self {
        Self { bytes, of: PhantomData }
    }

    /// The oldest message that waits, as a value of its own.
    pub fn take(&self) -> Option<Result<(M, MessageInfo), TakeError>> {
        let sample = self.bytes.take()?;
        let info = MessageInfo::from(&sample);
        let decoded = saltus_cdr::decode(&sample).inspect_err(|_| self.bytes.count_unreadable());
        Some(decoded.map(|message| (message, info)).map_err(|cause| TakeError { info, cause }))
    }

    /// The oldest message that waits, where it lies: [`saltus_cdr::view`] shows it.
    pub fn take_sample(&self) -> Option<Sample> {
        self.bytes.take()
    }
}

/// A subscription whose messages an executor hands to a callback. Dropping it unsubscribes. Derefs to the subscription
/// of bytes that it is.
pub struct Subscription<M> {
    called: CalledSubscription,
    of: PhantomData<fn() -> M>,
}

impl<M> Deref for Subscription<M> {
    type Target = GenericSubscription;

    fn deref(&self) -> &GenericSubscription {
        self.called.subscription()
    }
}

impl<M: Message> Subscription<M> {
    pub(crate) fn new(called: CalledSubscription) -> Self {
        Self { called, of: PhantomData }
    }
}

impl<M> fmt::Debug for Subscription<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Subscription").field(self.info()).finish()
    }
}
