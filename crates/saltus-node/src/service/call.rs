//! A call on its way, and what comes of it.

use std::{
    fmt,
    future::Future,
    marker::PhantomData,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicU64},
    task::{Context, Poll, Waker},
    time::Duration,
};

use saltus_cdr::{CdrError, Service};
use saltus_host::{OpenError, PublishError, Sample};

use super::client::Core;

/// What waits for a server: the services of an action are waited for together.
fn waiter(service: &str) -> &'static str {
    if service.contains("/_action/") { "wait_for_server" } else { "wait_for_service" }
}

/// Why a call has no response.
#[derive(Clone, thiserror::Error)]
pub enum CallError {
    /// Nobody serves it.
    #[error("no server for service '{service}': start one, or wait for it with {}()", waiter(service))]
    NoServer {
        /// Its name.
        service: String,
    },
    /// Its server, or the last of them, has gone or died before it answered.
    #[error("the server of service '{service}' has gone before it answered")]
    ServerGone {
        /// Its name.
        service: String,
    },
    /// The server let go of the request without an answer.
    #[error("the server of service '{service}' let go of the request without an answer")]
    NotAnswered {
        /// Its name.
        service: String,
    },
    /// The response did not come in time. The server may still be at it.
    #[error("service '{service}' did not answer within {timeout:?}")]
    Timeout {
        /// Its name.
        service: String,
        /// How long was waited.
        timeout: Duration,
    },
    /// The context was shut down meanwhile.
    #[error("the context was shut down before service '{service}' answered")]
    ShutDown {
        /// Its name.
        service: String,
    },
    /// The request does not fit its type, or the response is not what its type says.
    #[error("service '{service}': {cause}")]
    Value {
        /// Its name.
        service: String,
        /// What is wrong.
        cause: CdrError,
    },
    /// The request could not be sent.
    #[error("service '{service}': can't send a request: {cause}")]
    Send {
        /// Its name.
        service: String,
        /// Why not.
        cause: Arc<PublishError>,
    },
    /// The response was taken before.
    #[error("the response of service '{service}' was taken before")]
    Taken {
        /// Its name.
        service: String,
    },
    /// There is no memory to wait with, or the context was inherited over `fork`.
    #[error("service '{service}': can't wait for a response: {cause}")]
    Wait {
        /// Its name.
        service: String,
        /// Why not.
        cause: Arc<OpenError>,
    },
}

saltus_types::debug_as_display!(CallError);

/// How far a call is.
#[derive(Debug)]
enum Progress {
    /// Not answered; whoever polls it is woken then.
    Pending(Option<Waker>),
    Done(Result<Sample, CallError>),
    /// What came of it was taken, or nobody wants it any more.
    Over,
}

/// A call as both its caller and its client know it.
#[derive(Debug)]
pub(super) struct CallState {
    progress: Mutex<Progress>,
    /// The number of its request; 0 until it is sent.
    pub(super) sequence: AtomicU64,
}

impl CallState {
    pub(super) fn new() -> Self {
        Self { progress: Mutex::new(Progress::Pending(None)), sequence: AtomicU64::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_done(&self) -> bool {
        !matches!(*self.lock(), Progress::Pending(_))
    }

    /// Whether what came of it was taken.
    pub(super) fn is_over(&self) -> bool {
        matches!(*self.lock(), Progress::Over)
    }

    /// What came of it, once.
    pub(super) fn take(&self) -> Option<Result<Sample, CallError>> {
        let mut progress = self.lock();
        match std::mem::replace(&mut *progress, Progress::Over) {
            Progress::Done(result) => Some(result),
            pending => {
                *progress = pending;
                None
            }
        }
    }

    pub(super) fn complete(&self, result: Result<Sample, CallError>) {
        let mut progress = self.lock();
        if let Progress::Pending(waker) = &mut *progress {
            let waker = waker.take();
            *progress = Progress::Done(result);
            drop(progress);
            waker.into_iter().for_each(Waker::wake);
        }
    }

    fn poll(&self, context: &Context<'_>) -> Poll<Result<Sample, CallError>> {
        if let Some(result) = self.take() {
            return Poll::Ready(result);
        }
        if let Progress::Pending(waker) = &mut *self.lock() {
            *waker = Some(context.waker().clone());
        }
        // It may have come between the two looks.
        self.take().map_or(Poll::Pending, Poll::Ready)
    }
}

/// A call of a service whose type is known only at run time. A future of the serialized response, which
/// completes while an executor spins the client's node; [`GenericCall::wait`] needs no executor.
///
/// Dropping it cancels the call: the response is thrown away when it comes.
#[must_use = "dropping it cancels the call"]
pub struct GenericCall {
    core: Arc<Core>,
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
    pub(super) fn new(core: Arc<Core>, state: Arc<CallState>) -> Self {
        Self { core, state }
    }

    /// Whether the response, or an error, has come.
    pub fn is_done(&self) -> bool {
        self.state.is_done()
    }

    /// Waits on this thread, in a callback too, for at most `timeout`. After a time-out the call goes on, and
    /// may be waited for again.
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
            self.core.abandon(&self.state);
        }
    }
}

/// A response where it lies in shared memory.
#[derive(Debug)]
pub struct Reply<S> {
    sample: Sample,
    core: Arc<Core>,
    of: PhantomData<fn() -> S>,
}

impl<S: Service> Reply<S> {
    /// The response in place.
    pub fn view(&self) -> Result<<S::Response as saltus_cdr::Cdr>::View<'_>, CallError> {
        saltus_cdr::view::<S::Response>(&self.sample).map_err(|cause| self.core.unreadable(cause))
    }

    /// The response as a value of its own.
    pub fn value(&self) -> Result<S::Response, CallError> {
        saltus_cdr::decode(&self.sample).map_err(|cause| self.core.unreadable(cause))
    }
}

/// A call; see [`GenericCall`]. A future of the response as a value.
#[must_use = "dropping it cancels the call"]
#[derive(Debug)]
pub struct Call<S>(InPlaceCall<S>);

impl<S: Service> Call<S> {
    pub(super) fn new(call: GenericCall) -> Self {
        Self(InPlaceCall { call, of: PhantomData })
    }

    /// Whether the response, or an error, has come.
    pub fn is_done(&self) -> bool {
        self.0.call.is_done()
    }

    /// Waits on this thread, in a callback too, for at most `timeout`. After a time-out the call goes on, and
    /// may be waited for again.
    pub fn wait(&mut self, timeout: Duration) -> Result<S::Response, CallError> {
        self.0.wait(timeout)?.value()
    }

    /// The same call, with the response left where it lies.
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

/// A call whose response is left where it lies in shared memory.
#[must_use = "dropping it cancels the call"]
#[derive(Debug)]
pub struct InPlaceCall<S> {
    call: GenericCall,
    of: PhantomData<fn() -> S>,
}

impl<S: Service> InPlaceCall<S> {
    /// Waits on this thread, in a callback too, for at most `timeout`. After a time-out the call goes on, and
    /// may be waited for again.
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
