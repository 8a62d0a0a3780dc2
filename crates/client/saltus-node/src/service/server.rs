//! Servers: they pass requests to a callback, which sends the response at once or later.

use std::{
    fmt,
    marker::PhantomData,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

use saltus_cdr::{Cdr, CdrError, Service};
use saltus_host::{EndpointInfo, Sample, Waker};
use saltus_types::{Gid, QoS, lock};

use super::{
    introspection::{Events, Introspection, ServiceEventType, ServiceIntrospection},
    kind::{GenericServiceType, with_spec},
    responder::{GenericResponder, Request, RespondError, Responder, Responses},
};
use crate::{
    Arrival, CallbackGroup, Executed, Logger, Node, NodeError, Waitable, callback::Callback, spec::Type,
};

impl Node {
    /// Returns a builder for a server of a service. The name is expanded as in [`Node::publisher`].
    pub fn service<S: Service>(&self, service: &str) -> ServerBuilder<S> {
        ServerBuilder { options: ServerOptions::new(self, service), of: PhantomData }
    }

    /// Opens a server whose type is known only at run time. An executor calls `callback` with each request.
    pub fn generic_service(
        &self,
        service: &str,
        ty: impl Into<GenericServiceType>,
        callback: impl FnMut(Sample, GenericResponder) + Send + 'static,
    ) -> Result<GenericServer, NodeError> {
        GenericServer::generic(self, service, &ty.into(), callback)
    }
}

/// A callback for requests. It returns the request if it did not keep it, so that [`Sample::callback_returned`] can be
/// called.
type OnRequest = Callback<OnRequestExclusive, OnRequestReentrant>;
type OnRequestExclusive = dyn FnMut(Sample, GenericResponder) -> Option<Sample> + Send;
type OnRequestReentrant = dyn Fn(Sample, GenericResponder) -> Option<Sample> + Send + Sync;

/// A function that creates the callback of a server. It is boxed, so that servers are opened by the same code.
type CreateOnRequest = dyn FnOnce(&Weak<ServerCore>) -> OnRequest;

/// The result of handling a request. The outer error is why the request can't be read, and the inner error is why the
/// response was not sent.
type Outcome = Result<Result<(), RespondError>, CdrError>;

/// The counters of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerStatus {
    /// The number of requests that were received.
    pub received: u64,
    /// The number of responses that were sent. This includes the empty responses to requests that were dropped.
    pub sent: u64,
    /// The number of connected clients.
    pub clients: usize,
}

struct ServerCore {
    requests: saltus_host::Subscription,
    responses: Arc<Responses>,
    logger: Logger,
    /// Keeps the node alive. `None` if the node itself owns the server, because that would be a reference cycle.
    _node: Option<Node>,
    callback: OnRequest,
    /// Whether an unreadable request was logged already.
    has_reported: AtomicBool,
    /// Keeps the callback group alive.
    _group: CallbackGroup,
}

impl Waitable for ServerCore {
    fn is_server(&self) -> bool {
        true
    }

    fn set_waker(&self, waker: Option<&Waker>) {
        self.requests.set_waker(waker);
    }

    fn is_reentrant(&self) -> bool {
        self.callback.is_reentrant()
    }

    fn has_more(&self) -> bool {
        self.requests.has_message()
    }

    fn execute(&self) -> Executed {
        match &self.callback {
            Callback::Exclusive(callback) => self.serve(&mut **lock(callback)),
            Callback::Reentrant(callback) => self.serve(callback),
        }
    }
}

impl ServerCore {
    /// Takes the next request, and calls `callback` with it.
    fn serve(&self, callback: impl FnOnce(Sample, GenericResponder) -> Option<Sample>) -> Executed {
        let Some(request) = self.requests.take() else { return Executed::Nothing };
        let arrival = Arrival::from(&request);
        let id = request.request_id();
        let introspection = &self.responses.introspection;
        introspection.publish(
            ServiceEventType::RequestReceived,
            id.client,
            id.sequence,
            introspection.contents_of(&request),
        );
        let responder = GenericResponder { responses: self.responses.clone(), request: Some(id) };
        if let Some(request) = callback(request, responder) {
            request.callback_returned();
        }
        Executed::Ran(Some(arrival))
    }

