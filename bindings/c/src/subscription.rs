//! Subscriptions.

use std::{
    ffi::{c_char, c_void},
    sync::Arc,
};

use saltus::{
    generic::{CallbackSubscription, GenericSubscription},
    topic::Sample,
};

use crate::{
    callbacks::{CallbackContext, Closure, DropFunction, Gated, Next, obey},
    event::Events,
    gate::Gate,
    gid::Gid,
    message::Message,
    node::Node,
    pointers,
    publisher::{EndpointOptions, Wanted},
    qos::Qos,
    status::{
        Failure, SALTUS_INVALID_TOPIC_NAME, SALTUS_NOTHING, Status, create, destroy, given, node_failure,
        place, run, value,
    },
    text::Text,
    wait,
};

/// Called with each message. The message is valid until the function returns, unless the function keeps it.
pub type MessageFunction = Option<extern "C" fn(context: *mut c_void, message: &mut Message) -> Next>;

/// A subscription.
#[derive(Debug)]
pub struct Subscription {
    // Declared first, so that its events have ended before the rest is dropped.
    _events: Events,
    receiver: Receiver,
    topic: Text,
}

/// How messages are received.
#[derive(Debug)]
enum Receiver {
    /// An executor calls a callback.
    Callback(Gated<CallbackSubscription>),
    /// The program takes them.
    Taken(GenericSubscription),
}

impl Subscription {
    pub(crate) fn inner(&self) -> &GenericSubscription {
        match &self.receiver {
            Receiver::Callback(subscription) => subscription.subscription(),
            Receiver::Taken(subscription) => subscription,
        }
    }
}

/// Opens a subscription without a callback: the program takes the messages.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_subscription_create(
    node: Option<&Node>,
    options: *const EndpointOptions,
    subscription: Option<&mut *mut Subscription>,
) -> Status {
    let wanted = Wanted::read(options);
    create(subscription, || {
        let (builder, events) = wanted?.builder(node)?;
        let inner = builder.subscription().map_err(node_failure(SALTUS_INVALID_TOPIC_NAME))?;
        let topic = Text::new(&inner.info().topic);
        Ok(Subscription { _events: events, receiver: Receiver::Taken(inner), topic })
    })
}

/// Opens a subscription. An executor calls `call` with each message. In a reentrant group, several threads may call it at the
/// same time. `drop` is called even if this function fails.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_subscription_create_with_callback(
    node: Option<&Node>,
    options: *const EndpointOptions,
    call: MessageFunction,
    context: *mut c_void,
    drop: DropFunction,
    subscription: Option<&mut *mut Subscription>,
) -> Status {
    let context = CallbackContext::new(context, drop);
    let wanted = Wanted::read(options);
    create(subscription, || {
        let callback = Closure::given(call, context, "messages")?;
        let (builder, events) = wanted?.builder(node)?;
        let gate = Arc::<Gate>::default();
        let entered = gate.clone();
        let receive = move |sample: Sample| {
            let mut message = Message::once(sample);
            let next = entered.run(|| (callback.call)(callback.context.pointer(), &mut message));
            // The callback may keep the message, but this handle of it lasts until here.
            message.sample().inspect(|sample| sample.callback_returned());
            obey(next.unwrap_or_default());
        };
        let inner = builder.owned_callback(receive).map_err(node_failure(SALTUS_INVALID_TOPIC_NAME))?;
        let topic = Text::new(&inner.subscription().info().topic);
        Ok(Subscription { _events: events, receiver: Receiver::Callback(Gated::new(gate, inner)), topic })
    })
}

/// Closes a subscription. A callback that runs on another thread has returned when this function returns.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_subscription_destroy(subscription: Option<Box<Subscription>>) {
    destroy(subscription);
}

/// Takes the oldest message. Returns SALTUS_NOTHING if there is none. Destroy the message with saltus_message_destroy().
#[unsafe(no_mangle)]
pub extern "C" fn saltus_subscription_take(
    subscription: Option<&Subscription>,
    message: Option<&mut *mut Message>,
) -> Status {
    create(message, || {
        let taken = given(subscription, "subscription")?.inner().take();
        taken.map(Message::once).ok_or_else(|| Failure::new(SALTUS_NOTHING, "there is no message"))
    })
}

/// Returns whether there is a message to take.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_subscription_has_message(subscription: Option<&Subscription>) -> bool {
    value(false, || subscription.is_some_and(|subscription| subscription.inner().has_message()))
}

/// Counts a message that is not one of its type, in what tools show of the subscription.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_subscription_count_unreadable(subscription: Option<&Subscription>) -> Status {
    run(|| {
        given(subscription, "subscription")?.inner().count_unreadable();
        Ok(())
    })
}

/// Counts messages that were dropped because a queue of the program itself was full, in what tools show of the subscription.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_subscription_count_overflow(
    subscription: Option<&Subscription>,
    count: u64,
) -> Status {
    run(|| {
        given(subscription, "subscription")?.inner().count_overflow(count);
        Ok(())
    })
}

/// Returns the full name of the topic. It is valid as long as the subscription.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_subscription_topic(subscription: Option<&Subscription>) -> *const c_char {
    subscription.map_or(c"".as_ptr(), |subscription| subscription.topic.pointer())
}

/// Returns how many publishers are connected.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_subscription_publisher_count(subscription: Option<&Subscription>) -> usize {
    value(0, || subscription.map_or(0, |subscription| subscription.inner().publisher_count()))
}

/// Waits until at least `count` publishers are connected. A negative timeout is none. Returns SALTUS_TIMEOUT if they are not.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_subscription_wait(
    subscription: Option<&Subscription>,
    count: usize,
    timeout: i64,
) -> Status {
    run(|| {
        let subscription = given(subscription, "subscription")?.inner();
        let enough = || subscription.publisher_count() >= count;
        wait::wait_for(subscription.node().context(), timeout, enough, || {
            format!("expected {count} publishers of '{}'", subscription.info().topic)
        })
    })
}

/// Writes the gid of a subscription.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_subscription_gid(
    subscription: Option<&Subscription>,
    gid: Option<&mut Gid>,
) -> Status {
    run(|| {
        *place(gid, "gid")? = given(subscription, "subscription")?.inner().info().gid.into();
        Ok(())
    })
}

/// Writes the quality of service that a subscription requests. Initialize `qos` with saltus_qos_init().
#[unsafe(no_mangle)]
pub extern "C" fn saltus_subscription_qos(
    subscription: Option<&Subscription>,
    qos: Option<&mut Qos>,
) -> Status {
    run(|| {
        let known = Qos::from(&given(subscription, "subscription")?.inner().info().qos);
        pointers::write_known(place(qos, "quality of service")?, &known)
    })
}

/// Writes how many messages were received, and how many were lost. Either place may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_subscription_counts(
    subscription: Option<&Subscription>,
    received: Option<&mut u64>,
    lost: Option<&mut u64>,
) -> Status {
    run(|| {
        let status = given(subscription, "subscription")?.inner().status();
        received.into_iter().for_each(|received| *received = status.received);
        lost.into_iter().for_each(|lost| *lost = status.losses.iter().map(|(_, count)| count).sum());
        Ok(())
    })
}
