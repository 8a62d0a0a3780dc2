//! Requests for transforms that may come later.

use std::{
    ffi::{c_char, c_void},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError, Weak},
    task::{Context, Poll, Wake, Waker},
};

use saltus::{Time, tf::TransformFuture};

use crate::{
    callbacks::{CallbackContext, Closure, DropFunction, Gated},
    gate::Gate,
    status::{Failure, SALTUS_OK, Status, create, destroy, given},
    tf::{TfBuffer, frames},
};

/// Called once: with SALTUS_OK when the transform is there, or with the reason why it can never be there.
pub type TfFunction = Option<extern "C" fn(context: *mut c_void, status: Status)>;

/// A request for a transform.
#[derive(Debug)]
pub struct TfRequest(#[expect(dead_code, reason = "it keeps the request")] Gated<Arc<Request>>);

#[derive(Debug)]
struct Request {
    /// `None` after the transform was there.
    future: Mutex<Option<TransformFuture>>,
    gate: Arc<Gate>,
    callback: Closure<extern "C" fn(*mut c_void, Status)>,
}

/// Calls `call` once: when saltus_tf_buffer_lookup() would find the transform, or when it can never be there because its time is
/// too far in the past. If that is so already, `call` is called before this function returns. Otherwise it is called on the
/// thread that adds the last missing transform. `drop` is called even if this function fails.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_request_create(
    buffer: Option<&TfBuffer>,
    target: *const c_char,
    source: *const c_char,
    time: i64,
    call: TfFunction,
    context: *mut c_void,
    drop: DropFunction,
    request: Option<&mut *mut TfRequest>,
) -> Status {
    let context = CallbackContext::new(context, drop);
    create(request, || {
        let callback = Closure::given(call, context, "the request")?;
        let [target, source] = frames([target, source])?;
        let future = given(buffer, "buffer")?.0.wait(target, source, Time::from_nanos(time));
        let gate = Arc::<Gate>::default();
        let request = Arc::new(Request { future: Mutex::new(Some(future)), gate: gate.clone(), callback });
        request.advance();
        Ok(TfRequest(Gated::new(gate, request)))
    })
}

/// Ends a request. A callback that runs on another thread has returned when this function returns.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_tf_request_destroy(request: Option<Box<TfRequest>>) {
    destroy(request);
}

impl Request {
    /// Calls the callback if the transform is there.
    fn advance(self: &Arc<Self>) {
        let Some(status) = self.poll() else { return };
        self.gate.run(|| (self.callback.call)(self.callback.context.pointer(), status));
    }

    /// Returns the status for the callback, once.
    fn poll(self: &Arc<Self>) -> Option<Status> {
        let waker = Waker::from(Arc::new(RequestWaker(Arc::downgrade(self))));
        let mut future = self.future.lock().unwrap_or_else(PoisonError::into_inner);
        let Poll::Ready(outcome) = Pin::new(future.as_mut()?).poll(&mut Context::from_waker(&waker)) else {
            return None;
        };
        *future = None;
        Some(outcome.map_or_else(|error| Failure::from(error).report(), |_| SALTUS_OK))
    }
}

/// The buffer owns it, so it has only a weak reference to the request.
struct RequestWaker(Weak<Request>);

impl Wake for RequestWaker {
    fn wake(self: Arc<Self>) {
        if let Some(request) = self.0.upgrade() {
            request.advance();
        }
    }
}
