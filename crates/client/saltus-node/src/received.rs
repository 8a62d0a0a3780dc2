//! Received messages that a program can keep.

use std::{fmt, marker::PhantomData, sync::Arc};

use saltus_cdr::{CdrError, Message, Stamped};
use saltus_host::Sample;
use saltus_types::Time;

use crate::MessageInfo;

/// A received message that a program can keep for any time, on any thread. Cheap to clone: all clones share one
/// message.
///
/// The message is borrowed from the memory of its publisher until the last clone is dropped. It counts against the
/// borrow limit of the subscription ([`SubscriptionBuilder::borrow_limit`](crate::SubscriptionBuilder::borrow_limit)).
/// If the limit is reached, this owns a copy of the message instead.
///
/// ```no_run
/// use saltus::topic::Received;
/// use std::sync::{Arc, Mutex};
/// # use saltus::msgs::std_msgs::msg::String as Text;
/// let context = saltus::Context::new()?;
/// let node = context.node("fusion").create()?;
/// let last = Arc::new(Mutex::new(None::<Received<Text>>));
/// let keep = last.clone();
/// let _subscription = node.subscription::<Text>("chatter").received(move |message| {
///     if let Ok(mut last) = keep.lock() {
///         *last = Some(message);
///     }
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Received<M> {
    sample: Arc<Sample>,
    of: PhantomData<fn() -> M>,
}

impl<M> Clone for Received<M> {
    fn clone(&self) -> Self {
        Self { sample: self.sample.clone(), of: PhantomData }
    }
}

impl<M> fmt::Debug for Received<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Received").field(&self.info()).finish()
    }
}

impl<M> Received<M> {
    /// Returns the information about the message besides its content.
    pub fn info(&self) -> MessageInfo {
        MessageInfo::from(&*self.sample)
    }

    /// Returns the serialized message, including the encapsulation header.
    pub fn bytes(&self) -> &[u8] {
        &self.sample
    }

    pub(crate) fn sample(&self) -> &Arc<Sample> {
        &self.sample
    }
}

impl<M: Stamped> Received<M> {
    /// Returns the stamp in the header of the message.
    ///
    /// ```no_run
    /// # use saltus::{Node, msgs::sensor_msgs::msg::Image};
    /// # fn f(node: &Node) -> Result<(), saltus::node::NodeError> {
    /// let _images = node.subscription::<Image>("image").received(|image| println!("{:?}", image.stamp()))?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn stamp(&self) -> Time {
        // The message was checked when it was taken. If its publisher overwrites it, the stamp may be any time.
        saltus_cdr::stamp::<M>(&self.sample).unwrap_or_default()
    }
}

impl<M: Message> Received<M> {
    /// Wraps a message.
    ///
    /// # Errors
    /// Returns an error if the message does not match its type.
    pub(crate) fn new(sample: Sample) -> Result<Self, (CdrError, MessageInfo)> {
        let checked = saltus_cdr::view::<M>(&sample).map(drop);
        match checked {
            Ok(()) => Ok(Self { sample: Arc::new(sample), of: PhantomData }),
            Err(cause) => Err((cause, MessageInfo::from(&sample))),
        }
    }

    /// Returns a view of the message, which is read in place in shared memory.
    ///
    /// # Errors
    /// Returns an error if the message does not match its type any more. It matched when it was taken, so a malicious
    /// publisher has overwritten it since then.
    pub fn view(&self) -> Result<M::View<'_>, CdrError> {
        saltus_cdr::view::<M>(&self.sample)
    }

    /// Returns the message as an owned value.
    ///
    /// # Errors
    /// Returns the same error as [`Received::view`].
    pub fn value(&self) -> Result<M, CdrError> {
        saltus_cdr::decode(&self.sample)
    }
}
