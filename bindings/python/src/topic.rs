//! Publishers and subscriptions.

use std::sync::{Arc, Mutex};

use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyBytes, PyDict},
};
use saltus::{
    advanced::{CallbackTimer, Waker},
    generic::{GenericPublisher, GenericSubscription},
    qos::{EndpointEvent, EventHandler, LossCause, Losses, QosMismatch},
    time::Time,
    topic::{MessageInfo, PublishError, Sample},
    types::lock,
};

use crate::{
    context::wait_for,
    errors,
    loan::Loan,
    message::{Arrays, Encoded, Message, Received, Source, Support},
    qos::{Profile, to_profile},
    ready::{Inbox, Mailbox, Messages, register},
};

/// Messages of more than this number of bytes are copied without the interpreter's lock. For smaller messages,
/// releasing the lock takes longer than the copy.
const LARGE: usize = 16 << 10;

/// A publisher of a topic.
#[pyclass(frozen, subclass, weakref, module = "saltus._native")]
pub(crate) struct Publisher {
    inner: Mutex<Option<Arc<GenericPublisher>>>,
    support: Arc<Support>,
    topic: String,
}

impl Publisher {
    pub(crate) fn new(publisher: GenericPublisher, support: Arc<Support>) -> Self {
        let topic = publisher.info().topic.clone();
        Self { inner: Mutex::new(Some(Arc::new(publisher))), support, topic }
    }

    fn open(&self) -> PyResult<Arc<GenericPublisher>> {
        let closed =
            || errors::name("InvalidHandle", format!("the publisher of '{}' was destroyed", self.topic));
        lock(&self.inner).clone().ok_or_else(closed)
    }

    fn send(&self, py: Python<'_>, len: usize, write: impl FnOnce(&mut [u8]) + Send) -> PyResult<()> {
        let publisher = self.open()?;
        let send = || {
            publisher.publish_with::<PublishError>(len, |buffer| {
                write(buffer);
                Ok(())
            })
        };
        // A publisher may wait for room in a queue. The thread that takes messages from the queue may need the
        // interpreter's lock.
        let sent = if len > LARGE || publisher.may_wait() { py.detach(send) } else { send() };
        sent.map_err(errors::publish)
    }
}

#[pymethods]
impl Publisher {
    /// Publishes a message of the publisher's type, or a message that is given as bytes.
    fn publish(&self, msg: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = msg.py();
        if let Ok(message) = msg.cast::<Message>()
            && Arc::ptr_eq(message.borrow().support(), &self.support)
        {
            let encoded = Encoded::of(message)?;
            return self.send(py, encoded.len(), |buffer| encoded.write(buffer));
        }
        if let Ok(bytes) = msg.cast::<PyBytes>() {
            let bytes = bytes.as_bytes();
            return self.send(py, bytes.len(), |buffer| buffer.copy_from_slice(bytes));
        }
        let expected = self.support.class(py)?;
        Err(PyTypeError::new_err(format!("Expected {}, got {}", expected.repr()?, msg.get_type().repr()?)))
    }

    /// Returns memory for a message whose arrays are written in place. `lengths` gives the number of elements of each
    /// of these arrays, and `message` gives all other fields.
    #[pyo3(signature = (message, **lengths))]
    fn loan(&self, message: &Bound<'_, Message>, lengths: Option<&Bound<'_, PyDict>>) -> PyResult<Loan> {
        if !Arc::ptr_eq(message.borrow().support(), &self.support) {
            let expected = self.support.class(message.py())?;
            let what = format!("Expected {}, got {}", expected.repr()?, message.get_type().repr()?);
            return Err(PyTypeError::new_err(what));
        }
        Loan::new(self.open()?, message, lengths)
    }

    /// The full name of the topic.
    #[getter]
    fn topic_name(&self) -> &str {
        &self.topic
    }

    /// Returns how many subscriptions are connected.
    fn get_subscription_count(&self) -> PyResult<usize> {
        Ok(self.open()?.subscription_count())
    }

    /// Renews the lease of manual liveliness without publishing.
    fn assert_liveliness(&self) -> PyResult<()> {
        self.open()?.assert_liveliness();
        Ok(())
    }

    /// Waits until at least `count` subscriptions are connected, for at most `timeout` seconds. Returns whether
    /// they are.
    #[pyo3(signature = (count=1, timeout=None))]
    fn wait_for_subscriptions(&self, py: Python<'_>, count: usize, timeout: Option<f64>) -> PyResult<bool> {
        let publisher = self.open()?;
        wait_for(py, publisher.node().context(), timeout, || publisher.subscription_count() >= count)
    }

    /// Returns the QoS profile that the publisher offers, as numbers.
    fn profile(&self) -> PyResult<Profile> {
        Ok(to_profile(&self.open()?.info().qos))
    }