    /// Logs a request that can't be read, or a response that could not be sent.
    fn report_failure(&self, client: Gid, outcome: Outcome) {
        match outcome {
            Ok(Ok(()) | Err(RespondError::ClientGone)) => {}
            Ok(Err(error)) => self.report_unsent(&error),
            Err(cause) => self.report_unreadable(client, &cause),
        }
    }

    /// Counts a request that can't be read, and logs the first one.
    fn report_unreadable(&self, client: Gid, cause: &CdrError) {
        self.requests.count_unreadable();
        if !self.has_reported.swap(true, Ordering::Relaxed) {
            let service = self.requests.info().name();
            crate::log_at!(
                self.logger,
                Error,
                ERROR,
                {},
                "service '{service}': a request of client {client} can't be read: {cause}"
            );
        }
    }
}

/// A server of a service whose type is known only at run time. Dropping it closes the server.
#[must_use = "dropping it ends the service; keep it in a variable, because `let _ =` drops it at once"]
pub struct GenericServer(Arc<ServerCore>);

impl fmt::Debug for GenericServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GenericServer").field(self.0.requests.info()).finish()
    }
}

impl GenericServer {
    /// Opens a server whose type is known only at run time. An executor calls `callback` with each request.
    pub(crate) fn generic(
        node: &Node,
        service: &str,
        ty: &GenericServiceType,
        mut callback: impl FnMut(Sample, GenericResponder) + Send + 'static,
    ) -> Result<Self, NodeError> {
        let serve: Box<OnRequestExclusive> = Box::new(move |request, responder| {
            callback(request, responder);
            None
        });
        let settings = Settings { qos: ty.qos, group: ty.group_of(node), keeps_node: true };
        let introspection = ty.introspection(node, service);
        let serve = Box::new(|_: &_| Callback::exclusive(serve));
        Self::open(node, service, &Type::Named(ty.ty.clone()), settings, introspection, serve)
    }

    /// Sets what the server publishes about its calls, on `<service>/_service_event`. Has no effect if the type of the
    /// events is not known.
    pub fn configure_introspection(&self, introspection: ServiceIntrospection) -> Result<(), NodeError> {
        self.0.responses.introspection.set(introspection)
    }

    /// Counts a request that can't be read, and logs the first one.
    pub fn report_unreadable(&self, client: Gid, cause: &CdrError) {
        self.0.report_unreadable(client, cause);
    }

    fn open(
        node: &Node,
        service: &str,
        ty: &Type,
        settings: Settings,
        introspection: Introspection,
        serve: Box<CreateOnRequest>,
    ) -> Result<Self, NodeError> {
        let Settings { qos, group, keeps_node } = settings;
        let open = |spec: &saltus_host::EndpointSpec<'_>| node.context().participant.server(spec);
        let (requests, responses) = with_spec(node, service, ty, qos, open)?;
        let core = Arc::new_cyclic(|core| ServerCore {
            requests,
            responses: Arc::new(Responses { publisher: responses, introspection }),
            logger: node.logger(),
            _node: keeps_node.then(|| node.clone()),
            callback: serve(core),
            has_reported: AtomicBool::new(false),
            _group: group.clone(),
        });
        let as_waitable: Arc<dyn Waitable> = core.clone();
        group.add(Arc::downgrade(&as_waitable));
        Ok(Self(core))
    }

    /// Returns the counters of the server.
    pub fn status(&self) -> ServerStatus {
        let responses = self.0.responses.publisher.status();
        let received = self.0.requests.status().received;
        ServerStatus { received, sent: responses.sent, clients: responses.matched }
    }

    /// Returns the full name of the service.
    pub fn service_name(&self) -> &str {
        self.0.requests.info().name()
    }

