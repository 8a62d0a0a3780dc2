//! Clients of services.

use std::{
    fmt,
    marker::PhantomData,
    sync::{Arc, Weak},
    time::Duration,
};

use saltus_cdr::{CdrError, Service};
use saltus_host::{EndpointInfo, Sample, WaitStrategy};
use saltus_types::{Gid, QoS};

use super::{
    call::{Call, GenericCall},
    call_state::{CallError, CallState},
    client_core::{ClientCore, ClientStatus, Slot},
    introspection::{Events, Introspection, ServiceIntrospection},
    kind::{GenericServiceType, with_spec},
};
use crate::{CallbackGroup, Node, NodeError, Waitable, spec::Type};

impl Node {
    /// Returns a builder for a client of a service. The name is expanded as in [`Node::publisher`].
    pub fn client<S: Service>(&self, service: &str) -> ClientBuilder<S> {
        ClientBuilder { options: ClientOptions::new(self, service), of: PhantomData }
    }

    /// Opens a client whose type is known only at run time.
    pub fn generic_client(
        &self,
        service: &str,
        ty: impl Into<GenericServiceType>,
    ) -> Result<GenericClient, NodeError> {
        GenericClient::generic(self, service, &ty.into())
    }
}

/// A client of a service whose type is known only at run time. Its requests and responses are serialized.
///
/// May be used from any thread. Cheap to clone.
#[derive(Clone, Debug)]
pub struct GenericClient(Arc<ClientCore>);

impl GenericClient {
    /// Opens a client whose type is known only at run time.
    pub(crate) fn generic(node: &Node, service: &str, ty: &GenericServiceType) -> Result<Self, NodeError> {
        let settings = Settings { qos: ty.qos, strategy: WaitStrategy::default(), group: ty.group_of(node) };
        Self::open(node, service, &Type::Named(ty.ty.clone()), settings, ty.introspection(node, service))
    }

    /// Sets what the client publishes about its calls, on `<service>/_service_event`. Has no effect if the type of the
    /// events is not known.
    pub fn configure_introspection(&self, introspection: ServiceIntrospection) -> Result<(), NodeError> {
        self.0.introspection.set(introspection)
    }

    fn open(
        node: &Node,
        service: &str,
        ty: &Type,
        settings: Settings,
        introspection: Introspection,
    ) -> Result<Self, NodeError> {
        let Settings { qos, strategy, group } = settings;
        let open = |spec: &saltus_host::EndpointSpec<'_>| node.context().participant.client(spec);
        let ends = with_spec(node, service, ty, qos, open)?;
        let core = Arc::new(ClientCore::new(node, ends, strategy, introspection, group.clone()));
        let as_waitable: Arc<dyn Waitable> = core.clone();
        let weak: Weak<dyn Waitable> = Arc::downgrade(&as_waitable);
        group.add(weak);
        Ok(Self(core))
    }

