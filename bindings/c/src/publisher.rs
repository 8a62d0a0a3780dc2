//! Publishers, and memory for messages that are written in place.

use std::{
    cell::Cell,
    ffi::{c_char, c_void},
};

use saltus::{
    QoS,
    generic::{GenericEndpointBuilder, GenericPublisher, TypeId},
    topic,
    types::{Time, TypeHash},
};

use crate::{
    callbacks::{CallbackContext, DropFunction},
    event::{self, EventFunction, Events},
    gid::Gid,
    group::Group,
    node::Node,
    pointers::{self, Options},
    qos::{self, Qos},
    status::{
        Failure, SALTUS_INVALID_TOPIC_NAME, Status, create, create_boxed, destroy, given, node_failure,
        place, run, value,
    },
    text::Text,
    wait,
};

/// The type of an endpoint.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Type {
    /// The size of this struct: sizeof(saltus_type_t).
    pub struct_size: usize,
    /// The full name, such as "std_msgs/msg/String".
    pub name: *const c_char,
    /// The SHA-256 part of the type's RIHS01 hash (REP 2016). All zero means unknown: it matches each hash.
    pub hash: [u8; 32],
    /// The description of the type as canonical JSON (REP 2016), or NULL. Tools show messages with it.
    pub description: *const c_char,
}

// SAFETY: it is `repr(C)`, begins with its size, and has only numbers and pointers.
unsafe impl Options for Type {
    const NAME: &str = "saltus_type_t";

    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            name: std::ptr::null(),
            hash: [0; 32],
            description: std::ptr::null(),
        }
    }
}

/// Reads a type.
pub(crate) fn read_type(ty: *const Type) -> Result<TypeId, Failure> {
    if ty.is_null() {
        return Err(Failure::argument("expected a type, found NULL"));
    }
    let ty = pointers::options(ty)?;
    let hash = if ty.hash == [0; 32] { TypeHash::UNKNOWN } else { TypeHash::from_digest(ty.hash) };
    Ok(TypeId {
        name: pointers::text(ty.name, "name of a type")?.to_owned(),
        hash,
        description: pointers::optional_text(ty.description, "description of a type")?.map(str::to_owned),
    })
}

/// The options of a publisher or a subscription.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EndpointOptions {
    /// The size of this struct. saltus_endpoint_options_init() sets it.
    pub struct_size: usize,
    /// The name of the topic, as the node calls it.
    pub topic: *const c_char,
    /// The type of the messages.
    pub r#type: *const Type,
    /// The quality of service. NULL is the default.
    pub qos: *const Qos,
    /// The callback group of the callbacks. NULL is the default group of the node.
    pub group: *const Group,
    /// Called with each event, or NULL.
    pub on_event: EventFunction,
    /// The first argument of on_event.
    pub on_event_context: *mut c_void,
    /// Drops on_event_context. It is called even if no endpoint is opened.
    pub on_event_drop: DropFunction,
    /// How many messages a subscription borrows from publishers before it copies further ones. 0 is the default, 16.
    pub borrow_limit: usize,
    /// The name of the other system that the endpoint represents, or NULL.
    pub origin: *const c_char,
    /// The gid of the endpoint in the other system. All zero is a new one.
    pub gid: Gid,
    /// 1: it is not connected with endpoints of the same context that have this, too. The program passes messages between them
    /// itself. 0 is the default.
    pub skips_own: u8,
}

// SAFETY: it is `repr(C)`, begins with its size, and has only numbers, pointers and functions that may be NULL.
unsafe impl Options for EndpointOptions {
    const NAME: &str = "saltus_endpoint_options_t";

    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            topic: std::ptr::null(),
            r#type: std::ptr::null(),
            qos: std::ptr::null(),
            group: std::ptr::null(),
            on_event: None,
            on_event_context: std::ptr::null_mut(),
            on_event_drop: None,
            borrow_limit: 0,
            origin: std::ptr::null(),
            gid: Gid::default(),
            skips_own: 0,
        }
    }
}

/// Sets options to their defaults. Pass sizeof(saltus_endpoint_options_t).
#[unsafe(no_mangle)]
pub extern "C" fn saltus_endpoint_options_init(options: *mut EndpointOptions, struct_size: usize) {
    pointers::write_defaults(options, struct_size);
}

/// The options of an endpoint, and the context of its events, which is dropped even if no endpoint comes of it.
pub(crate) struct Wanted {
    options: EndpointOptions,
    on_event: CallbackContext,
}

impl Wanted {
    pub(crate) fn read(options: *const EndpointOptions) -> Result<Self, Failure> {
        let options: EndpointOptions = pointers::options(options)?;
        let on_event = CallbackContext::new(options.on_event_context, options.on_event_drop);
        Ok(Self { options, on_event })
    }