    /// Returns the information about the server in the graph.
    pub fn info(&self) -> &EndpointInfo {
        self.0.requests.info()
    }
}

struct Settings {
    qos: QoS,
    group: CallbackGroup,
    keeps_node: bool,
}

/// The options of a server. They do not depend on the service, so the code that opens a server is compiled once.
struct ServerOptions {
    node: Node,
    service: String,
    settings: Settings,
    introspection: ServiceIntrospection,
}

impl ServerOptions {
    fn new(node: &Node, service: &str) -> Self {
        let group = node.default_callback_group().clone();
        Self {
            node: node.clone(),
            service: service.into(),
            settings: Settings { qos: QoS::services_default(), group, keeps_node: true },
            introspection: ServiceIntrospection::Off,
        }
    }

    fn open(
        self,
        ty: &Type,
        events: Events,
        serve: Box<CreateOnRequest>,
    ) -> Result<GenericServer, NodeError> {
        let introspection = match self.settings.keeps_node {
            true => Introspection::new(&self.node, &self.service, events),
            false => Introspection::default(),
        };
        introspection.set(self.introspection)?;
        GenericServer::open(&self.node, &self.service, ty, self.settings, introspection, serve)
    }
}

/// A builder for servers.
#[must_use = "nothing is served before `callback`, `view` or `deferred`"]
pub struct ServerBuilder<S> {
    options: ServerOptions,
    of: PhantomData<fn() -> S>,
}

impl<S> fmt::Debug for ServerBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerBuilder").field("service", &self.options.service).finish_non_exhaustive()
    }
}

impl<S: Service> ServerBuilder<S> {
    /// Sets the quality of service. A depth below [`super::MAX_REQUESTS_IN_FLIGHT`] is raised to [`super::MAX_REQUESTS_IN_FLIGHT`].
    pub fn qos(mut self, qos: impl Into<QoS>) -> Self {
        self.options.settings.qos = qos.into();
        self
    }

    /// Makes the server not keep its node alive. This is for servers that the node itself owns. They have no
    /// introspection.
    pub(crate) fn weakly(mut self) -> Self {
        self.options.settings.keeps_node = false;
        self
    }

    /// Sets the callback group of the callback. The default is the node's default group.
    pub fn callback_group(mut self, group: &CallbackGroup) -> Self {
        self.options.settings.group = group.clone();
        self
    }

    /// Sets what the server publishes about its calls, on `<service>/_service_event`. The default is nothing.
    pub fn introspection(mut self, introspection: ServiceIntrospection) -> Self {
        self.options.introspection = introspection;
        self
    }

    /// Opens the server. An executor calls `callback` with each request and sends the response that it returns.
    pub fn callback(
        self,
        mut callback: impl FnMut(S::Request) -> S::Response + Send + 'static,
    ) -> Result<Server<S>, NodeError> {
        self.reading(move |request, responder| {
            let response = callback(saltus_cdr::decode(request)?);
            Ok(responder.send(&response))
        })
    }

    /// Opens the server like [`ServerBuilder::callback`]. If the server is in a re-entrant group, several threads may
    /// run the callback at the same time.
    pub fn reentrant_callback(
        self,
        callback: impl Fn(S::Request) -> S::Response + Send + Sync + 'static,
    ) -> Result<Server<S>, NodeError> {
        self.open(move |core| {
            let core = core.clone();
            Callback::Reentrant(Box::new(move |sample, generic| {
                let answer = |request| Responder::<S>::new(generic).send(&callback(request));
                report_failure(&core, &sample, saltus_cdr::decode(&sample).map(answer));
                Some(sample)
            }))
        })
    }

