//! Contexts.

use std::{
    ffi::{c_char, c_void},
    time::Duration,
};

use saltus::{
    context::{ContextOptions as Settings, KeptMessage, RosArgs, Signals, restore_termination},
    types::Time,
};

use crate::{
    callbacks::{CallbackContext, DropFunction},
    pointers::{self, Options},
    status::{Failure, Status, create, destroy, given, run, value},
    text::Text,
    wait,
};

/// A context: this process as a participant of the graph of a domain.
#[derive(Debug)]
pub struct Context {
    pub(crate) inner: saltus::Context,
    arguments: Vec<Text>,
    domain: u32,
}

/// The domain of ROS_DOMAIN_ID, or 0.
pub const SALTUS_DOMAIN_DEFAULT: u32 = u32::MAX;
/// SIGINT, which is Ctrl-C.
pub const SALTUS_SIGNAL_INTERRUPT: u32 = 1;
/// SIGTERM.
pub const SALTUS_SIGNAL_TERMINATE: u32 = 2;

/// Called on a thread of the library when one of the signals of a context comes.
pub type SignalFunction = Option<extern "C" fn(context: *mut c_void)>;

/// The options of a context.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ContextOptions {
    /// The size of this struct. saltus_context_options_init() sets it.
    pub struct_size: usize,
    /// The number of arguments of the command line, the name of the program included.
    pub argument_count: usize,
    /// The arguments of the command line. Those between --ros-args and -- are for Saltus.
    pub arguments: *const *const c_char,
    /// The domain, or SALTUS_DOMAIN_DEFAULT.
    pub domain: u32,
    /// The signals that shut the context down: a sum of SALTUS_SIGNAL_…. A handler that the process has already is still called.
    pub signal_set: u32,
    /// 1: records of the nodes are published on /rosout. 0: they are not.
    pub rosout: u8,
    /// 1: records are printed on the console. 0: the program prints them.
    pub console: u8,
    /// If it is not NULL, it is called at a signal, and the context is not shut down by the signal. A second signal ends the
    /// process.
    pub on_signal: SignalFunction,
    /// The first argument of on_signal.
    pub on_signal_context: *mut c_void,
    /// Drops on_signal_context. It is called even if no context is created.
    pub on_signal_drop: DropFunction,
}

// SAFETY: it is `repr(C)`, begins with its size, and has only numbers, pointers and functions that may be NULL.
unsafe impl Options for ContextOptions {
    const NAME: &str = "saltus_context_options_t";

    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            argument_count: 0,
            arguments: std::ptr::null(),
            domain: SALTUS_DOMAIN_DEFAULT,
            signal_set: SALTUS_SIGNAL_INTERRUPT | SALTUS_SIGNAL_TERMINATE,
            rosout: 1,
            console: 1,
            on_signal: None,
            on_signal_context: std::ptr::null_mut(),
            on_signal_drop: None,
        }
    }
}

/// Sets options to their defaults. Pass sizeof(saltus_context_options_t).
#[unsafe(no_mangle)]
pub extern "C" fn saltus_context_options_init(options: *mut ContextOptions, struct_size: usize) {
    pointers::write_defaults(options, struct_size);
}

/// Joins the graph of a domain. `options` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_context_create(
    options: *const ContextOptions,
    context: Option<&mut *mut Context>,
) -> Status {
    // Its context is dropped even if there is no place for the new object.
    let read = pointers::options(options).map(|options: ContextOptions| {
        let on_signal = CallbackContext::new(options.on_signal_context, options.on_signal_drop);
        (options, on_signal)
    });
    create(context, || {
        let (options, on_signal) = read?;
        let arguments = pointers::texts(options.arguments, options.argument_count, "argument")?;
        let args = RosArgs::parse(arguments)
            .map_err(|error| Failure::from(saltus::context::ContextError::from(error)))?;
        let rest = args.rest.iter().map(|argument| Text::new(argument)).collect();
        let mut settings =
            Settings::default().args(args).rosout(options.rosout != 0).signals(signals(options.signal_set));
        if options.domain != SALTUS_DOMAIN_DEFAULT {
            settings = settings.domain(options.domain);
        }
        if options.console == 0 {
            settings = settings.install_logging(false);
        }
        if let Some(call) = options.on_signal {
            settings = settings.on_signal(move || call(on_signal.pointer()));
        }
        let domain = settings.domain_id()?.number;
        Ok(Context { inner: settings.create()?, arguments: rest, domain })
    })
}

