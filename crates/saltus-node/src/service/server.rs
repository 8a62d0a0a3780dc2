//! Servers: requests handed to a callback, and responses sent at once or later.

use std::{
    fmt,
    marker::PhantomData,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use saltus_cdr::{Body, BuildError, Buildable, Cdr, CdrError, ENCAPSULATION, Publishable, Service, Target};
use saltus_host::{EndpointInfo, PublishError, RequestId, Sample, Waker};
use saltus_types::{Gid, QoS};

use super::{
    introspection::{Events, Introspection, ServiceEventType, ServiceIntrospection},
    kind::{GenericServiceType, with_spec},
};
use crate::{
    Arrival, CallbackGroup, Executed, LoanBuffer, Logger, Node, NodeError, Waitable, spec::Type, sync::lock,
};

impl Node {
    /// A server of a service, named as for [`Node::publisher`].
    pub fn service<S: Service>(&self, service: &str) -> ServerBuilder<S> {
        ServerBuilder::new(self, service)
    }

    /// A server of a type that is known only at run time; an executor calls back with each request.
    pub fn generic_service(
        &self,
        service: &str,
        ty: impl Into<GenericServiceType>,
        callback: impl FnMut(Sample, GenericResponder) + Send + 'static,
    ) -> Result<GenericServer, NodeError> {
        GenericServer::generic(self, service, &ty.into(), callback)
    }
}

/// Why a response did not go out.
#[derive(thiserror::Error)]
pub enum RespondError {
    /// It does not fit its type.
    #[error(transparent)]
    Value(#[from] CdrError),
    /// The client has gone.
    #[error("the client that asked has gone")]
    ClientGone,
    /// It could not be sent.
    #[error(transparent)]
    Send(PublishError),
}

saltus_types::debug_as_display!(RespondError);

impl From<PublishError> for RespondError {
    fn from(error: PublishError) -> Self {
        match error {
            PublishError::Unmatched => Self::ClientGone,
            error => Self::Send(error),
        }
    }
}

/// What is done with a request. It comes back if it was not given away, for the time that took to be noted.
type Serve = Box<dyn FnMut(Sample, GenericResponder) -> Option<Sample> + Send>;

/// What a server can tell of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerStatus {
    /// How many requests were received.
    pub received: u64,
    /// How many responses were sent; to requests that were let go of, too.
    pub sent: u64,
    /// How many clients can be answered.
    pub clients: usize,
}

/// What responders need of their server; it goes with the last of them.
struct Answers {
    responses: saltus_host::Publisher,
    introspection: Introspection,
}

struct Core {
    requests: saltus_host::Subscription,
    answers: Arc<Answers>,
    logger: Logger,
    /// Held, not used: a node lives as long as what was made of it, unless the node itself keeps that.
    _node: Option<Node>,
    callback: Mutex<Serve>,
    has_reported: AtomicBool,
    /// Held, not used: the group lives as long as what it runs.
    _group: CallbackGroup,
}

impl Waitable for Core {
    fn set_waker(&self, waker: Option<&Waker>) {
        self.requests.set_waker(waker);
    }

    fn execute(&self) -> Executed {
        let mut callback = lock(&self.callback);
        let Some(request) = self.requests.take() else { return Executed::Nothing };
        let arrival = Arrival::from(&request);
        let id = request.request_id();
        let introspection = &self.answers.introspection;
        introspection.tell(
            ServiceEventType::RequestReceived,
            id.client,
            id.sequence,
            introspection.note(&request),
        );
        let responder = GenericResponder { answers: self.answers.clone(), request: Some(id) };
        if let Some(request) = callback(request, responder) {
            request.callback_returned();
        }
        Executed::Ran(Some(arrival))
    }
}

impl Core {
    /// Counts a request that can't be read, and tells of the first.
    fn report(&self, client: Gid, cause: &CdrError) {
        self.requests.count_unreadable();
        if !self.has_reported.swap(true, Ordering::Relaxed) {
            let service = self.requests.info().name();
            crate::say_at!(
                self.logger,
                Error,
                ERROR,
                {},
                "service '{service}': a request of client {client} can't be read: {cause}"
            );
        }
    }
}

/// The way back to the client of one request, for a response of a type that is known only at run time.
///
/// May be kept, and used on any thread. Dropped without a response it tells the client so.
pub struct GenericResponder {
    answers: Arc<Answers>,
    /// There until it is answered.
    request: Option<RequestId>,
}

impl fmt::Debug for GenericResponder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenericResponder").field("request", &self.request).finish_non_exhaustive()
    }
}

