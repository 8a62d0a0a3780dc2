//! Subscriptions to a type.

use std::{fmt, marker::PhantomData, ops::Deref};

use saltus_cdr::Message;
use saltus_host::Sample;

use crate::{
    GenericSubscription,
    endpoint::CalledSubscription,
    message_info::{MessageInfo, TakeError},
};

/// A subscription whose messages the program takes itself. Derefs to its subscription of bytes.
#[derive(Debug)]
#[must_use = "dropping it ends the subscription"]
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

    /// Takes the oldest waiting message as an owned value.
    pub fn take(&self) -> Option<Result<(M, MessageInfo), TakeError>> {
        let sample = self.bytes.take()?;
        let info = MessageInfo::from(&sample);
        let decoded = saltus_cdr::decode(&sample).inspect_err(|_| self.bytes.count_unreadable());
        Some(decoded.map(|message| (message, info)).map_err(|cause| TakeError { info, cause }))
    }

    /// Takes the oldest waiting message, in place: [`saltus_cdr::view`] reads it.
    pub fn take_sample(&self) -> Option<Sample> {
        self.bytes.take()
    }
}

/// A subscription with a callback. An executor calls it with each message. Dropping it unsubscribes. Derefs to its
/// subscription of bytes.
#[must_use = "dropping it ends the subscription"]
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