    /// Returns how many messages were sent. Also returns how many were lost, for each cause.
    fn statistics(&self) -> PyResult<(u64, Vec<(String, u64)>)> {
        let status = self.open()?.status();
        Ok((status.sent, causes(&status.losses)))
    }

    /// Returns an object that receives the events of the publisher, for as long as the object exists.
    fn events(&self) -> PyResult<Events> {
        let inbox = Arc::<Inbox<EndpointEvent>>::default();
        let pushed = inbox.clone();
        let publisher = self.open()?;
        let node = publisher.node();
        let handler = publisher.on_event(node.default_callback_group(), move |event| pushed.push(event));
        register(node, &inbox);
        Ok(Events { inbox, _handler: handler })
    }

    /// Closes the publisher.
    fn close(&self, py: Python<'_>) {
        let inner = lock(&self.inner).take();
        py.detach(|| drop(inner));
    }
}

fn causes(losses: &Losses) -> Vec<(String, u64)> {
    let some = losses.iter().filter(|(_, count)| *count > 0);
    some.map(|(cause, count): (LossCause, u64)| (cause.to_string(), count)).collect()
}

impl Messages for GenericSubscription {
    fn take(&self) -> Option<Sample> {
        self.take()
    }

    fn set_waker(&self, waker: Option<&Waker>) {
        self.set_waker(waker);
    }
}

/// The metadata of a message that was taken.
#[pyclass(frozen, module = "saltus._native")]
pub(crate) struct Info {
    info: MessageInfo,
    received: Time,
    timer: CallbackTimer,
}

impl From<&Sample> for Info {
    fn from(sample: &Sample) -> Self {
        let received = saltus::time::system_now();
        Self { info: MessageInfo::from(sample), received, timer: sample.callback_timer() }
    }
}

#[pymethods]
impl Info {
    /// Returns when the message was sent, when it was received, its sequence number, and the gid of its publisher.
    fn values(&self) -> (i64, i64, u64, [u8; 16]) {
        let MessageInfo { source_time, sequence, publisher, .. } = self.info;
        (source_time.as_nanos(), self.received.as_nanos(), sequence, *publisher.as_bytes())
    }

    /// Counts the time from when the message was taken until now, when its callback has returned.
    fn callback_returned(&self) {
        // Only one thread at a time has the interpreter's lock.
        self.timer.callback_returned();
    }
}

/// A subscription to a topic.
#[pyclass(frozen, subclass, weakref, module = "saltus._native")]
pub(crate) struct Subscription {
    inner: Mutex<Option<Arc<Mailbox<GenericSubscription>>>>,
    support: Arc<Support>,
    topic: String,
    arrays: Arrays,
    has_reported: std::sync::atomic::AtomicBool,
}

type Taken<'py> = PyResult<Option<(Bound<'py, PyAny>, Info)>>;

impl Subscription {
    /// Takes the next message that can be read.
    fn take_with<'py>(
        &self,
        py: Python<'py>,
        take: fn(&Mailbox<GenericSubscription>) -> Option<Sample>,
    ) -> Taken<'py> {
        // The subscription may have been closed since it was marked.
        let Ok(mailbox) = self.open() else { return Ok(None) };
        loop {
            let Some(sample) = take(&mailbox) else { return Ok(None) };
            let info = Info::from(&sample);
            match Source::new(&self.support, Arc::new(Received::Sample(sample)), self.arrays) {
                Ok(source) => return Ok(Some((Message::received(py, &self.support, source)?, info))),
                Err(error) => self.report(&mailbox, &error),
            }
        }
    }

    pub(crate) fn new(
        node: &saltus::Node,
        subscription: GenericSubscription,
        support: Arc<Support>,
        arrays: Arrays,
    ) -> Self {
        let topic = subscription.info().topic.clone();
        let mailbox = Arc::new(Mailbox::new(subscription));
        register(node, &mailbox);
        let inner = Mutex::new(Some(mailbox));
        Self { inner, support, topic, arrays, has_reported: false.into() }
    }

    fn open(&self) -> PyResult<Arc<Mailbox<GenericSubscription>>> {
        let closed =
            || errors::name("InvalidHandle", format!("the subscription to '{}' was destroyed", self.topic));
        lock(&self.inner).clone().ok_or_else(closed)
    }

    /// Counts a message that can't be read. Logs only the first one.
    fn report(&self, mailbox: &Mailbox<GenericSubscription>, error: &saltus::cdr::CdrError) {
        mailbox.messages.count_unreadable();
        if !self.has_reported.swap(true, std::sync::atomic::Ordering::Relaxed) {
            let logger = mailbox.messages.node().logger();
            saltus::error!(logger, "on topic '{}': a message can't be read: {error}", self.topic);
        }
    }
}

#[pymethods]
impl Subscription {
    /// Sets the object that is marked when a message arrives.
    fn set_target(&self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        self.open()?.set_target(object)
    }