impl GenericResponder {
    /// Sends a serialized response, encapsulation header included.
    pub fn send(self, response: &[u8]) -> Result<(), RespondError> {
        self.send_with(response.len(), |bytes| {
            bytes.copy_from_slice(response);
            Ok(())
        })
    }

    /// Sends a response of `len` bytes, encapsulation header included, that `write` writes in place.
    pub fn send_with(
        self,
        len: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), CdrError>,
    ) -> Result<(), RespondError> {
        let mut loan = self.answers.responses.loan(len)?;
        write(&mut loan[..len])?;
        self.send_loan(loan, len)
    }

    fn send_loan(mut self, loan: saltus_host::Loan, len: usize) -> Result<(), RespondError> {
        let Some(request) = self.request.take() else { return Ok(()) };
        let introspection = &self.answers.introspection;
        let noted = introspection.note(&loan[..len]);
        loan.respond(len, request)?;
        introspection.tell(ServiceEventType::ResponseSent, request.client, request.sequence, noted);
        Ok(())
    }

    /// The client that asked.
    pub fn client(&self) -> Gid {
        self.request.map(|request| request.client).unwrap_or_default()
    }
}

impl Drop for GenericResponder {
    fn drop(&mut self) {
        if self.request.is_some()
            && let Ok(loan) = self.answers.responses.loan(0)
        {
            let unanswered = Self { answers: self.answers.clone(), request: self.request.take() };
            // A client that has gone need not be told.
            let _ = unanswered.send_loan(loan, 0);
        }
    }
}

/// A request where it lies in shared memory. May be kept.
#[derive(Debug)]
pub struct Request<S> {
    sample: Sample,
    of: PhantomData<fn() -> S>,
}

impl<S: Service> Request<S> {
    /// The request in place.
    pub fn view(&self) -> Result<<S::Request as Cdr>::View<'_>, CdrError> {
        saltus_cdr::view::<S::Request>(&self.sample)
    }

    /// The request as a value of its own.
    pub fn value(&self) -> Result<S::Request, CdrError> {
        saltus_cdr::decode(&self.sample)
    }

    /// The client that asked.
    pub fn client(&self) -> Gid {
        self.sample.publisher()
    }

    /// The client's count of its requests, from 1.
    pub fn sequence(&self) -> u64 {
        self.sample.sequence()
    }
}

/// The way back to the client of one request.
///
/// May be kept, and used on any thread. Dropped without a response it tells the client so.
#[derive(Debug)]
pub struct Responder<S> {
    generic: GenericResponder,
    of: PhantomData<fn(S)>,
}

impl<S: Service> Responder<S> {
    /// Sends a response: it is written once, straight into shared memory.
    pub fn send(self, response: &S::Response) -> Result<(), RespondError> {
        let len = saltus_cdr::encoded_len(response);
        self.generic.send_with(len, |bytes| saltus_cdr::encode_into(response, bytes))
    }

    /// A builder that writes the response in place, into memory for `size` bytes of body (see the message's
    /// `size_hint`); `publish` on it sends the response.
    pub fn loan(
        self,
        size: usize,
    ) -> Result<<S::Response as Buildable>::Builder<LoanedResponse>, RespondError>
    where
        S::Response: Buildable,
    {
        let loan = self.generic.answers.responses.loan(ENCAPSULATION.len() + size)?;
        let body = Body::new(LoanBuffer::new(loan));
        Ok(<S::Response as Buildable>::build_in(LoanedResponse { body, responder: self.generic }))
    }

    /// The client that asked.
    pub fn client(&self) -> Gid {
        self.generic.client()
    }
}

/// The body of a response that is being built in shared memory.
#[derive(Debug)]
pub struct LoanedResponse {
    body: Body<LoanBuffer>,
    responder: GenericResponder,
}

impl Target for LoanedResponse {
    type Buffer = LoanBuffer;

    fn body(&mut self) -> &mut Body<LoanBuffer> {
        &mut self.body
    }
}

impl Publishable for LoanedResponse {
    type Output = Result<(), BuildError<RespondError>>;