    /// Returns the builder of the endpoint, and its events.
    pub(crate) fn builder(self, node: Option<&Node>) -> Result<(GenericEndpointBuilder, Events), Failure> {
        let Self { options, on_event } = self;
        let node = given(node, "node")?;
        let topic = pointers::text(options.topic, "name of a topic")?;
        let ty = read_type(options.r#type)?;
        let group = pointers::array(options.group, usize::from(!options.group.is_null()), "groups")?;
        let mut builder = node
            .inner
            .generic_endpoint(topic, &ty)
            .qos(qos::read(options.qos, QoS::default())?)
            .callback_group(&node.group(group.first()));
        if let Some(origin) = pointers::optional_text(options.origin, "name of a system")? {
            builder = builder.origin(origin, options.gid.given());
        }
        if options.skips_own != 0 {
            builder = builder.skip_own();
        }
        if options.borrow_limit != 0 {
            builder = builder.borrow_limit(options.borrow_limit);
        }
        let (builder, events) = event::attach(builder, options.on_event, on_event);
        Ok((builder, events))
    }
}

/// A publisher.
#[derive(Debug)]
pub struct Publisher {
    // Declared first, so that its events have ended before the rest is dropped.
    _events: Events,
    inner: GenericPublisher,
    topic: Text,
}

/// Opens a publisher.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_publisher_create(
    node: Option<&Node>,
    options: *const EndpointOptions,
    publisher: Option<&mut *mut Publisher>,
) -> Status {
    let wanted = Wanted::read(options);
    create(publisher, || {
        let (builder, events) = wanted?.builder(node)?;
        let inner = builder.publisher().map_err(node_failure(SALTUS_INVALID_TOPIC_NAME))?;
        Ok(Publisher { topic: Text::new(&inner.info().topic), inner, _events: events })
    })
}

/// Closes a publisher.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_publisher_destroy(publisher: Option<Box<Publisher>>) {
    destroy(publisher);
}

/// Publishes a serialized message: the 4 bytes of the encapsulation, then its fields in CDR. It copies the bytes once.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_publish(publisher: Option<&Publisher>, data: *const u8, size: usize) -> Status {
    run(|| {
        let bytes = pointers::array(data, size, "bytes")?;
        Ok(given(publisher, "publisher")?.inner.publish(bytes)?)
    })
}

/// The source time and the number of a message that another system has sent.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// The size of this struct: sizeof(saltus_stamp_t).
    pub struct_size: usize,
    /// When the message was sent, in nanoseconds since 1970.
    pub source_time: i64,
    /// The number that the publisher gave the message.
    pub sequence: u64,
    /// The gid of the publisher in the other system. All zero is that of this publisher.
    pub publisher: Gid,
}

// SAFETY: it is `repr(C)`, begins with its size, and has only numbers.
unsafe impl Options for Stamp {
    const NAME: &str = "saltus_stamp_t";

    fn defaults() -> Self {
        Self { struct_size: size_of::<Self>(), source_time: 0, sequence: 0, publisher: Gid::default() }
    }
}

fn stamp(stamp: *const Stamp) -> Result<saltus::advanced::Stamp, Failure> {
    let stamp = pointers::required(stamp)?;
    Ok(saltus::advanced::Stamp {
        source_time: Time::from_nanos(stamp.source_time),
        sequence: stamp.sequence,
        gid: stamp.publisher.given(),
    })
}

/// Publishes a serialized message of another system, with its original source time and number.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_publish_stamped(
    publisher: Option<&Publisher>,
    data: *const u8,
    size: usize,
    original: *const Stamp,
) -> Status {
    run(|| {
        let bytes = pointers::array(data, size, "bytes")?;
        Ok(given(publisher, "publisher")?.inner.publish_stamped(bytes, stamp(original)?)?)
    })
}

/// Shared memory of a publisher in which a message is written.
#[derive(Debug, Default)]
pub struct Loan(Option<topic::Loan>);

thread_local! {
    /// The memory of the object of an ended loan, for the next one of the thread: a program that publishes in place allocates
    /// nothing.
    static ENDED: Cell<Option<Box<Loan>>> = const { Cell::new(None) };
}

/// Returns shared memory for a message of `size` bytes, the 4 bytes of the encapsulation included. End it with
/// saltus_loan_publish() or saltus_loan_destroy().
#[unsafe(no_mangle)]
pub extern "C" fn saltus_publisher_loan(
    publisher: Option<&Publisher>,
    size: usize,
    loan: Option<&mut *mut Loan>,
) -> Status {
    create_boxed(loan, || {
        let memory = given(publisher, "publisher")?.inner.loan(size)?;
        let mut loan = ENDED.try_with(Cell::take).ok().flatten().unwrap_or_default();
        loan.0 = Some(memory);
        Ok(loan)
    })
}

/// Returns where the message is written. The memory is valid until the loan ends or grows.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_loan_data(loan: Option<&mut Loan>) -> *mut u8 {
    loan.and_then(|loan| loan.0.as_mut()).map_or(std::ptr::null_mut(), |loan| loan.as_mut_ptr())
}

/// Returns how many bytes can be written. There may be more than were asked for.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_loan_size(loan: Option<&Loan>) -> usize {
    loan.and_then(|loan| loan.0.as_ref()).map_or(0, |loan| loan.len())
}

