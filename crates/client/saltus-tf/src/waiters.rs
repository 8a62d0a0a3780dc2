//! The wakers of futures that wait for transforms.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Mutex,
    task::Waker,
};

use saltus_types::{Time, lock};

/// A request for a transform.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) target: String,
    pub(crate) source: String,
    pub(crate) time: Time,
}

/// The wakers of futures, each with the request of the future.
///
/// A future adds its waker before it looks up its transform, and `wake` is called after a transform is set. Both lock the same mutex, so
/// no future misses its transform.
#[derive(Debug, Default)]
pub(crate) struct Waiters(Mutex<WaitersState>);

#[derive(Debug, Default)]
struct WaitersState {
    wakers: BTreeMap<u64, (Request, Waker)>,
    next: u64,
}

impl Waiters {
    /// Returns a number for a new future.
    pub(crate) fn next(&self) -> u64 {
        let mut waiting = lock(&self.0);
        waiting.next += 1;
        waiting.next
    }

    /// Adds or replaces the waker of a future. After that the future must look up its transform, which may be there already.
    pub(crate) fn add(&self, number: u64, request: &Request, waker: &Waker) {
        let old = lock(&self.0).wakers.insert(number, (request.clone(), waker.clone()));
        // The lock is released before, because the drop of a waker may call this type.
        drop(old);
    }

    /// Removes the waker of a future.
    pub(crate) fn remove(&self, number: u64) {
        let old = lock(&self.0).wakers.remove(&number);
        drop(old);
    }

    /// Wakes and removes the futures whose requests are decided.
    pub(crate) fn wake(&self, is_decided: impl Fn(&Request) -> bool) {
        let decided: Vec<_> = {
            let mut waiting = lock(&self.0);
            waiting.wakers.extract_if(.., |_, (request, _)| is_decided(request)).collect()
        };
        // A waker may run a callback of the user. If one panics, the others are woken first.
        let wake = |(_, (_, waker)): (u64, (Request, Waker))| catch_unwind(AssertUnwindSafe(|| waker.wake()));
        let results: Vec<_> = decided.into_iter().map(wake).collect();
        if let Some(panic) = results.into_iter().find_map(Result::err) {
            resume_unwind(panic);
        }
    }
}
