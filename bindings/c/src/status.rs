//! Results of functions, and the text of the last error of a thread.

use std::{
    cell::RefCell,
    error::Error,
    ffi::{CString, c_char},
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use saltus::{
    context::ContextError,
    executor::SpinError,
    node::{NodeError, OpenError},
    param::ParameterError,
    service::{CallError, RespondError},
    topic::PublishError,
    types::NameError,
};

/// The result of a function: SALTUS_OK, or one of the numbers below. saltus_error_message() has the reason.
pub type Status = i32;

/// The function has done what it should.
pub const SALTUS_OK: Status = 0;
/// A failure without a number of its own.
pub const SALTUS_ERROR: Status = 1;
/// An argument is NULL or not valid.
pub const SALTUS_INVALID_ARGUMENT: Status = 2;
/// There is not enough memory, shared memory included.
pub const SALTUS_OUT_OF_MEMORY: Status = 3;
/// The time is over.
pub const SALTUS_TIMEOUT: Status = 4;
/// There is nothing to take.
pub const SALTUS_NOTHING: Status = 5;
/// A callback has returned SALTUS_STOP.
pub const SALTUS_STOPPED: Status = 6;
/// A fault of the library itself. The objects of the call can still be destroyed.
pub const SALTUS_PANIC: Status = 7;
/// The context was shut down.
pub const SALTUS_SHUT_DOWN: Status = 8;
/// The process has forked, and this context belongs to the parent.
pub const SALTUS_FORKED: Status = 9;
/// Other processes have declared this context dead. Create a new one.
pub const SALTUS_EXPELLED: Status = 10;
/// Another thread uses the object.
pub const SALTUS_BUSY: Status = 11;
/// A name of a node is not valid.
pub const SALTUS_INVALID_NODE_NAME: Status = 20;
/// A namespace is not valid.
pub const SALTUS_INVALID_NAMESPACE: Status = 21;
/// A name of a topic is not valid.
pub const SALTUS_INVALID_TOPIC_NAME: Status = 22;
/// A name of a service is not valid.
pub const SALTUS_INVALID_SERVICE_NAME: Status = 23;
/// An argument after --ros-args is not valid.
pub const SALTUS_INVALID_ROS_ARGUMENTS: Status = 24;
/// An argument after --ros-args is unknown.
pub const SALTUS_UNKNOWN_ROS_ARGUMENTS: Status = 25;
/// A name of an action is not valid.
pub const SALTUS_INVALID_ACTION_NAME: Status = 26;
/// A queue that must keep all messages has no room.
pub const SALTUS_QUEUE_FULL: Status = 30;
/// Nobody receives it: no connected endpoint is left.
pub const SALTUS_UNMATCHED: Status = 31;
/// Bytes are not a message of their type.
pub const SALTUS_UNREADABLE: Status = 32;
/// The service has no server.
pub const SALTUS_NO_SERVER: Status = 40;
/// The last server of the service ended before it answered.
pub const SALTUS_SERVER_GONE: Status = 41;
/// The server dropped the request without a response.
pub const SALTUS_NOT_ANSWERED: Status = 42;
/// The client that sent the request has gone.
pub const SALTUS_CLIENT_GONE: Status = 43;
/// The parameter is not declared.
pub const SALTUS_PARAMETER_NOT_DECLARED: Status = 50;
/// The parameter is declared already.
pub const SALTUS_PARAMETER_ALREADY_DECLARED: Status = 51;
/// The parameter has no value yet.
pub const SALTUS_PARAMETER_NOT_INITIALIZED: Status = 52;
/// The parameter has another type.
pub const SALTUS_PARAMETER_TYPE: Status = 53;
/// The parameter is read-only.
pub const SALTUS_PARAMETER_READ_ONLY: Status = 54;
/// The name of the parameter is not valid.
pub const SALTUS_PARAMETER_NAME: Status = 55;
/// The value is out of range, or can't be the value of a parameter.
pub const SALTUS_PARAMETER_VALUE: Status = 56;
/// A callback that checks parameters tried to change one.
pub const SALTUS_PARAMETER_IN_CALLBACK: Status = 57;
/// A callback that checks parameters has refused the value.
pub const SALTUS_PARAMETER_REJECTED: Status = 58;
/// The event is not allowed in the state of the goal.
pub const SALTUS_GOAL_TRANSITION: Status = 60;
/// The transition is not possible in the state of the node.
pub const SALTUS_LIFECYCLE_TRANSITION: Status = 61;
/// A frame does not exist.
pub const SALTUS_TF_LOOKUP: Status = 80;
/// Two frames are not in one tree.
pub const SALTUS_TF_CONNECTIVITY: Status = 81;
/// A time is before all transforms of a frame.
pub const SALTUS_TF_BACKWARD_EXTRAPOLATION: Status = 82;
/// A time is after all transforms of a frame.
pub const SALTUS_TF_FORWARD_EXTRAPOLATION: Status = 83;
/// A frame has only one transform, of another time.
pub const SALTUS_TF_NO_DATA: Status = 84;
/// A buffer can't use a transform.
pub const SALTUS_TF_REFUSED: Status = 85;

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::new(CString::default());
}

