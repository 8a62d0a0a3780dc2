//! Services: servers, and responders, which answer requests.

use std::{
    ffi::{c_char, c_void},
    sync::Arc,
};

use saltus::{
    QoS,
    generic::{GenericResponder, GenericServer, GenericServiceType},
};

use crate::{
    callbacks::{CallbackContext, Closure, DropFunction, Gated, Next, WriteFunction, Writer, obey},
    gate::Gate,
    gid::Gid,
    group::Group,
    message::Message,
    node::Node,
    pointers::{self, Options},
    publisher::{Type, read_type},
    qos::{self, Qos},
    status::{
        Failure, SALTUS_INVALID_SERVICE_NAME, Status, create, destroy, given, node_failure, place, run, value,
    },
    text::Text,
};

/// The options of a service or a client.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ServiceOptions {
    /// The size of this struct. saltus_service_options_init() sets it.
    pub struct_size: usize,
    /// The name of the service, as the node calls it.
    pub service: *const c_char,
    /// The type of the service, such as "example_interfaces/srv/AddTwoInts".
    pub r#type: *const Type,
    /// The quality of service. NULL is the default of services.
    pub qos: *const Qos,
    /// The callback group of the callbacks. NULL is the default group of the node.
    pub group: *const Group,
}

// SAFETY: it is `repr(C)`, begins with its size, and has only numbers and pointers.
unsafe impl Options for ServiceOptions {
    const NAME: &str = "saltus_service_options_t";

    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            service: std::ptr::null(),
            r#type: std::ptr::null(),
            qos: std::ptr::null(),
            group: std::ptr::null(),
        }
    }
}

/// Sets options to their defaults. Pass sizeof(saltus_service_options_t).
#[unsafe(no_mangle)]
pub extern "C" fn saltus_service_options_init(options: *mut ServiceOptions, struct_size: usize) {
    pointers::write_defaults(options, struct_size);
}

/// Returns the name and the type of a service or client.
pub(crate) fn read_options<'a>(
    node: &Node,
    options: *const ServiceOptions,
) -> Result<(&'a str, GenericServiceType), Failure> {
    let options = pointers::options(options)?;
    let service = pointers::text(options.service, "name of a service")?;
    let group = pointers::array(options.group, usize::from(!options.group.is_null()), "groups")?;
    let ty = GenericServiceType::from(&read_type(options.r#type)?)
        .qos(qos::read(options.qos, QoS::services_default())?)
        .callback_group(&node.group(group.first()));
    Ok((service, ty))
}

/// Sends the response to a request. If it is destroyed before, the client gets the error SALTUS_NOT_ANSWERED.
#[derive(Debug)]
pub struct Responder(GenericResponder);

/// Called with each request, and the responder for it, which the function takes over. It may answer later, on any thread. The
/// request is valid until the function returns, unless the function keeps it.
pub type RequestFunction =
    Option<extern "C" fn(context: *mut c_void, request: &mut Message, responder: *mut Responder) -> Next>;

/// A server of a service.
#[derive(Debug)]
pub struct Service {
    inner: Gated<GenericServer>,
    name: Text,
}

/// Offers a service. An executor calls `call` with each request. `drop` is called even if this function fails.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_service_create(
    node: Option<&Node>,
    options: *const ServiceOptions,
    call: RequestFunction,
    context: *mut c_void,
    drop: DropFunction,
    service: Option<&mut *mut Service>,
) -> Status {
    let context = CallbackContext::new(context, drop);
    create(service, || {
        let callback = Closure::given(call, context, "requests")?;
        let node = given(node, "node")?;
        let (name, ty) = read_options(node, options)?;
        let gate = Arc::<Gate>::default();
        let entered = gate.clone();
        let serve = move |request, responder| {
            let mut request = Message::once(request);
            let next = entered.run(|| {
                let responder = Box::into_raw(Box::new(Responder(responder)));
                (callback.call)(callback.context.pointer(), &mut request, responder)
            });
            obey(next.unwrap_or_default());
        };
        let server = node.inner.generic_service(name, ty, serve);
        let server = server.map_err(node_failure(SALTUS_INVALID_SERVICE_NAME))?;
        Ok(Service { name: Text::new(server.service_name()), inner: Gated::new(gate, server) })
    })
}

/// Closes a service. A callback that runs on another thread has returned when this function returns.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_service_destroy(service: Option<Box<Service>>) {
    destroy(service);
}

/// Returns the full name of the service. It is valid as long as the service.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_service_name(service: Option<&Service>) -> *const c_char {
    service.map_or(c"".as_ptr(), |service| service.name.pointer())
}

/// Returns how many clients are connected.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_service_client_count(service: Option<&Service>) -> usize {
    value(0, || service.map_or(0, |service| service.inner.status().clients))
}

/// Sends a response: the 4 bytes of the encapsulation, then its fields in CDR. It ends the responder in any case.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_responder_send(
    responder: Option<Box<Responder>>,
    data: *const u8,
    size: usize,
) -> Status {
    run(|| {
        let responder = responder.ok_or_else(|| Failure::argument("expected a responder, found NULL"))?;
        Ok(responder.0.send(pointers::array(data, size, "bytes")?)?)
    })
}

/// Sends a response as saltus_responder_send() does. `write` writes its `size` bytes in shared memory, once and before this function
/// returns.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_responder_send_with(
    responder: Option<Box<Responder>>,
    size: usize,
    write: WriteFunction,
    write_context: *const c_void,
) -> Status {
    run(|| {
        let responder = responder.ok_or_else(|| Failure::argument("expected a responder, found NULL"))?;
        let writer = Writer::given(write, write_context)?;
        Ok(responder.0.send_with(size, |bytes| writer.write(bytes))?)
    })
}

/// Writes the gid of the client that sent the request, and the number that the client gave the request.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_responder_request(
    responder: Option<&Responder>,
    client: Option<&mut Gid>,
    sequence: Option<&mut u64>,
) -> Status {
    run(|| {
        let responder = given(responder, "responder")?;
        *place(client, "gid")? = responder.0.client().into();
        *place(sequence, "number")? = responder.0.sequence();
        Ok(())
    })
}

/// Drops a request without an answer.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_responder_destroy(responder: Option<Box<Responder>>) {
    destroy(responder);
}
