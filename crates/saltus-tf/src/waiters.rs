//! Who waits for transforms.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
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
#[derive(Debug, Default)]
pub(crate) struct Waiters {
    waiting: Mutex<Waiting>,
    /// How many there are, so that a transform is set without a lock if there are none.
    count: AtomicUsize,
}

#[derive(Debug, Default)]
struct Waiting {
    wakers: BTreeMap<u64, (Request, Waker)>,
    next: u64,
}

impl Waiters {
    /// Returns the number of one that will wait.
    pub(crate) fn next(&self) -> u64 {
        let mut waiting = lock(&self.waiting);
        waiting.next += 1;
        waiting.next
    }

    /// Wakes this one when its transform may be there. Afterwards it must look whether the transform is there already.
    pub(crate) fn add(&self, number: u64, request: &Request, waker: &Waker) {
        let mut waiting = lock(&self.waiting);
        waiting.wakers.insert(number, (request.clone(), waker.clone()));
        self.count.store(waiting.wakers.len(), Ordering::SeqCst);
    }

    pub(crate) fn remove(&self, number: u64) {
        let mut waiting = lock(&self.waiting);
        waiting.wakers.remove(&number);
        self.count.store(waiting.wakers.len(), Ordering::SeqCst);
    }

    /// Wakes those whose request is decided.
    pub(crate) fn wake(&self, is_decided: impl Fn(&Request) -> bool) {
        if self.count.load(Ordering::SeqCst) == 0 {
            return;
        }
        let mut waiting = lock(&self.waiting);
        let decided = waiting.wakers.extract_if(.., |_, (request, _)| is_decided(request));
        let wakers: Vec<Waker> = decided.map(|(_, (_, waker))| waker).collect();
        self.count.store(waiting.wakers.len(), Ordering::SeqCst);
        drop(waiting);
        wakers.into_iter().for_each(Waker::wake);
    }
}
