//! Typed subscriptions.

use std::{fmt, marker::PhantomData, ops::Deref};

use saltus_cdr::Message;
use saltus_host::Sample;

use crate::{
    GenericSubscription,
    callback_subscription::CallbackSubscription,
    message_info::{MessageInfo, TakeError},
};

/// A subscription without a callback: the program takes the messages itself. Derefs to [`GenericSubscription`], which
/// takes serialized messages.
///
/// ```
/// use saltus::{Context, msgs::std_msgs::msg::String as Text};
/// let context = Context::new()?;
/// let node = context.node("poller").create()?;
/// let publisher = node.publisher::<Text>("doc_poll").create()?;
/// let subscription = node.subscription::<Text>("doc_poll").create()?;
/// publisher.publish(&Text { data: "hello".into() })?;
/// if let Some(message) = subscription.take() {
///     let (text, info) = message?;
///     println!("{} was published at {:?}", text.data, info.source_time);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "dropping it ends the subscription; keep it in a variable, because `let _ =` drops it at once"]
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

    /// Takes the oldest message from the queue, as an owned value.
    pub fn take(&self) -> Option<Result<(M, MessageInfo), TakeError>> {
        let sample = self.bytes.take()?;
        let info = MessageInfo::from(&sample);
        let decoded = saltus_cdr::decode(&sample).inspect_err(|_| self.bytes.count_unreadable());
        Some(decoded.map(|message| (message, info)).map_err(|cause| TakeError { info, cause }))
    }

    /// Takes the oldest message from the queue, in place in shared memory. [`saltus_cdr::view`] reads it.
    pub fn take_sample(&self) -> Option<Sample> {
        self.bytes.take()
    }
}

/// A subscription with a callback, which an executor calls with each message. Dropping it unsubscribes. Derefs to
/// [`GenericSubscription`].
///
/// ```
/// use saltus::{Context, Executor, SingleThreadedExecutor, msgs::std_msgs::msg::String as Text};
/// use std::time::Duration;
/// let context = Context::new()?;
/// let node = context.node("listener").create()?;
/// // `callback` gets owned values. `view` gets views of messages in place, in shared memory.
/// let _subscription = node.subscription::<Text>("doc_chatter").callback(|text: Text| println!("{}", text.data))?;
/// let mut executor = SingleThreadedExecutor::new(&context)?;
/// executor.add_node(&node);
/// executor.spin_once(Some(Duration::ZERO))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "dropping it ends the subscription; keep it in a variable, because `let _ =` drops it at once"]
pub struct Subscription<M> {
    bytes: CallbackSubscription,
    of: PhantomData<fn() -> M>,
}

impl<M> Deref for Subscription<M> {
    type Target = GenericSubscription;

    fn deref(&self) -> &GenericSubscription {
        self.bytes.subscription()
    }
}

impl<M: Message> Subscription<M> {
    pub(crate) fn new(bytes: CallbackSubscription) -> Self {
        Self { bytes, of: PhantomData }
    }

    /// Calls the callback on this thread with each message that waits. Does nothing while another callback of the same
    /// group runs, or if the group is reentrant.
    pub fn deliver_waiting(&self) {
        self.bytes.deliver_waiting();
    }
}

impl<M> fmt::Debug for Subscription<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Subscription").field(self.info()).finish()
    }
}