/// Makes room for at least `size` bytes. The first `used` bytes keep their values; the memory may be elsewhere.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_loan_grow(loan: Option<&mut Loan>, used: usize, size: usize) -> Status {
    run(|| {
        let loan = place(loan, "loan")?.0.as_mut().ok_or_else(ended)?;
        if used > loan.len() {
            return Err(Failure::argument(format!(
                "{used} used bytes are more than the {} of the loan",
                loan.len()
            )));
        }
        Ok(loan.grow(used, size)?)
    })
}

/// Publishes the first `size` bytes of a loan, which ends the loan in any case. Nothing is copied.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_loan_publish(loan: Option<Box<Loan>>, size: usize) -> Status {
    run(|| Ok(sized(loan, size)?.publish(size)?))
}

/// Publishes the first `size` bytes of a loan like saltus_loan_publish(), with the source time and number of another system.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_loan_publish_stamped(
    loan: Option<Box<Loan>>,
    size: usize,
    original: *const Stamp,
) -> Status {
    run(|| Ok(sized(loan, size)?.publish_stamped(size, stamp(original)?)?))
}

fn sized(loan: Option<Box<Loan>>, size: usize) -> Result<topic::Loan, Failure> {
    let loan = end(loan.ok_or_else(|| Failure::argument("expected a loan, found NULL"))?)?;
    match size <= loan.len() {
        true => Ok(loan),
        false => Err(Failure::argument(format!("{size} bytes are more than the {} of the loan", loan.len()))),
    }
}

/// Takes the memory for the message out of a loan, and keeps the memory of the object.
fn end(mut loan: Box<Loan>) -> Result<topic::Loan, Failure> {
    let Some(memory) = loan.0.take() else {
        // The object is kept for the next loan already.
        std::mem::forget(loan);
        return Err(ended());
    };
    // At the end of a thread nothing is kept.
    let _ = ENDED.try_with(|kept| kept.set(Some(loan)));
    Ok(memory)
}

fn ended() -> Failure {
    Failure::argument("the loan has ended")
}

/// Ends a loan without publishing it.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_loan_destroy(loan: Option<Box<Loan>>) {
    run(|| loan.map_or(Ok(()), |loan| end(loan).map(drop)));
}

/// Returns the full name of the topic. It is valid as long as the publisher.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_publisher_topic(publisher: Option<&Publisher>) -> *const c_char {
    publisher.map_or(c"".as_ptr(), |publisher| publisher.topic.pointer())
}

/// Returns how many subscriptions are connected.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_publisher_subscription_count(publisher: Option<&Publisher>) -> usize {
    value(0, || publisher.map_or(0, |publisher| publisher.inner.subscription_count()))
}

/// Waits until at least `count` subscriptions are connected. A negative timeout is none. Returns SALTUS_TIMEOUT if they are not.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_publisher_wait(publisher: Option<&Publisher>, count: usize, timeout: i64) -> Status {
    run(|| {
        let publisher = &given(publisher, "publisher")?.inner;
        let enough = || publisher.subscription_count() >= count;
        wait::wait_for(publisher.node().context(), timeout, enough, || {
            format!("expected {count} subscriptions of '{}'", publisher.info().topic)
        })
    })
}

/// Says that the publisher is alive, which counts if its liveliness is manual.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_publisher_assert_liveliness(publisher: Option<&Publisher>) -> Status {
    run(|| {
        given(publisher, "publisher")?.inner.assert_liveliness();
        Ok(())
    })
}

/// Returns whether publishing may wait for room in a queue.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_publisher_may_wait(publisher: Option<&Publisher>) -> bool {
    value(false, || publisher.is_some_and(|publisher| publisher.inner.may_wait()))
}

/// Writes the gid of a publisher.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_publisher_gid(publisher: Option<&Publisher>, gid: Option<&mut Gid>) -> Status {
    run(|| {
        *place(gid, "gid")? = given(publisher, "publisher")?.inner.info().gid.into();
        Ok(())
    })
}

/// Writes the quality of service that a publisher offers. Initialize `qos` with saltus_qos_init().
#[unsafe(no_mangle)]
pub extern "C" fn saltus_publisher_qos(publisher: Option<&Publisher>, qos: Option<&mut Qos>) -> Status {
    run(|| {
        let known = Qos::from(&given(publisher, "publisher")?.inner.info().qos);
        pointers::write_known(place(qos, "quality of service")?, &known)
    })
}

/// Writes how many messages were sent, and how many of them were lost at a subscription. Either place may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_publisher_counts(
    publisher: Option<&Publisher>,
    sent: Option<&mut u64>,
    lost: Option<&mut u64>,
) -> Status {
    run(|| {
        let status = given(publisher, "publisher")?.inner.status();
        sent.into_iter().for_each(|sent| *sent = status.sent);
        lost.into_iter().for_each(|lost| *lost = status.losses.iter().map(|(_, count)| count).sum());
        Ok(())
    })
}
