//! Holds messages until their transform is there.

use std::{
    collections::VecDeque,
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, Weak},
    task::{Context, Poll, Wake, Waker},
};

use saltus_tf::{Buffer, TransformFuture};
use saltus_types::{Time, lock};

/// Holds messages until the transforms from their frames to all target frames are there, as ROS 2's `tf2_ros::MessageFilter`
/// does.
///
/// Messages are released in the order in which their transforms come. If more than the limit wait, the oldest one is dropped, and
/// counted. The function must not add messages to the same filter.
///
/// ```
/// use saltus::tf::{Buffer, MessageFilter, StampedTransform, Transform};
/// use saltus::Time;
/// use std::sync::{Arc, Mutex};
/// let (buffer, seen) = (Buffer::default(), Arc::new(Mutex::new(Vec::new())));
/// let sink = seen.clone();
/// let filter = MessageFilter::new(&buffer, &["map"], 10, move |scan: &str| sink.lock().unwrap().push(scan));
/// filter.add("laser", Time::from_nanos(5), "scan 1");
/// assert!(seen.lock().unwrap().is_empty());
/// for nanos in [4, 6] {
///     let laser = StampedTransform::new("map", "laser", Time::from_nanos(nanos), Transform::IDENTITY);
///     buffer.set(&laser, "test")?;
/// }
/// assert_eq!(*seen.lock().unwrap(), ["scan 1"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MessageFilter<M>(Arc<Shared<M>>);

struct Shared<M> {
    buffer: Buffer,
    targets: Vec<String>,
    limit: usize,
    waiting: Mutex<Waiting<M>>,
    callback: Mutex<Box<dyn FnMut(M) + Send>>,
}

struct Waiting<M> {
    messages: VecDeque<Held<M>>,
    dropped: u64,
}

/// A message, and the transforms that it waits for.
struct Held<M> {
    message: M,
    futures: Vec<TransformFuture>,
}

impl<M> fmt::Debug for MessageFilter<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageFilter").field("targets", &self.0.targets).finish_non_exhaustive()
    }
}

impl<M: Send + 'static> MessageFilter<M> {
    /// Returns a filter that calls a function with each message whose transforms to all targets are there. The function runs on
    /// the thread that adds the message, or that sets the last of its transforms.
    pub fn new(
        buffer: &Buffer,
        targets: &[&str],
        limit: usize,
        callback: impl FnMut(M) + Send + 'static,
    ) -> Self {
        Self(Arc::new(Shared {
            buffer: buffer.clone(),
            targets: targets.iter().map(|name| (*name).to_owned()).collect(),
            limit: limit.max(1),
            waiting: Mutex::new(Waiting { messages: VecDeque::new(), dropped: 0 }),
            callback: Mutex::new(Box::new(callback)),
        }))
    }

    /// Adds a message whose content is in a frame at a time.
    pub fn add(&self, frame: &str, stamp: Time, message: M) {
        let shared = &self.0;
        let futures = shared.targets.iter().map(|target| shared.buffer.wait(target, frame, stamp)).collect();
        {
            let mut waiting = lock(&shared.waiting);
            if waiting.messages.len() == shared.limit {
                waiting.messages.pop_front();
                waiting.dropped += 1;
            }
            waiting.messages.push_back(Held { message, futures });
        }
        shared.release();
    }

    /// Returns how many messages wait.
    pub fn waiting(&self) -> usize {
        lock(&self.0.waiting).messages.len()
    }

    /// Returns how many messages were dropped: those for which there was no room, and those whose transforms can never be there.
    pub fn dropped(&self) -> u64 {
        lock(&self.0.waiting).dropped
    }

    /// Drops all messages that wait.
    pub fn clear(&self) {
        let old = std::mem::take(&mut lock(&self.0.waiting).messages);
        // The futures lock the buffer's waiters when they are dropped.
        drop(old);
    }
}

/// Releases messages when a transform is there. The buffer keeps it, and must not keep the filter.
struct Release<M>(Weak<Shared<M>>);

impl<M: Send + 'static> Wake for Release<M> {
    fn wake(self: Arc<Self>) {
        if let Some(shared) = self.0.upgrade() {
            shared.release();
        }
    }
}

impl<M: Send + 'static> Shared<M> {
    /// Calls the function with all messages whose transforms are there.
    fn release(self: &Arc<Self>) {
        let waker = Waker::from(Arc::new(Release(Arc::downgrade(self))));
        let mut context = Context::from_waker(&waker);
        let mut ready = Vec::new();
        {
            let mut waiting = lock(&self.waiting);
            for mut held in std::mem::take(&mut waiting.messages) {
                match held.poll(&mut context) {
                    Poll::Pending => waiting.messages.push_back(held),
                    Poll::Ready(true) => ready.push(held.message),
                    Poll::Ready(false) => waiting.dropped += 1,
                }
            }
        }
        for message in ready {
            lock(&self.callback)(message);
        }
    }
}

impl<M> Held<M> {
    /// Ready with whether all transforms are there.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        let mut is_pending = false;
        let mut is_lost = false;
        self.futures.retain_mut(|future| match Pin::new(future).poll(context) {
            Poll::Pending => {
                is_pending = true;
                true
            }
            Poll::Ready(result) => {
                is_lost |= result.is_err();
                false
            }
        });
        if is_pending && !is_lost { Poll::Pending } else { Poll::Ready(!is_lost) }
    }
}
