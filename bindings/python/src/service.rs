//! Servers and clients.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use pyo3::{exceptions::PyTypeError, prelude::*};
use saltus::{
    advanced::EventEncoder,
    cdr::{CdrError, encode},
    generic::{GenericClient, GenericResponder, GenericServer, GenericServiceType},
    service::{CallError, ServiceIntrospection},
    topic::Sample,
    types::lock,
};
use saltus_dynamic::{Value, decode, encode as encode_value};

use crate::{
    context::{SLICE, wait_for},
    errors,
    message::{Arrays, Encoded, Message, Received, Source, Support},
    ready::{Inbox, register},
};

/// Returns the encoder for the events of a service whose types are known at run time. An event consists of the info, at
/// most one request and at most one response.
pub(crate) fn event_encoder(
    event: &Arc<Support>,
    request: &Arc<Support>,
    response: &Arc<Support>,
) -> EventEncoder {
    let (event, request, response) = (event.clone(), request.clone(), response.clone());
    Arc::new(move |info, asked, answered| {
        let info_schema = event.schema.fields().first().and_then(|field| field.ty.message());
        let info = info_schema.map(|schema| decode(&schema, &encode(info)?)).transpose()?;
        let at_most_one = |support: &Support, bytes: Option<&[u8]>| -> Result<Value, CdrError> {
            let value = bytes.map(|bytes| decode(&support.schema, bytes)).transpose()?;
            Ok(Value::List(value.into_iter().collect()))
        };
        let fields = vec![
            info.unwrap_or(Value::Message(Vec::new())),
            at_most_one(&request, asked)?,
            at_most_one(&response, answered)?,
        ];
        // An error is impossible, because the values were decoded with the same types.
        Ok(encode_value(&event.schema, &Value::Message(fields)).unwrap_or_default())
    })
}

fn introspection_of(state: u8) -> ServiceIntrospection {
    match state {
        1 => ServiceIntrospection::Metadata,
        2 => ServiceIntrospection::Contents,
        _ => ServiceIntrospection::Off,
    }
}

/// Returns a message of the expected type, or an error that names the type that was found.
fn expect<'a, 'py>(
    support: &Arc<Support>,
    message: &'a Bound<'py, PyAny>,
) -> PyResult<&'a Bound<'py, Message>> {
    if let Ok(found) = message.cast::<Message>()
        && Arc::ptr_eq(found.borrow().support(), support)
    {
        return Ok(found);
    }
    let expected = support.class(message.py())?.repr()?;
    Err(PyTypeError::new_err(format!("Expected {expected}, got {}", message.get_type().repr()?)))
}

fn received<'py>(
    py: Python<'py>,
    support: &Support,
    sample: Sample,
    arrays: Arrays,
) -> Result<PyResult<Bound<'py, PyAny>>, CdrError> {
    let source = Source::new(support, Arc::new(Received::Sample(sample)), arrays)?;
    Ok(Message::received(py, support, source))
}

/// A server of a service.
#[pyclass(frozen, subclass, weakref, module = "saltus._native")]
pub(crate) struct Server {
    inner: Mutex<Option<GenericServer>>,
    requests: Arc<Inbox<(Sample, GenericResponder)>>,
    request: Arc<Support>,
    response: Arc<Support>,
    arrays: Arrays,
    name: String,
}

impl Server {
    pub(crate) fn open(
        node: &saltus::Node,
        name: &str,
        ty: GenericServiceType,
        (request, response): (Arc<Support>, Arc<Support>),
        arrays: Arrays,
    ) -> PyResult<Self> {
        let requests = Arc::<Inbox<_>>::default();
        let pushed: Arc<Inbox<(Sample, GenericResponder)>> = requests.clone();
        let server =
            node.generic_service(name, ty, move |sample, responder| pushed.push((sample, responder)));
        let server = server.map_err(|error| errors::node("InvalidServiceNameException", error))?;
        register(node, &requests);
        let name = server.service_name().to_owned();
        Ok(Self { inner: Mutex::new(Some(server)), requests, request, response, arrays, name })
    }
}

