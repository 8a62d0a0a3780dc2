//! Those who wait for transforms.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Mutex,
    task::Waker,
};

use saltus_types::{Time, lock};

/// A transform that is wanted.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) target: String,
    pub(crate) source: String,
    pub(crate) time: Time,
}

/// The wakers of those who wait.
///
/// A waiter is added before it looks for its transform, and `wake` is called after a transform is set. Both lock the same mutex, so
/// one of them sees the other.
#[derive(Debug, Default)]
pub(crate) struct Waiters(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    wakers: BTreeMap<u64, (Request, Waker)>,
    next: u64,
}

impl Waiters {
    /// Returns the number of one that will wait.
    pub(crate) fn next(&self) -> u64 {
        let mut waiting = lock(&self.0);
        waiting.next += 1;
        waiting.next
    }

    /// Wakes this one when its transform may be there. Afterwards it must look whether the transform is there already.
    pub(crate) fn add(&self, number: u64, request: &Request, waker: &Waker) {
        let old = lock(&self.0).wakers.insert(number, (request.clone(), waker.clone()));
        // After the lock is released, because the drop of a waker may call this type.
        drop(old);
    }

    pub(crate) fn remove(&self, number: u64) {
        let old = lock(&self.0).wakers.remove(&number);
        drop(old);
    }

    /// Wakes those whose request is decided.
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
