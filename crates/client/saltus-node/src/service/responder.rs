//! Responders, which send the responses to requests.

use std::{fmt, marker::PhantomData, sync::Arc};

use saltus_cdr::{Body, BuildError, Buildable, Cdr, CdrError, ENCAPSULATION, Publishable, Service, Target};
use saltus_host::{PublishError, RequestId, Sample};
use saltus_types::Gid;

use super::introspection::{Introspection, ServiceEventType};
use crate::LoanBuffer;

/// Why a response was not sent.
#[derive(thiserror::Error)]
pub enum RespondError {
    /// The response does not fit its type.
    #[error(transparent)]
    Value(#[from] CdrError),
    /// The client has gone.
    #[error("can't send the response: the client that sent the request has gone")]
    ClientGone,
    /// The response could not be sent.
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

/// The publisher of responses, which a server and its responders share.
pub(super) struct Responses {
    pub(super) publisher: saltus_host::Publisher,
    pub(super) introspection: Introspection,
}

/// A responder: it sends the serialized response to one request.
///
/// A program may keep it, and use it on any thread. If it is dropped before a response was sent, the client is
/// notified.
pub struct GenericResponder {
    pub(super) responses: Arc<Responses>,
    /// The request. `None` once the response was sent.
    pub(super) request: Option<RequestId>,
}

impl fmt::Debug for GenericResponder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenericResponder").field("request", &self.request).finish_non_exhaustive()
    }
}

impl GenericResponder {
    /// Sends a serialized response, including the encapsulation header.
    pub fn send(self, response: &[u8]) -> Result<(), RespondError> {
        self.send_with(response.len(), |bytes| {
            bytes.copy_from_slice(response);
            Ok(())
        })
    }

    /// Sends a response of `len` bytes, including the encapsulation header. `write` writes it in place in shared
    /// memory.
    pub fn send_with(
        self,
        len: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), CdrError>,
    ) -> Result<(), RespondError> {
        let mut loan = self.responses.publisher.loan(len)?;
        write(&mut loan[..len])?;
        self.send_loan(loan, len)
    }

    fn send_loan(mut self, loan: saltus_host::Loan, len: usize) -> Result<(), RespondError> {
        let Some(request) = self.request.take() else { return Ok(()) };
        let introspection = &self.responses.introspection;
        let contents = introspection.contents_of(&loan[..len]);
        loan.respond(len, request)?;
        introspection.publish(ServiceEventType::ResponseSent, request.client, request.sequence, contents);
        Ok(())
    }

    /// Returns the gid of the client that sent the request.
    pub fn client(&self) -> Gid {
        self.request.map(|request| request.client).unwrap_or_default()
    }

    /// Returns the number that the client gave the request.
    pub fn sequence(&self) -> u64 {
        self.request.map(|request| request.sequence).unwrap_or_default()
    }
}

impl Drop for GenericResponder {
    fn drop(&mut self) {
        if self.request.is_some()
            && let Ok(loan) = self.responses.publisher.loan(0)
        {
            let unanswered = Self { responses: self.responses.clone(), request: self.request.take() };
            // An error is ignored: a client that has gone need not be notified.
            let _ = unanswered.send_loan(loan, 0);
        }
    }
}

/// A request, in place in shared memory. A program may keep it.
#[derive(Debug)]
pub struct Request<S> {
    sample: Sample,
    of: PhantomData<fn() -> S>,
}

impl<S: Service> Request<S> {
    pub(super) fn new(sample: Sample) -> Self {
        Self { sample, of: PhantomData }
    }

    /// Returns a view of the request, in place in shared memory.
    pub fn view(&self) -> Result<<S::Request as Cdr>::View<'_>, CdrError> {
        saltus_cdr::view::<S::Request>(&self.sample)
    }

    /// Returns the request as an owned value.
    pub fn value(&self) -> Result<S::Request, CdrError> {
        saltus_cdr::decode(&self.sample)
    }

    /// Returns the gid of the client that sent the request.
    pub fn client(&self) -> Gid {
        self.sample.publisher()
    }

    /// Returns the sequence number that the client gave the request. The first request has 1.
    pub fn sequence(&self) -> u64 {
        self.sample.sequence()
    }
}

/// A responder: it sends the response to one request.
///
/// A program may keep it, and use it on any thread. If it is dropped before a response was sent, the client is
/// notified.
#[derive(Debug)]
pub struct Responder<S> {
    generic: GenericResponder,
    of: PhantomData<fn(S)>,
}

impl<S: Service> Responder<S> {
    pub(super) fn new(generic: GenericResponder) -> Self {
        Self { generic, of: PhantomData }
    }

    /// Sends a response. It is serialized directly into shared memory.
    pub fn send(self, response: &S::Response) -> Result<(), RespondError> {
        let len = saltus_cdr::encoded_len(response);
        self.generic.send_with(len, |bytes| saltus_cdr::encode_into(response, bytes))
    }

    /// Returns a builder that writes the response in place in shared memory. `size` is the expected size of the
    /// response's body in bytes (see its `size_hint`). The method `publish` of the builder sends the response.
    pub fn loan(
        self,
        size: usize,
    ) -> Result<<S::Response as Buildable>::Builder<LoanedResponse>, RespondError>
    where
        S::Response: Buildable,
    {
        let loan = self.generic.responses.publisher.loan(ENCAPSULATION.len() + size)?;
        let body = Body::new(LoanBuffer::new(loan));
        Ok(<S::Response as Buildable>::build_in(LoanedResponse { body, responder: self.generic }))
    }

    /// Returns the gid of the client that sent the request.
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
