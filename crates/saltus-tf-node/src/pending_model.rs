//! A loom model of lookups that wait while transforms arrive: loom checks all interleavings.

/// The synchronization types that [`pending`] uses, from loom.
mod sync {
    pub(super) use loom::sync::{Mutex, MutexGuard};

    pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap()
    }
}

#[expect(clippy::duplicate_mod, reason = "the same code, with the synchronization types of loom")]
#[path = "pending.rs"]
mod pending;

use std::time::Duration;

use loom::{
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};
use pending::{Alarm, Pending};

/// How many times a thread may be preempted, if LOOM_MAX_PREEMPTIONS is not set.
const PREEMPTIONS: usize = 3;

/// A timer, and the executor that waits for it.
#[derive(Default)]
struct Timer {
    is_due: Mutex<bool>,
    changed: Condvar,
}

impl Timer {
    fn wait(&self) {
        let mut is_due = self.is_due.lock().unwrap();
        while !*is_due {
            is_due = self.changed.wait(is_due).unwrap();
        }
        *is_due = false;
    }
}

impl Alarm for Timer {
    fn set(&self, time: Option<Duration>) {
        *self.is_due.lock().unwrap() = time == Some(Duration::ZERO);
        self.changed.notify_one();
    }
}

/// A lookup that needs a transform.
struct Lookup(Arc<AtomicBool>);

struct Server {
    pending: Pending<Lookup>,
    timer: Timer,
}

impl Server {
    /// Returns how many lookups have their transform, and keeps the others.
    fn work(&self, lookups: Vec<Lookup>) -> usize {
        let count = lookups.len();
        let is_waiting = |lookup: &Lookup| !lookup.0.load(Ordering::Acquire);
        let waiting: Vec<Lookup> = lookups.into_iter().filter(is_waiting).collect();
        let done = count - waiting.len();
        // Without a deadline, only a transform makes the timer due.
        self.pending.keep(waiting, |_| None, &self.timer);
        done
    }
}

/// Two threads set a transform each, while the server accepts two lookups. loom also finds a server that waits for ever.
#[test]
fn no_transform_is_missed() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(PREEMPTIONS);
    builder.check(|| {
        let server = Arc::new(Server { pending: Pending::new(), timer: Timer::default() });
        let transforms = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        let senders = transforms.clone().map(|transform| {
            let server = server.clone();
            thread::spawn(move || {
                transform.store(true, Ordering::Release);
                server.pending.look(&server.timer);
            })
        });
        let mut done: usize = transforms.map(|transform| server.work(vec![Lookup(transform)])).iter().sum();
        while done < 2 {
            server.timer.wait();
            done += server.work(server.pending.take());
        }
        assert_eq!(server.pending.count(), 0);
        senders.into_iter().for_each(|sender| sender.join().unwrap());
    });
}
