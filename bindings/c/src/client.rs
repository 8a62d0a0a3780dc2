//! Clients of services.

use std::{
    collections::HashMap,
    ffi::{c_char, c_void},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use saltus::{cdr::CdrError, generic::GenericClient, service::CallError, topic::Sample, types::lock};

use crate::{
    callbacks::{CallbackContext, Closure, DropFunction, Next, WriteFunction, Writer, obey},
    gate::Gate,
    gid::Gid,
    message::Message,
    node::Node,
    pointers,
    service::{ServiceOptions, read_options},
    status::{
        Failure, SALTUS_INVALID_SERVICE_NAME, SALTUS_OK, Status, create, destroy, given, node_failure, place,
        run, value,
    },
    text::Text,
    wait,
};

/// Called once with the outcome of a call: SALTUS_OK and the response, or the reason why there is none and NULL. The response
/// is valid until the function returns, unless the function keeps it. saltus_error_message() has the reason.
pub type ResponseFunction =
    Option<extern "C" fn(context: *mut c_void, status: Status, response: Option<&mut Message>) -> Next>;

type Callback = Closure<extern "C" fn(*mut c_void, Status, Option<&mut Message>) -> Next>;

/// The calls that have no outcome yet, by their numbers.
type Pending = Arc<Mutex<HashMap<u64, Callback>>>;

/// A client of a service.
#[derive(Debug)]
pub struct Client {
    gate: Arc<Gate>,
    inner: GenericClient,
    pending: Pending,
    next_number: AtomicU64,
    name: Text,
}

impl Drop for Client {
    fn drop(&mut self) {
        self.gate.close();
        // The callbacks are dropped without the lock, because their drop functions may use the client of another service.
        let pending = std::mem::take(&mut *lock(&self.pending));
        drop(pending);
    }
}

impl Client {
    /// Sends a request of `size` bytes, which `write` writes. An executor calls `callback` with the outcome.
    fn start(
        &self,
        size: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), CdrError>,
        callback: Callback,
        number: Option<&mut u64>,
    ) -> Result<(), Failure> {
        let own = self.next_number.fetch_add(1, Ordering::Relaxed);
        number.into_iter().for_each(|number| *number = own);
        lock(&self.pending).insert(own, callback);
        let (pending, gate) = (self.pending.clone(), self.gate.clone());
        let then = move |outcome| finish(&pending, &gate, own, outcome);
        let sent = self.inner.call_then(size, write, then);
        if sent.is_err() {
            let unsent = lock(&self.pending).remove(&own);
            std::mem::drop(unsent);
        }
        Ok(sent?)
    }
}

/// Creates a client of a service.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_client_create(
    node: Option<&Node>,
    options: *const ServiceOptions,
    client: Option<&mut *mut Client>,
) -> Status {
    create(client, || {
        let node = given(node, "node")?;
        let (name, ty) = read_options(node, options)?;
        let inner = node.inner.generic_client(name, ty).map_err(node_failure(SALTUS_INVALID_SERVICE_NAME))?;
        Ok(Client {
            gate: Arc::default(),
            pending: Pending::default(),
            next_number: AtomicU64::new(1),
            name: Text::new(inner.service_name()),
            inner,
        })
    })
}

/// Closes a client. Its calls get no outcome any more. A callback that runs on another thread has returned when this function
/// returns.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_client_destroy(client: Option<Box<Client>>) {
    destroy(client);
}

/// Calls a service without waiting. `data` is the request: the 4 bytes of the encapsulation, then its fields in CDR. An executor
/// calls `call` with the outcome. Writes a number of the call to `number`, which may be NULL. `drop` is called even if this
/// function fails.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_client_call(
    client: Option<&Client>,
    data: *const u8,
    size: usize,
    call: ResponseFunction,
    context: *mut c_void,
    drop: DropFunction,
    number: Option<&mut u64>,
) -> Status {
    let context = CallbackContext::new(context, drop);
    run(|| {
        let callback = Closure::given(call, context, "the outcome")?;
        let request = pointers::array(data, size, "bytes")?;
        let copy = |bytes: &mut [u8]| {
            bytes.copy_from_slice(request);
            Ok(())
        };
        given(client, "client")?.start(request.len(), copy, callback, number)
    })
}