#[pymethods]
impl Server {
    /// Sets the object that is marked when a request arrives.
    fn set_target(&self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        self.requests.set_target(object)
    }

    /// Takes the oldest request, and the responder for it. A request that can't be read is counted and skipped.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Option<(Bound<'py, PyAny>, Responder)>> {
        while let Some((sample, responder)) = self.requests.take() {
            let client = sample.publisher();
            match received(py, &self.request, sample, self.arrays) {
                Ok(request) => {
                    let responder =
                        Responder { inner: Mutex::new(Some(responder)), response: self.response.clone() };
                    return Ok(Some((request?, responder)));
                }
                Err(error) => {
                    lock(&self.inner).iter().for_each(|server| server.report_unreadable(client, &error));
                }
            }
        }
        Ok(None)
    }

    /// The full name of the service.
    #[getter]
    fn service_name(&self) -> &str {
        &self.name
    }

    /// Sets what is published about its calls on `<service>/_service_event`: 0 is nothing, 1 is the metadata, 2 is the
    /// metadata and the contents.
    fn introspect(&self, py: Python<'_>, state: u8) -> PyResult<()> {
        let set = || {
            lock(&self.inner).as_ref().map(|server| server.configure_introspection(introspection_of(state)))
        };
        py.detach(set).unwrap_or(Ok(())).map_err(|error| errors::node("InvalidTopicNameException", error))
    }

    /// Closes the server. Requests that were not answered stay unanswered.
    fn close(&self, py: Python<'_>) {
        let inner = lock(&self.inner).take();
        py.detach(|| {
            drop(inner);
            while self.requests.take().is_some() {}
        });
    }
}

/// Sends the response to the client of a request. If it is dropped without a response, the client gets an error.
#[pyclass(frozen, module = "saltus._native")]
pub(crate) struct Responder {
    inner: Mutex<Option<GenericResponder>>,
    response: Arc<Support>,
}

#[pymethods]
impl Responder {
    /// Sends the response.
    fn send(&self, py: Python<'_>, response: &Bound<'_, PyAny>) -> PyResult<()> {
        let encoded = Encoded::of(expect(&self.response, response)?)?;
        let Some(responder) = lock(&self.inner).take() else { return Ok(()) };
        let write = |buffer: &mut [u8]| {
            encoded.write(buffer);
            Ok(())
        };
        py.detach(|| responder.send_with(encoded.len(), write)).map_err(errors::respond)
    }

    /// Drops the request, unless the response was sent: the call of the client fails.
    fn close(&self, py: Python<'_>) {
        let responder = lock(&self.inner).take();
        py.detach(|| drop(responder));
    }
}

type Outcome = (u64, Result<Sample, CallError>);

/// A client of a service.
#[pyclass(frozen, subclass, weakref, module = "saltus._native")]
pub(crate) struct Client {
    inner: Mutex<Option<GenericClient>>,
    outcomes: Arc<Inbox<Outcome>>,
    request: Arc<Support>,
    response: Arc<Support>,
    arrays: Arrays,
    name: String,
}

impl Client {
    pub(crate) fn open(
        node: &saltus::Node,
        name: &str,
        ty: GenericServiceType,
        (request, response): (Arc<Support>, Arc<Support>),
        arrays: Arrays,
    ) -> PyResult<Self> {
        let client = node.generic_client(name, ty);
        let client = client.map_err(|error| errors::node("InvalidServiceNameException", error))?;
        let outcomes = Arc::<Inbox<Outcome>>::default();
        register(node, &outcomes);
        let (name, inner) = (client.service_name().to_owned(), Mutex::new(Some(client)));
        Ok(Self { inner, outcomes, request, response, arrays, name })
    }

    fn client(&self) -> PyResult<GenericClient> {
        let closed = || errors::name("InvalidHandle", format!("the client of '{}' was destroyed", self.name));
        lock(&self.inner).clone().ok_or_else(closed)
    }