fn signals(bits: u32) -> Signals {
    let (interrupt, terminate) = (bits & SALTUS_SIGNAL_INTERRUPT != 0, bits & SALTUS_SIGNAL_TERMINATE != 0);
    match interrupt || terminate {
        true => Signals { interrupt, terminate, hang_up: false, chained: true },
        false => Signals::NONE,
    }
}

/// Leaves the graph as soon as everything that was made from the context is destroyed too.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_context_destroy(context: Option<Box<Context>>) {
    destroy(context);
}

/// Makes every executor of the context return soon. May be called several times, on any thread.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_context_shut_down(context: Option<&Context>) -> Status {
    run(|| {
        given(context, "context")?.inner.shut_down();
        Ok(())
    })
}

/// Returns whether the context was not shut down.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_context_is_ok(context: Option<&Context>) -> bool {
    context.is_some_and(|context| !context.inner.is_shut_down())
}

/// Returns the domain of the context.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_context_domain(context: Option<&Context>) -> u32 {
    context.map_or(0, |context| context.domain)
}

/// Returns the number of the context's process in the graph. Tools and containers use it. It is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_context_process(context: Option<&Context>) -> u64 {
    value(0, || context.map_or(0, |context| context.inner.participant().new_gid().process()))
}

/// Gives a message of an earlier process to the publishers that will be opened: the first transient-local publisher of its topic
/// and type keeps it for late subscriptions, as if it had published it. `source_time` is when it was published, in nanoseconds
/// since 1970.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_context_keep_message(
    context: Option<&Context>,
    topic: *const c_char,
    type_name: *const c_char,
    source_time: i64,
    data: *const u8,
    size: usize,
) -> Status {
    run(|| {
        let message = KeptMessage {
            topic: pointers::text(topic, "name of a topic")?.to_owned(),
            type_name: pointers::text(type_name, "name of a type")?.to_owned(),
            source_time: Time::from_nanos(source_time),
            bytes: pointers::array(data, size, "bytes")?.to_vec(),
        };
        given(context, "context")?.inner.keep_messages(vec![message]);
        Ok(())
    })
}

/// Returns how many arguments of the command line are not for Saltus, the name of the program included.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_context_argument_count(context: Option<&Context>) -> usize {
    context.map_or(0, |context| context.arguments.len())
}

/// Returns an argument that is not for Saltus, or NULL if there is none with this index. It is valid as long as the context.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_context_argument(context: Option<&Context>, index: usize) -> *const c_char {
    let argument = context.and_then(|context| context.arguments.get(index));
    argument.map_or(std::ptr::null(), Text::pointer)
}

/// Waits for so many nanoseconds, or until the context is shut down. A negative number means until the context is shut down.
/// Returns whether the context was not shut down.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_context_sleep(context: Option<&Context>, nanoseconds: i64) -> bool {
    value(false, || {
        let Some(context) = context else { return false };
        let timeout = wait::timeout(nanoseconds).unwrap_or(Duration::MAX);
        context.inner.wait_until(timeout, || false);
        !context.inner.is_shut_down()
    })
}

/// A condition that a thread waits for. It is called on that thread.
pub type ConditionFunction = Option<extern "C" fn(context: *mut c_void) -> bool>;

/// Waits until `holds` returns true. It is called at once, and whenever the graph changes. A negative timeout is none. Returns
/// SALTUS_TIMEOUT if it did not return true in time, and SALTUS_SHUT_DOWN if the context was shut down before.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_context_wait_until(
    context: Option<&Context>,
    timeout: i64,
    holds: ConditionFunction,
    argument: *mut c_void,
) -> Status {
    run(|| {
        let holds = holds.ok_or_else(|| Failure::argument("expected a condition, found NULL"))?;
        wait::wait_for(
            &given(context, "context")?.inner,
            timeout,
            || holds(argument),
            || "the condition does not hold".into(),
        )
    })
}

/// Restores the signal handlers that the process had before its first context.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_signals_restore() -> Status {
    run(|| restore_termination().map_err(|error| Failure::new(crate::status::SALTUS_ERROR, error)))
}