    fn publish(self) -> Self::Output {
        let (buffer, used) = self.body.finish().map_err(|error| match error {
            BuildError::Value(error) => BuildError::Value(error),
            BuildError::Room(error) => BuildError::Room(error.into()),
            BuildError::Misaligned => BuildError::Misaligned,
        })?;
        let mut loan = buffer.into_loan();
        loan[..ENCAPSULATION.len()].copy_from_slice(&ENCAPSULATION);
        self.responder.send_loan(loan, ENCAPSULATION.len() + used).map_err(BuildError::Room)
    }
}

/// The serving end of a service whose type is known only at run time. Dropping it closes it.
pub struct GenericServer(Arc<Core>);

impl fmt::Debug for GenericServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GenericServer").field(self.0.requests.info()).finish()
    }
}

impl GenericServer {
    /// Opens a server of a type that is known only at run time; an executor calls back with each request.
    pub(crate) fn generic(
        node: &Node,
        service: &str,
        ty: &GenericServiceType,
        mut callback: impl FnMut(Sample, GenericResponder) + Send + 'static,
    ) -> Result<Self, NodeError> {
        let serve: Serve = Box::new(move |request, responder| {
            callback(request, responder);
            None
        });
        let group = node.default_callback_group().clone();
        let settings = Settings { qos: ty.qos, group, keeps_node: true };
        let introspection = ty.introspection(node, service);
        Self::open(node, service, &Type::Named(ty.ty.clone()), settings, introspection, |_| serve)
    }

    /// What it publishes of its calls on `<service>/_service_event` from now on, if the type of that is known.
    pub fn configure_introspection(&self, introspection: ServiceIntrospection) -> Result<(), NodeError> {
        self.0.answers.introspection.set(introspection)
    }

    /// Counts a request that can't be read, and tells of the first.
    pub fn report_unreadable(&self, client: Gid, cause: &CdrError) {
        self.0.report(client, cause);
    }

    fn open(
        node: &Node,
        service: &str,
        ty: &Type,
        settings: Settings,
        introspection: Introspection,
        serve: impl FnOnce(&std::sync::Weak<Core>) -> Serve,
    ) -> Result<Self, NodeError> {
        let Settings { qos, group, keeps_node } = settings;
        let open = |spec: &saltus_host::EndpointSpec<'_>| node.context().participant.server(spec);
        let (requests, responses) = with_spec(node, service, ty, qos, open)?;
        let core = Arc::new_cyclic(|core| Core {
            requests,
            answers: Arc::new(Answers { responses, introspection }),
            logger: node.logger(),
            _node: keeps_node.then(|| node.clone()),
            callback: Mutex::new(serve(core)),
            has_reported: AtomicBool::new(false),
            _group: group.clone(),
        });
        let as_waitable: Arc<dyn Waitable> = core.clone();
        group.add(Arc::downgrade(&as_waitable));
        Ok(Self(core))
    }

    /// Counts and states.
    pub fn status(&self) -> ServerStatus {
        let responses = self.0.answers.responses.status();
        let received = self.0.requests.status().received;
        ServerStatus { received, sent: responses.sent, clients: responses.matched }
    }

    /// The full name of the service.
    pub fn service_name(&self) -> &str {
        self.0.requests.info().name()
    }

    /// What the graph says of it.
    pub fn info(&self) -> &EndpointInfo {
        self.0.requests.info()
    }
}

struct Settings {
    qos: QoS,
    group: CallbackGroup,
    keeps_node: bool,
}

/// How a server is to be.
#[must_use = "nothing is served before `callback`, `view` or `deferred`"]
pub struct ServerBuilder<S> {
    node: Node,
    service: String,
    settings: Settings,
    introspection: ServiceIntrospection,
    of: PhantomData<fn() -> S>,
}

impl<S> fmt::Debug for ServerBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerBuilder").field("service", &self.service).finish_non_exhaustive()
    }
}

impl<S: Service> ServerBuilder<S> {
    pub(crate) fn new(node: &Node, service: &str) -> Self {
        let group = node.default_callback_group().clone();
        Self {
            node: node.clone(),
            service: service.into(),
            settings: Settings { qos: QoS::services_default(), group, keeps_node: true },
            introspection: ServiceIntrospection::Off,
            of: PhantomData,
        }
    }