    /// Sends a request of `len` bytes, including the encapsulation header. `write` writes it in place in shared memory.
    pub fn call_with(
        &self,
        len: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), CdrError>,
    ) -> Result<GenericCall, CallError> {
        let call = self.begin_blocking(len, write)?;
        self.0.target_executor();
        Ok(call)
    }

    /// Sends a request like [`GenericClient::call_with`]. An executor that spins the client's node calls `callback`
    /// with the response or the error.
    pub fn call_then(
        &self,
        len: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), CdrError>,
        callback: impl FnOnce(Result<Sample, CallError>) + Send + 'static,
    ) -> Result<(), CallError> {
        self.0.send(len, write, Slot::Callback(Box::new(callback)))?;
        self.0.target_executor();
        Ok(())
    }

    /// Sends a serialized request. Waits for the response on the calling thread, for at most `timeout`. May be called
    /// in a callback too.
    pub fn call(&self, request: &[u8], timeout: Duration) -> Result<Sample, CallError> {
        let copy = |bytes: &mut [u8]| {
            bytes.copy_from_slice(request);
            Ok(())
        };
        self.call_blocking(request.len(), copy, timeout)
    }

    /// Sends a request of `len` bytes, including the encapsulation header. `write` writes it in place. Waits for the
    /// response on the calling thread, for at most `timeout`. The response does not wake the executor, unless another
    /// call needs it.
    pub fn call_blocking(
        &self,
        len: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), CdrError>,
        timeout: Duration,
    ) -> Result<Sample, CallError> {
        self.begin_blocking(len, write)?.wait(timeout)
    }

    /// Sends a request like [`GenericClient::call_blocking`], without waiting. This is for a thread that waits for the
    /// response in several steps. The response does not wake the executor.
    pub fn begin_blocking(
        &self,
        len: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), CdrError>,
    ) -> Result<GenericCall, CallError> {
        let state = Arc::new(CallState::new());
        self.0.send(len, write, Slot::State(state.clone()))?;
        Ok(GenericCall::new(self.0.clone(), state))
    }

    /// Waits until a server is connected, for at most `timeout`. Returns whether a server is connected.
    pub fn wait_for_service(&self, timeout: Duration) -> bool {
        self.0.node.context().wait_until(timeout, || self.service_is_ready())
    }

    /// Whether a server is connected.
    pub fn service_is_ready(&self) -> bool {
        self.0.requests.status().matched > 0
    }

    /// Returns the counters of the client.
    pub fn status(&self) -> ClientStatus {
        self.0.status()
    }

    /// Returns the full name of the service.
    pub fn service_name(&self) -> &str {
        self.0.name()
    }

    /// Returns the gid of the client. Its requests contain this gid.
    pub fn gid(&self) -> Gid {
        self.0.requests.info().gid
    }

    /// Returns the information about the client in the graph.
    pub fn info(&self) -> &EndpointInfo {
        self.0.requests.info()
    }

    /// Returns the node that the client belongs to.
    pub fn node(&self) -> &Node {
        &self.0.node
    }
}

struct Settings {
    qos: QoS,
    strategy: WaitStrategy,
    group: CallbackGroup,
}

/// The options of a client. They do not depend on the service, so the code that opens a client is compiled once.
struct ClientOptions {
    node: Node,
    service: String,
    settings: Settings,
    introspection: ServiceIntrospection,
}

impl ClientOptions {
    fn new(node: &Node, service: &str) -> Self {
        let group = node.default_callback_group().clone();
        Self {
            node: node.clone(),
            service: service.into(),
            settings: Settings { qos: QoS::services_default(), strategy: WaitStrategy::default(), group },
            introspection: ServiceIntrospection::Off,
        }
    }

    fn open(self, ty: &Type, events: Events) -> Result<GenericClient, NodeError> {
        let introspection = Introspection::new(&self.node, &self.service, events);
        introspection.set(self.introspection)?;
        GenericClient::open(&self.node, &self.service, ty, self.settings, introspection)
    }
}

/// A builder for clients.
#[must_use = "nothing can be called before `create`"]
pub struct ClientBuilder<S> {
    options: ClientOptions,
    of: PhantomData<fn() -> S>,
}

impl<S> fmt::Debug for ClientBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder").field("service", &self.options.service).finish_non_exhaustive()
    }
}

impl<S: Service> ClientBuilder<S> {
    /// Sets the quality of service. A depth below [`super::MAX_REQUESTS_IN_FLIGHT`] is raised to [`super::MAX_REQUESTS_IN_FLIGHT`].
    pub fn qos(mut self, qos: impl Into<QoS>) -> Self {
        self.options.settings.qos = qos.into();
        self
    }

    /// Sets how a thread waits in a blocking call.
    pub fn strategy(mut self, strategy: WaitStrategy) -> Self {
        self.options.settings.strategy = strategy;
        self
    }

    /// Sets the callback group of the client's callbacks. The default is the node's default group.
    pub fn callback_group(mut self, group: &CallbackGroup) -> Self {
        self.options.settings.group = group.clone();
        self
    }

    /// Sets what the client publishes about its calls, on `<service>/_service_event`. The default is nothing.
    pub fn introspection(mut self, introspection: ServiceIntrospection) -> Self {
        self.options.introspection = introspection;
        self
    }

    /// Opens the client.
    pub fn create(self) -> Result<Client<S>, NodeError> {
        let generic = self.options.open(&Type::Generated(S::TYPE), Events::of::<S>())?;
        Ok(Client { generic, of: PhantomData })
    }
}