    /// Opens the server. An executor calls `callback` with a view of each request, in place in shared memory, and with
    /// the responder.
    pub fn view(
        self,
        mut callback: impl for<'a> FnMut(<S::Request as Cdr>::View<'a>, Responder<S>) -> Result<(), RespondError>
        + Send
        + 'static,
    ) -> Result<Server<S>, NodeError> {
        self.reading(move |request, responder| {
            Ok(callback(saltus_cdr::view::<S::Request>(request)?, responder))
        })
    }

    /// Opens the server. An executor calls `callback` with each request and its responder. The callback may keep both,
    /// and send the response later from any thread. The request is checked only when it is read.
    pub fn deferred(
        self,
        mut callback: impl FnMut(Request<S>, Responder<S>) + Send + 'static,
    ) -> Result<Server<S>, NodeError> {
        self.serialized(move |sample, generic| {
            callback(Request::new(sample), Responder::new(generic));
            None
        })
    }

    /// Opens the server. An executor calls `callback` with each request, as serialized bytes. The callback returns the
    /// request if it does not keep it.
    pub fn serialized(
        self,
        callback: impl FnMut(Sample, GenericResponder) -> Option<Sample> + Send + 'static,
    ) -> Result<Server<S>, NodeError> {
        self.open(move |_| Callback::exclusive(Box::new(callback)))
    }

    /// Opens the server with a callback that does not keep the request.
    fn reading(
        self,
        mut callback: impl FnMut(&Sample, Responder<S>) -> Outcome + Send + 'static,
    ) -> Result<Server<S>, NodeError> {
        self.open(move |core| {
            let core = core.clone();
            Callback::exclusive(Box::new(move |sample, generic| {
                let outcome = callback(&sample, Responder::new(generic));
                report_failure(&core, &sample, outcome);
                Some(sample)
            }))
        })
    }

    fn open(
        self,
        serve: impl FnOnce(&Weak<ServerCore>) -> OnRequest + 'static,
    ) -> Result<Server<S>, NodeError> {
        let generic = self.options.open(&Type::Generated(S::TYPE), Events::of::<S>(), Box::new(serve))?;
        Ok(Server { generic, of: PhantomData })
    }
}

/// Calls [`ServerCore::report_failure`], unless the server is closed.
fn report_failure(core: &Weak<ServerCore>, request: &Sample, outcome: Outcome) {
    if let Some(core) = core.upgrade() {
        core.report_failure(request.publisher(), outcome);
    }
}

impl ServerCore {
    /// Logs a response that could not be sent. The dropped responder notifies the client.
    fn report_unsent(&self, error: &RespondError) {
        let service = self.requests.info().name();
        crate::log_at!(self.logger, Error, ERROR, {}, "service '{service}': can't respond: {error}");
    }
}

/// A server of a service. Dropping it closes the server. Requests that still wait in its queue are not answered.
///
/// ```
/// use saltus::{Context, Server, msgs::example_interfaces::srv::{AddTwoInts, AddTwoInts_Response}};
/// let context = Context::new()?;
/// let node = context.node("adder").create()?;
/// let server: Server<AddTwoInts> = node
///     .service::<AddTwoInts>("doc_add_two_ints")
///     .callback(|request| AddTwoInts_Response { sum: request.a + request.b })?;
/// assert_eq!(server.service_name(), "/doc_add_two_ints");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "dropping it ends the service; keep it in a variable, because `let _ =` drops it at once"]
pub struct Server<S> {
    generic: GenericServer,
    of: PhantomData<fn() -> S>,
}

impl<S> fmt::Debug for Server<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.generic.fmt(f)
    }
}

impl<S: Service> Server<S> {
    /// Sets what the server publishes about its calls, on `<service>/_service_event`.
    pub fn configure_introspection(&self, introspection: ServiceIntrospection) -> Result<(), NodeError> {
        self.generic.configure_introspection(introspection)
    }

    /// Returns the counters of the server.
    pub fn status(&self) -> ServerStatus {
        self.generic.status()
    }

    /// Returns the full name of the service.
    pub fn service_name(&self) -> &str {
        self.generic.service_name()
    }

    /// Returns the information about the server in the graph.
    pub fn info(&self) -> &EndpointInfo {
        self.generic.info()
    }
}