/// Calls a service as saltus_client_call() does. `write` writes the `size` bytes of the request in shared memory, once and before
/// this function returns.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_client_call_with(
    client: Option<&Client>,
    size: usize,
    write: WriteFunction,
    write_context: *const c_void,
    call: ResponseFunction,
    context: *mut c_void,
    drop: DropFunction,
    number: Option<&mut u64>,
) -> Status {
    let context = CallbackContext::new(context, drop);
    run(|| {
        let callback = Closure::given(call, context, "the outcome")?;
        let writer = Writer::given(write, write_context)?;
        given(client, "client")?.start(size, |bytes| writer.write(bytes), callback, number)
    })
}

/// Calls the callback of a call, unless the program has forgotten it.
fn finish(pending: &Pending, gate: &Gate, number: u64, outcome: Result<Sample, CallError>) {
    let callback = lock(pending).remove(&number);
    let Some(callback) = callback else { return };
    let next = gate.run(|| match outcome {
        Ok(sample) => {
            let mut response = Message::once(sample);
            (callback.call)(callback.context.pointer(), SALTUS_OK, Some(&mut response))
        }
        Err(error) => (callback.call)(callback.context.pointer(), Failure::from(error).report(), None),
    });
    obey(next.unwrap_or_default());
}

/// Forgets a call: its callback is not called any more. Returns whether it had no outcome yet.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_client_forget(client: Option<&Client>, number: u64) -> bool {
    value(false, || {
        client.is_some_and(|client| {
            let forgotten = lock(&client.pending).remove(&number);
            forgotten.is_some()
        })
    })
}

/// Calls a service, and waits for the response on this thread. It needs no executor, and may be used in a callback. A negative
/// timeout is none. Destroy the response with saltus_message_destroy().
#[unsafe(no_mangle)]
pub extern "C" fn saltus_client_call_and_wait(
    client: Option<&Client>,
    data: *const u8,
    size: usize,
    timeout: i64,
    response: Option<&mut *mut Message>,
) -> Status {
    create(response, || {
        let client = given(client, "client")?;
        let request = pointers::array(data, size, "bytes")?;
        let limit = wait::timeout(timeout).unwrap_or(std::time::Duration::MAX);
        Ok(Message::once(client.inner.call(request, limit)?))
    })
}

/// Calls a service as saltus_client_call_and_wait() does. `write` writes the `size` bytes of the request in shared memory, once.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_client_call_and_wait_with(
    client: Option<&Client>,
    size: usize,
    write: WriteFunction,
    write_context: *const c_void,
    timeout: i64,
    response: Option<&mut *mut Message>,
) -> Status {
    create(response, || {
        let client = given(client, "client")?;
        let writer = Writer::given(write, write_context)?;
        let limit = wait::timeout(timeout).unwrap_or(std::time::Duration::MAX);
        Ok(Message::once(client.inner.call_blocking(size, |bytes| writer.write(bytes), limit)?))
    })
}

/// Returns whether a server of the service is connected.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_client_is_ready(client: Option<&Client>) -> bool {
    value(false, || client.is_some_and(|client| client.inner.service_is_ready()))
}

/// Waits until a server of the service is connected. A negative timeout is none. Returns SALTUS_TIMEOUT if none is.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_client_wait(client: Option<&Client>, timeout: i64) -> Status {
    run(|| {
        let client = &given(client, "client")?.inner;
        wait::wait_for(
            client.node().context(),
            timeout,
            || client.service_is_ready(),
            || format!("expected a server of '{}'", client.service_name()),
        )
    })
}

/// Returns the full name of the service. It is valid as long as the client.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_client_name(client: Option<&Client>) -> *const c_char {
    client.map_or(c"".as_ptr(), |client| client.name.pointer())
}

/// Writes the gid of a client.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_client_gid(client: Option<&Client>, gid: Option<&mut Gid>) -> Status {
    run(|| {
        *place(gid, "gid")? = given(client, "client")?.inner.gid().into();
        Ok(())
    })
}