/// A client of a service.
///
/// May be used from any thread. Cheap to clone.
///
/// ```no_run
/// use saltus::msgs::example_interfaces::srv::{AddTwoInts, AddTwoInts_Request};
/// use std::time::Duration;
/// let context = saltus::Context::new()?;
/// let node = context.node("adder").create()?;
/// let client = node.client::<AddTwoInts>("add_two_ints").create()?;
/// if client.wait_for_service(Duration::from_secs(1)) {
///     let response = client.call(&AddTwoInts_Request { a: 2, b: 40 }, Duration::from_secs(1))?;
///     assert_eq!(response.sum, 42);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Client<S> {
    generic: GenericClient,
    of: PhantomData<fn() -> S>,
}

impl<S> Clone for Client<S> {
    fn clone(&self) -> Self {
        Self { generic: self.generic.clone(), of: PhantomData }
    }
}

impl<S> fmt::Debug for Client<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.generic.fmt(f)
    }
}

impl<S: Service> Client<S> {
    /// Sends a request. Waits for the response on the calling thread, for at most `timeout`. May be called in a
    /// callback too.
    ///
    /// # Errors
    /// Returns an error at once if there is no server, if the last server goes before it answers, or if the server
    /// drops the request. See [`CallError`] for all errors.
    pub fn call(&self, request: &S::Request, timeout: Duration) -> Result<S::Response, CallError> {
        self.call_in_place(request, timeout)?.value()
    }

    /// Sends a request like [`Client::call`]. Returns the response in place in shared memory.
    pub fn call_in_place(
        &self,
        request: &S::Request,
        timeout: Duration,
    ) -> Result<super::call::Reply<S>, CallError> {
        let state = Arc::new(CallState::new());
        let core = &self.generic.0;
        let len = saltus_cdr::encoded_len(request);
        core.send(len, |bytes| saltus_cdr::encode_into(request, bytes), Slot::State(state.clone()))?;
        Call::new(GenericCall::new(core.clone(), state)).in_place().wait(timeout)
    }

    /// Sends a request without waiting. Returns the call, which is a future. A thread can also wait for it.
    pub fn call_async(&self, request: &S::Request) -> Result<Call<S>, CallError> {
        let len = saltus_cdr::encoded_len(request);
        let call = self.generic.call_with(len, |bytes| saltus_cdr::encode_into(request, bytes))?;
        Ok(Call::new(call))
    }

    /// Sends a request without waiting. An executor that spins the client's node calls `callback` with the response or
    /// the error.
    pub fn call_then(
        &self,
        request: &S::Request,
        callback: impl FnOnce(Result<S::Response, CallError>) + Send + 'static,
    ) -> Result<(), CallError> {
        let len = saltus_cdr::encoded_len(request);
        let core = Arc::downgrade(&self.generic.0);
        let decoded = move |sample: Result<Sample, CallError>| {
            let sample = sample?;
            saltus_cdr::decode(&sample).map_err(|cause| match core.upgrade() {
                Some(core) => core.unreadable(cause),
                None => CallError::Value { service: String::new(), cause },
            })
        };
        self.generic.call_then(
            len,
            |bytes| saltus_cdr::encode_into(request, bytes),
            move |sample| callback(decoded(sample)),
        )
    }

    /// Returns the generic client that this client wraps.
    pub fn generic(&self) -> &GenericClient {
        &self.generic
    }

    /// Waits until a server is connected, for at most `timeout`. Returns whether a server is connected.
    pub fn wait_for_service(&self, timeout: Duration) -> bool {
        self.generic.wait_for_service(timeout)
    }

    /// Whether a server is connected.
    pub fn service_is_ready(&self) -> bool {
        self.generic.service_is_ready()
    }

    /// Sets what the client publishes about its calls, on `<service>/_service_event`.
    pub fn configure_introspection(&self, introspection: ServiceIntrospection) -> Result<(), NodeError> {
        self.generic.configure_introspection(introspection)
    }

    /// Returns the counters of the client.
    pub fn status(&self) -> ClientStatus {
        self.generic.status()
    }

    /// Returns the full name of the service.
    pub fn service_name(&self) -> &str {
        self.generic.service_name()
    }

    /// Returns the information about the client in the graph.
    pub fn info(&self) -> &EndpointInfo {
        self.generic.info()
    }
}