/// Returns the reason why the last failed function of this thread has failed. It ends with a zero byte, and is valid until
/// the next function of this thread fails. It is empty if none has failed.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_error_message() -> *const c_char {
    // At the end of a thread the text may be gone already.
    MESSAGE.try_with(|message| message.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// Runs a callback that returns a status. Returns its failure with the text of it, which is empty if the callback has set none.
pub(crate) fn result_of(call: impl FnOnce() -> Status) -> Result<(), Failure> {
    let exchange = |text| MESSAGE.try_with(|message| message.replace(text)).unwrap_or_default();
    // If nothing fails in the callback, a text of before stays where it is.
    let before = exchange(CString::default());
    let status = call();
    let text = exchange(before);
    if status == SALTUS_OK && text.is_empty() {
        return Ok(());
    }
    let failure = Failure::new(status, text.to_string_lossy());
    exchange(text);
    if status == SALTUS_OK { Ok(()) } else { Err(failure) }
}

/// A failure: its number and its text.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: Status,
    text: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for Failure {}

impl Failure {
    pub(crate) fn new(status: Status, text: impl ToString) -> Self {
        Self { status, text: text.to_string() }
    }

    pub(crate) fn argument(text: impl ToString) -> Self {
        Self::new(SALTUS_INVALID_ARGUMENT, text)
    }

    /// Keeps the text for [`saltus_error_message`]. Returns the number.
    pub(crate) fn report(self) -> Status {
        let bytes: Vec<u8> = self.text.into_bytes().into_iter().filter(|byte| *byte != 0).collect();
        let text = CString::new(bytes).unwrap_or_default();
        // At the end of a thread there is no place for the text.
        let _ = MESSAGE.try_with(|message| *message.borrow_mut() = text);
        self.status
    }
}

/// The payload of the unwinding that ends an executor's pass after a callback has returned [`crate::callbacks::SALTUS_STOP`].
pub(crate) struct Stop;

/// Runs the body of a function. A panic becomes a status, because nothing may unwind into C.
pub(crate) fn run(work: impl FnOnce() -> Result<(), Failure>) -> Status {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => SALTUS_OK,
        Ok(Err(failure)) => failure.report(),
        Err(panic) if panic.is::<Stop>() => {
            Failure::new(SALTUS_STOPPED, "a callback has stopped the executor").report()
        }
        Err(panic) => Failure::new(SALTUS_PANIC, panic_text(&*panic)).report(),
    }
}

/// Runs the body of a function that returns a value. After a panic it returns `otherwise`.
pub(crate) fn value<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    let mut result = otherwise;
    run(|| {
        result = work();
        Ok(())
    });
    result
}

/// Runs the body of a function that creates an object. Writes a pointer to the object to `place`, or NULL if it fails.
pub(crate) fn create<T>(place: Option<&mut *mut T>, make: impl FnOnce() -> Result<T, Failure>) -> Status {
    create_boxed(place, || Ok(Box::new(make()?)))
}

/// Like [`create`], for an object that has its memory already.
pub(crate) fn create_boxed<T>(
    place: Option<&mut *mut T>,
    make: impl FnOnce() -> Result<Box<T>, Failure>,
) -> Status {
    let Some(place) = place else {
        return Failure::argument("expected a place for the new object, found NULL").report();
    };
    *place = std::ptr::null_mut();
    run(|| {
        *place = Box::into_raw(make()?);
        Ok(())
    })
}

/// Drops an object that [`create`] has made. Does nothing with NULL.
pub(crate) fn destroy<T>(object: Option<Box<T>>) {
    run(|| {
        drop(object);
        Ok(())
    });
}

/// Returns the object of a handle, or an error if it is NULL.
pub(crate) fn given<'a, T>(object: Option<&'a T>, what: &str) -> Result<&'a T, Failure> {
    object.ok_or_else(|| Failure::argument(format!("expected a {what}, found NULL")))
}

/// Returns the place for a result, or an error if it is NULL.
pub(crate) fn place<'a, T>(place: Option<&'a mut T>, what: &str) -> Result<&'a mut T, Failure> {
    place.ok_or_else(|| Failure::argument(format!("expected a place for the {what}, found NULL")))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("a fault in libsaltus: {}", text.unwrap_or("no reason is known"))
}

impl From<ContextError> for Failure {
    fn from(error: ContextError) -> Self {
        let status = match &error {
            ContextError::Args(error) if error.message == "unknown ROS argument" => {
                SALTUS_UNKNOWN_ROS_ARGUMENTS
            }
            ContextError::Args(_) => SALTUS_INVALID_ROS_ARGUMENTS,
            ContextError::Domain(_) | ContextError::Folder(_) | ContextError::Group(_) => {
                SALTUS_INVALID_ARGUMENT
            }
            _ => SALTUS_ERROR,
        };
        Self::new(status, error)
    }
}