    /// Takes the oldest message and its metadata. Returns `None` if there is no message. A message that can't be read
    /// is counted and skipped.
    fn take<'py>(&self, py: Python<'py>) -> Taken<'py> {
        self.take_with(py, Mailbox::take)
    }

    /// Takes the oldest message like `take`, even if no executor has marked it.
    fn take_unmarked<'py>(&self, py: Python<'py>) -> Taken<'py> {
        self.take_with(py, Mailbox::take_unmarked)
    }

    /// Same as `take`, but returns the serialized message.
    fn take_serialized<'py>(&self, py: Python<'py>) -> PyResult<Option<(Bound<'py, PyBytes>, Info)>> {
        let sample = self.open().ok().and_then(|mailbox| mailbox.take());
        Ok(sample.map(|sample| (PyBytes::new(py, &sample), Info::from(&sample))))
    }

    /// The full name of the topic.
    #[getter]
    fn topic_name(&self) -> &str {
        &self.topic
    }

    /// Returns how many publishers are connected.
    fn get_publisher_count(&self) -> PyResult<usize> {
        Ok(self.open()?.messages.publisher_count())
    }

    /// Waits until at least `count` publishers are connected, for at most `timeout` seconds. Returns whether they
    /// are.
    #[pyo3(signature = (count=1, timeout=None))]
    fn wait_for_publishers(&self, py: Python<'_>, count: usize, timeout: Option<f64>) -> PyResult<bool> {
        let mailbox = self.open()?;
        let context = mailbox.messages.node().context();
        wait_for(py, context, timeout, || mailbox.messages.publisher_count() >= count)
    }

    /// Returns the QoS profile that the subscription requests, as numbers.
    fn profile(&self) -> PyResult<Profile> {
        Ok(to_profile(&self.open()?.messages.info().qos))
    }

    /// Returns how many messages were received. Also returns how many were lost, for each cause.
    fn statistics(&self) -> PyResult<(u64, Vec<(String, u64)>)> {
        let status = self.open()?.messages.status();
        Ok((status.received, causes(&status.losses)))
    }

    /// Returns an object that receives the events of the subscription, for as long as the object exists.
    fn events(&self) -> PyResult<Events> {
        let inbox = Arc::<Inbox<EndpointEvent>>::default();
        let pushed = inbox.clone();
        let subscription = &self.open()?.messages;
        let node = subscription.node();
        let handler = subscription.on_event(node.default_callback_group(), move |event| pushed.push(event));
        register(node, &inbox);
        Ok(Events { inbox, _handler: handler })
    }

    /// Closes the subscription.
    fn close(&self, py: Python<'_>) {
        let inner = lock(&self.inner).take();
        py.detach(|| drop(inner));
    }
}

/// The events of a publisher or subscription.
#[pyclass(frozen, weakref, module = "saltus._native")]
pub(crate) struct Events {
    inbox: Arc<Inbox<EndpointEvent>>,
    /// Never read. Dropping it ends the events.
    _handler: Arc<EventHandler>,
}

#[pymethods]
impl Events {
    /// Sets the object that is marked when there is an event.
    fn set_target(&self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        self.inbox.set_target(object)
    }

    /// Takes the oldest event: its kind and its numbers.
    fn take(&self) -> Option<(&'static str, Vec<i64>)> {
        self.inbox.take().map(event_numbers)
    }
}

fn event_numbers(event: EndpointEvent) -> (&'static str, Vec<i64>) {
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    match event {
        EndpointEvent::DeadlineMissed { total, change } => ("deadline", vec![count(total), count(change)]),
        EndpointEvent::LivelinessLost { total, change } => {
            ("liveliness_lost", vec![count(total), count(change)])
        }
        EndpointEvent::LivelinessChanged { alive, not_alive, alive_change, not_alive_change } => {
            ("liveliness_changed", vec![count(alive), count(not_alive), alive_change, not_alive_change])
        }
        EndpointEvent::IncompatibleQos { total, change, policy } => {
            ("incompatible_qos", vec![count(total), count(change), policy_kind(policy)])
        }
        EndpointEvent::IncompatibleType { total, change } => {
            ("incompatible_type", vec![count(total), count(change)])
        }
        EndpointEvent::MessageLost { total, change } => ("message_lost", vec![count(total), count(change)]),
        EndpointEvent::Matched { total, change, current, current_change } => {
            ("matched", vec![count(total), count(change), count(current), current_change])
        }
    }
}

/// Returns the number of a policy in `rmw_qos_policy_kind_t`.
fn policy_kind(policy: QosMismatch) -> i64 {
    match policy {
        QosMismatch::Durability => 2,
        QosMismatch::Deadline => 4,
        QosMismatch::Liveliness => 8,
        QosMismatch::Reliability => 16,
    }
}
