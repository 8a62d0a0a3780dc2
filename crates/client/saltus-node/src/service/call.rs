//! Calls that were sent, and their responses.

use std::{
    fmt,
    future::Future,
    marker::PhantomData,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use saltus_cdr::Service;
use saltus_host::Sample;

use super::{
    call_state::{CallError, CallState},
    client_core::ClientCore,
};

/// A call of a service whose type is known only at run time. It is a future of the serialized response.
///
/// The future completes while an executor spins the client's node. [`GenericCall::wait`] needs no executor. Dropping
/// the call cancels it: the response is discarded when it comes.
#[must_use = "dropping it cancels the call"]
pub struct GenericCall {
    core: Arc<ClientCore>,
    state: Arc<CallState>,
}

impl fmt::Debug for GenericCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenericCall")
            .field("service", &self.core.name())
            .field("is_done", &self.is_done())
            .finish_non_exhaustive()
    }
}

impl GenericCall {
    pub(super) fn new(core: Arc<ClientCore>, state: Arc<CallState>) -> Self {
        Self { core, state }
    }

    /// Whether the call is complete: whether there is a response or an error.
    pub fn is_done(&self) -> bool {
        self.state.is_done()
    }

    /// Waits for the response on the calling thread, for at most `timeout`. May be called in a callback too. After a
    /// timeout the call continues, and this can be called again.
    pub fn wait(&mut self, timeout: Duration) -> Result<Sample, CallError> {
        self.core.block(&self.state, timeout)
    }
}

impl Future for GenericCall {
    type Output = Result<Sample, CallError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.state.poll(context)
    }
}

impl Drop for GenericCall {
    fn drop(&mut self) {
        if !self.state.is_done() {
            self.core.cancel(&self.state);
        }
    }
}

/// A response, in place in shared memory.
#[derive(Debug)]
pub struct Reply<S> {
    sample: Sample,
    core: Arc<ClientCore>,
    of: PhantomData<fn() -> S>,
}

impl<S: Service> Reply<S> {
    /// Returns a view of the response, in place in shared memory.
    pub fn view(&self) -> Result<<S::Response as saltus_cdr::Cdr>::View<'_>, CallError> {
        saltus_cdr::view::<S::Response>(&self.sample).map_err(|cause| self.core.unreadable(cause))
    }

    /// Returns the response as an owned value.
    pub fn value(&self) -> Result<S::Response, CallError> {
        saltus_cdr::decode(&self.sample).map_err(|cause| self.core.unreadable(cause))
    }
}

/// A call of a service. It is a future of the response as an owned value. See [`GenericCall`].
#[must_use = "dropping it cancels the call"]
#[derive(Debug)]
pub struct Call<S>(InPlaceCall<S>);

impl<S: Service> Call<S> {
    pub(super) fn new(call: GenericCall) -> Self {
        Self(InPlaceCall { call, of: PhantomData })
    }

    /// Whether the call is complete: whether there is a response or an error.
    pub fn is_done(&self) -> bool {
        self.0.call.is_done()
    }

    /// Waits for the response on the calling thread, for at most `timeout`. May be called in a callback too. After a
    /// timeout the call continues, and this can be called again.
    pub fn wait(&mut self, timeout: Duration) -> Result<S::Response, CallError> {
        self.0.wait(timeout)?.value()
    }

    /// Returns the same call as a future of the response in place.
    pub fn in_place(self) -> InPlaceCall<S> {
        self.0
    }
}

impl<S: Service> Future for Call<S> {
    type Output = Result<S::Response, CallError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context).map(|reply| reply?.value())
    }
}

/// A call of a service. It is a future of the response, in place in shared memory. See [`GenericCall`].
#[must_use = "dropping it cancels the call"]
#[derive(Debug)]
pub struct InPlaceCall<S> {
    call: GenericCall,
    of: PhantomData<fn() -> S>,
}

impl<S: Service> InPlaceCall<S> {
    /// Waits for the response on the calling thread, for at most `timeout`. May be called in a callback too. After a
    /// timeout the call continues, and this can be called again.
    pub fn wait(&mut self, timeout: Duration) -> Result<Reply<S>, CallError> {
        let core = self.call.core.clone();
        Ok(Reply { sample: self.call.wait(timeout)?, core, of: PhantomData })
    }
}

impl<S: Service> Future for InPlaceCall<S> {
    type Output = Result<Reply<S>, CallError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let core = self.call.core.clone();
        let poll = Pin::new(&mut self.call).poll(context);
        poll.map(|sample| Ok(Reply { sample: sample?, core, of: PhantomData }))
    }
}