    /// Its quality of service. The depth is a wish: at least a whole [`super::WINDOW`] is kept.
    pub fn qos(mut self, qos: impl Into<QoS>) -> Self {
        self.settings.qos = qos.into();
        self
    }

    /// It does not keep its node alive, and has no introspection: for servers that the node itself keeps.
    pub(crate) fn weakly(mut self) -> Self {
        self.settings.keeps_node = false;
        self
    }

    /// The callback group that it belongs to, instead of the node's default one.
    pub fn callback_group(mut self, group: &CallbackGroup) -> Self {
        self.settings.group = group.clone();
        self
    }

    /// What it publishes of its calls on `<service>/_service_event` from the start.
    pub fn introspection(mut self, introspection: ServiceIntrospection) -> Self {
        self.introspection = introspection;
        self
    }

    /// Opens it; an executor answers each request with what `callback` returns.
    pub fn callback(
        self,
        mut callback: impl FnMut(S::Request) -> S::Response + Send + 'static,
    ) -> Result<Server<S>, NodeError> {
        self.reading(move |request, responder| {
            let response = callback(saltus_cdr::decode(request)?);
            Ok(responder.send(&response))
        })
    }

    /// Opens it; an executor calls back with each request where it lies, and with the way to answer it.
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

    /// Opens it; an executor calls back with each request, which may be kept and answered later, from any
    /// thread. Whether it can be read shows when it is.
    pub fn deferred(
        self,
        mut callback: impl FnMut(Request<S>, Responder<S>) + Send + 'static,
    ) -> Result<Server<S>, NodeError> {
        self.open(move |_| {
            Box::new(move |sample, generic| {
                callback(Request { sample, of: PhantomData }, Responder { generic, of: PhantomData });
                None
            })
        })
    }

    /// Opens it; an executor calls back with each request as the bytes that it is. The request comes back if
    /// it was not given away.
    pub fn serialized(
        self,
        callback: impl FnMut(Sample, GenericResponder) -> Option<Sample> + Send + 'static,
    ) -> Result<Server<S>, NodeError> {
        self.open(move |_| Box::new(callback))
    }

    /// Opens it with a callback that is done with the request when it returns.
    fn reading(
        self,
        mut callback: impl FnMut(&Sample, Responder<S>) -> Result<Result<(), RespondError>, CdrError>
        + Send
        + 'static,
    ) -> Result<Server<S>, NodeError> {
        self.open(move |core| {
            let core = core.clone();
            Box::new(move |sample, generic| {
                let outcome = callback(&sample, Responder { generic, of: PhantomData });
                if let Some(core) = core.upgrade() {
                    match outcome {
                        Ok(Ok(())) | Ok(Err(RespondError::ClientGone)) => {}
                        Ok(Err(error)) => core.tell(&error),
                        Err(cause) => core.report(sample.publisher(), &cause),
                    }
                }
                Some(sample)
            })
        })
    }

    fn open(self, serve: impl FnOnce(&std::sync::Weak<Core>) -> Serve) -> Result<Server<S>, NodeError> {
        let introspection = match self.settings.keeps_node {
            true => Introspection::new(&self.node, &self.service, Events::of::<S>()),
            false => Introspection::default(),
        };
        introspection.set(self.introspection)?;
        let (node, ty) = (&self.node, &Type::Generated(S::TYPE));
        let generic = GenericServer::open(node, &self.service, ty, self.settings, introspection, serve)?;
        Ok(Server { generic, of: PhantomData })
    }
}

impl Core {
    /// Tells of a response that did not go out; the client is told that there is none.
    fn tell(&self, error: &RespondError) {
        let service = self.requests.info().name();
        crate::say_at!(self.logger, Error, ERROR, {}, "service '{service}': can't respond: {error}");
    }
}

/// The serving end of a service. Dropping it closes it; what it has not answered it never will.
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
    /// What it publishes of its calls on `<service>/_service_event` from now on.
    pub fn configure_introspection(&self, introspection: ServiceIntrospection) -> Result<(), NodeError> {
        self.generic.configure_introspection(introspection)
    }

    /// Counts and states.
    pub fn status(&self) -> ServerStatus {
        self.generic.status()
    }

    /// The full name of the service.
    pub fn service_name(&self) -> &str {
        self.generic.service_name()
    }

    /// What the graph says of it.
    pub fn info(&self) -> &EndpointInfo {
        self.generic.info()
    }
}
