//! Holds messages until their transforms are there.

use std::{
    collections::VecDeque,
    fmt,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
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
/// counted. The function may add messages, and set transforms.
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
pub struct MessageFilter<M>(Arc<MessageFilterState<M>>);

struct MessageFilterState<M> {
    buffer: Buffer,
    targets: Vec<String>,
    limit: usize,
    waiting: Mutex<FilterQueue<M>>,
}

type Callback<M> = Box<dyn FnMut(M) + Send>;

struct FilterQueue<M> {
    messages: VecDeque<PendingMessage<M>>,
    /// Messages whose transforms are there.
    ready: VecDeque<M>,
    /// The function. `None` while a thread calls it: this thread then also calls it with the messages that become ready meanwhile.
    callback: Option<Callback<M>>,
    dropped: u64,
}

/// A message, and the transforms that it waits for.
struct PendingMessage<M> {
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
        Self(Arc::new(MessageFilterState {
            buffer: buffer.clone(),
            targets: targets.iter().map(|name| (*name).to_owned()).collect(),
            limit: limit.max(1),
            waiting: Mutex::new(FilterQueue {
                messages: VecDeque::new(),
                ready: VecDeque::new(),
                callback: Some(Box::new(callback)),
                dropped: 0,
            }),
        }))
    }

    /// Adds a message whose content is in a frame at a time.
    pub fn add(&self, frame: &str, stamp: Time, message: M) {
        let state = &self.0;
        // As in ROS 2, a `/` at the start is removed.
        let frame = frame.strip_prefix('/').unwrap_or(frame);
        let futures = state.targets.iter().map(|target| state.buffer.wait(target, frame, stamp)).collect();
        let oldest;
        {
            let mut waiting = lock(&state.waiting);
            let is_full = waiting.len() == state.limit;
            oldest = if is_full { waiting.pop() } else { None };
            waiting.messages.push_back(PendingMessage { message, futures });
        }
        drop(oldest);
        state.release();
    }

    /// Returns the number of messages that wait.
    pub fn waiting(&self) -> usize {
        lock(&self.0.waiting).len()
    }

    /// Returns the number of messages that were dropped: those for which there was no room, and those whose transforms can never be there.
    pub fn dropped(&self) -> u64 {
        lock(&self.0.waiting).dropped
    }

    /// Drops all messages that wait.
    pub fn clear(&self) {
        let old = {
            let mut waiting = lock(&self.0.waiting);
            (std::mem::take(&mut waiting.messages), std::mem::take(&mut waiting.ready))
        };
        // The drop of a message may call this filter.
        drop(old);
    }
}

/// A waker that releases messages when a transform is there. The buffer owns it, so it has only a weak reference to the filter.
struct ReleaseWaker<M>(Weak<MessageFilterState<M>>);

impl<M: Send + 'static> Wake for ReleaseWaker<M> {
    fn wake(self: Arc<Self>) {
        if let Some(state) = self.0.upgrade() {
            state.release();
        }
    }
}

impl<M: Send + 'static> MessageFilterState<M> {
    /// Calls the function with all messages whose transforms are there.
    fn release(self: &Arc<Self>) {
        let waker = Waker::from(Arc::new(ReleaseWaker(Arc::downgrade(self))));
        let mut context = Context::from_waker(&waker);
        let mut lost = Vec::new();
        {
            let mut waiting = lock(&self.waiting);
            for mut pending in std::mem::take(&mut waiting.messages) {
                match pending.poll(&mut context) {
                    Poll::Pending => waiting.messages.push_back(pending),
                    Poll::Ready(true) => waiting.ready.push_back(pending.message),
                    Poll::Ready(false) => lost.push(pending.message),
                }
            }
            waiting.dropped += lost.len() as u64;
        }
        drop(lost);
        let mut panicked = None;
        loop {
            // This is a separate statement, so that the lock is not held during the call.
            let next = lock(&self.waiting).next_call();
            let Some((mut callback, message)) = next else { break };
            // The messages after one whose call panics are released, too.
            let called = catch_unwind(AssertUnwindSafe(|| callback(message)));
            lock(&self.waiting).callback = Some(callback);
            if let Err(panic) = called {
                panicked.get_or_insert(panic);
            }
        }
        if let Some(panic) = panicked {
            resume_unwind(panic);
        }
    }
}

impl<M> FilterQueue<M> {
    /// Returns the number of messages.
    fn len(&self) -> usize {
        self.ready.len() + self.messages.len()
    }

    /// Removes the oldest message.
    fn pop(&mut self) -> Option<M> {
        self.dropped += 1;
        self.ready.pop_front().or_else(|| self.messages.pop_front().map(|pending| pending.message))
    }

    /// Takes the function and a message for it, if no thread calls it. The function must be put back after the call.
    fn next_call(&mut self) -> Option<(Callback<M>, M)> {
        let callback = self.callback.take()?;
        match self.ready.pop_front() {
            Some(message) => Some((callback, message)),
            None => {
                self.callback = Some(callback);
                None
            }
        }
    }
}

impl<M> PendingMessage<M> {
    /// Returns `Ready(true)` if all transforms are there, and `Ready(false)` if one of them can never be there.
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
