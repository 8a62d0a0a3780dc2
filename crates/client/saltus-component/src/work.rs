//! The loads and unloads of a container that run, for which its end waits.

use std::{
    sync::{Condvar, Mutex, PoisonError},
    thread::{self, ThreadId},
};

use saltus_types::lock;

/// Counts what runs, by thread.
///
/// **Invariant:** after [`Work::close`] has returned, nothing runs on another thread, and nothing begins.
#[derive(Debug, Default)]
pub(crate) struct Work {
    state: Mutex<WorkState>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct WorkState {
    is_closed: bool,
    /// The threads of what runs. A thread is there twice if it has begun something within something else.
    threads: Vec<ThreadId>,
}

/// Something that runs, until it is dropped.
pub(crate) struct Working<'a>(&'a Work);

impl Work {
    /// Begins something on this thread. Returns `None` after the end.
    pub(crate) fn begin(&self) -> Option<Working<'_>> {
        let mut state = lock(&self.state);
        if state.is_closed {
            return None;
        }
        state.threads.push(thread::current().id());
        Some(Working(self))
    }

    /// Lets nothing begin any more, and waits for what runs on other threads.
    pub(crate) fn close(&self) {
        let own = thread::current().id();
        let mut state = lock(&self.state);
        state.is_closed = true;
        while state.threads.iter().any(|thread| *thread != own) {
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        lock(&self.state).is_closed
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        let own = thread::current().id();
        let mut state = lock(&self.0.state);
        if let Some(index) = state.threads.iter().rposition(|thread| *thread == own) {
            state.threads.swap_remove(index);
        }
        drop(state);
        self.0.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn the_end_waits_for_other_threads_and_not_for_its_own() {
        let work = Work::default();
        let own = work.begin().unwrap();
        let (begun, wait) = mpsc::channel();
        let ended = Mutex::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let working = work.begin().unwrap();
                begun.send(()).unwrap();
                while !work.is_closed() {
                    thread::yield_now();
                }
                *lock(&ended) = true;
                drop(working);
            });
            wait.recv().unwrap();
            work.close();
            assert!(*lock(&ended));
        });
        assert!(work.begin().is_none());
        drop(own);
        assert!(lock(&work.state).threads.is_empty());
    }
}