    fn response<'py>(
        &self,
        py: Python<'py>,
        outcome: Result<Sample, CallError>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let sample = outcome.map_err(errors::call)?;
        received(py, &self.response, sample, self.arrays).map_err(errors::serialization)?
    }
}

#[pymethods]
impl Client {
    /// Sets the object that is marked when a call has an outcome.
    fn set_target(&self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        self.outcomes.set_target(object)
    }

    /// Calls the service without waiting. The outcome is returned by `take`, with the same number.
    fn send(&self, py: Python<'_>, request: &Bound<'_, PyAny>, number: u64) -> PyResult<()> {
        let encoded = Encoded::of(expect(&self.request, request)?)?;
        let (client, outcomes) = (self.client()?, self.outcomes.clone());
        let write = |buffer: &mut [u8]| {
            encoded.write(buffer);
            Ok(())
        };
        let then = move |outcome| outcomes.push((number, outcome));
        py.detach(|| client.call_then(encoded.len(), write, then)).map_err(errors::call)
    }

    /// Calls the service, and waits on this thread for at most `timeout` seconds. Meanwhile, runs signal handlers.
    fn call<'py>(
        &self,
        py: Python<'py>,
        request: &Bound<'py, PyAny>,
        timeout: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let encoded = Encoded::of(expect(&self.request, request)?)?;
        let client = self.client()?;
        let timeout = Duration::try_from_secs_f64(timeout.max(0.0)).unwrap_or(Duration::MAX);
        let mut left = timeout;
        let write = |buffer: &mut [u8]| {
            encoded.write(buffer);
            Ok(())
        };
        let mut call = py.detach(|| client.begin_blocking(encoded.len(), write)).map_err(errors::call)?;
        loop {
            let slice = left.min(SLICE);
            left -= slice;
            let outcome = py.detach(|| call.wait(slice));
            // The signal handlers run first, because a signal may be the reason for the end of the call.
            py.check_signals()?;
            match outcome {
                Err(CallError::Timeout { .. }) if !left.is_zero() => {}
                Err(CallError::Timeout { service, .. }) => {
                    return Err(errors::call(CallError::Timeout { service, timeout }));
                }
                outcome => return self.response(py, outcome),
            }
        }
    }

    /// Takes the oldest outcome: the number of the call, and the response or the exception.
    fn take<'py>(&self, py: Python<'py>) -> Option<(u64, Option<Bound<'py, PyAny>>, Option<PyErr>)> {
        let (number, outcome) = self.outcomes.take()?;
        Some(match self.response(py, outcome) {
            Ok(response) => (number, Some(response), None),
            Err(error) => (number, None, Some(error)),
        })
    }

    fn service_is_ready(&self) -> PyResult<bool> {
        Ok(self.client()?.service_is_ready())
    }

    /// Waits until a server is connected, for at most `timeout_sec` seconds. Returns whether a server is connected.
    #[pyo3(signature = (timeout_sec=None))]
    fn wait_for_service(&self, py: Python<'_>, timeout_sec: Option<f64>) -> PyResult<bool> {
        let client = self.client()?;
        let timeout = timeout_sec.filter(|seconds| *seconds >= 0.0);
        wait_for(py, client.node().context(), timeout, || client.service_is_ready())
    }

    /// The full name of the service.
    #[getter]
    fn service_name(&self) -> &str {
        &self.name
    }

    /// Sets what is published about its calls on `<service>/_service_event`: 0 is nothing, 1 is the metadata, 2 is the
    /// metadata and the contents.
    fn introspect(&self, py: Python<'_>, state: u8) -> PyResult<()> {
        let client = self.client()?;
        py.detach(|| client.configure_introspection(introspection_of(state)))
            .map_err(|error| errors::node("InvalidTopicNameException", error))
    }

    /// Closes the client. Pending calls get no outcome.
    fn close(&self, py: Python<'_>) {
        let inner = lock(&self.inner).take();
        py.detach(|| drop(inner));
    }
}