impl From<NameError> for Failure {
    fn from(error: NameError) -> Self {
        Self::new(SALTUS_INVALID_ARGUMENT, error)
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        let status = match error {
            OpenError::Forked => SALTUS_FORKED,
            OpenError::Expelled { .. } => SALTUS_EXPELLED,
            OpenError::Memory(_) => SALTUS_OUT_OF_MEMORY,
        };
        Self::new(status, error)
    }
}

impl From<ParameterError> for Failure {
    fn from(error: ParameterError) -> Self {
        Self::new(parameter_status(&error), error)
    }
}

fn parameter_status(error: &ParameterError) -> Status {
    match error {
        ParameterError::Given { error, .. } => parameter_status(error),
        ParameterError::Name(_) => SALTUS_PARAMETER_NAME,
        ParameterError::NotDeclared(_) => SALTUS_PARAMETER_NOT_DECLARED,
        ParameterError::AlreadyDeclared(_) => SALTUS_PARAMETER_ALREADY_DECLARED,
        ParameterError::NotInitialized(_) => SALTUS_PARAMETER_NOT_INITIALIZED,
        ParameterError::Type { .. } | ParameterError::StaticUndeclare(_) => SALTUS_PARAMETER_TYPE,
        ParameterError::ReadOnly(_) => SALTUS_PARAMETER_READ_ONLY,
        ParameterError::InCallback => SALTUS_PARAMETER_IN_CALLBACK,
        ParameterError::Rejected(_) => SALTUS_PARAMETER_REJECTED,
        _ => SALTUS_PARAMETER_VALUE,
    }
}

/// Converts the error of an entity that can't be created. `bad_name` is the number for an invalid name.
pub(crate) fn node_failure(bad_name: Status) -> impl Fn(NodeError) -> Failure {
    move |error| match error {
        NodeError::Name(error) => Failure::new(bad_name, error),
        NodeError::Open(error) => error.into(),
        NodeError::Parameter(error) => error.into(),
        NodeError::Period => Failure::argument(error),
        NodeError::Thread(_) => Failure::new(SALTUS_ERROR, error),
    }
}

impl From<PublishError> for Failure {
    fn from(error: PublishError) -> Self {
        let status = match error {
            PublishError::Memory(_) => SALTUS_OUT_OF_MEMORY,
            PublishError::QueueFull { .. } => SALTUS_QUEUE_FULL,
            PublishError::Unmatched => SALTUS_UNMATCHED,
            PublishError::Forked => SALTUS_FORKED,
            PublishError::Expelled { .. } => SALTUS_EXPELLED,
        };
        Self::new(status, error)
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        let status = match error {
            CallError::NoServer { .. } => SALTUS_NO_SERVER,
            CallError::ServerGone { .. } => SALTUS_SERVER_GONE,
            CallError::NotAnswered { .. } => SALTUS_NOT_ANSWERED,
            CallError::Timeout { .. } => SALTUS_TIMEOUT,
            CallError::ShutDown { .. } => SALTUS_SHUT_DOWN,
            CallError::Value { .. } => SALTUS_UNREADABLE,
            _ => SALTUS_ERROR,
        };
        Self::new(status, error)
    }
}

impl From<RespondError> for Failure {
    fn from(error: RespondError) -> Self {
        match error {
            RespondError::ClientGone => Self::new(SALTUS_CLIENT_GONE, error),
            RespondError::Value(error) => Self::new(SALTUS_UNREADABLE, error),
            RespondError::Send(error) => error.into(),
        }
    }
}

impl From<SpinError> for Failure {
    fn from(error: SpinError) -> Self {
        match error {
            SpinError::Open(error) => error.into(),
            error => Self::new(SALTUS_ERROR, error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    fn message() -> String {
        // SAFETY: the text is that of this thread, and no function fails meanwhile.
        unsafe { CStr::from_ptr(saltus_error_message()) }.to_string_lossy().into_owned()
    }

    #[test]
    fn a_panic_becomes_a_status_with_its_text() {
        assert_eq!(run(|| panic!("the index is {}", 3)), SALTUS_PANIC);
        assert_eq!(message(), "a fault in libsaltus: the index is 3");
        let mut made: *mut u32 = std::ptr::dangling_mut();
        assert_eq!(create(Some(&mut made), || panic!("no place")), SALTUS_PANIC);
        assert!(made.is_null());
        assert_eq!(value(7, || panic!("no value")), 7);
        assert_eq!(run(|| std::panic::resume_unwind(Box::new(Stop))), SALTUS_STOPPED);
    }

    #[test]
    fn the_text_of_before_stays_after_a_callback_that_succeeds() {
        let failed = || Failure::argument("of before").report();
        failed();
        let before = saltus_error_message();
        assert!(result_of(|| SALTUS_OK).is_ok());
        assert_eq!((saltus_error_message(), message()), (before, "of before".to_owned()));
        let failure = result_of(|| Failure::argument("of the callback").report()).unwrap_err();
        assert_eq!(
            (failure.status, failure.to_string()),
            (SALTUS_INVALID_ARGUMENT, "of the callback".into())
        );
        let silent = result_of(|| SALTUS_TIMEOUT).unwrap_err();
        assert_eq!((silent.status, silent.to_string()), (SALTUS_TIMEOUT, String::new()));
    }
}
