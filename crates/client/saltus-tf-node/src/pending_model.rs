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
use pending::{Alarm, PendingItems};

/// The number of preemptions that loom explores, if LOOM_MAX_PREEMPTIONS is not set.
const PREEMPTIONS: usize = 3;

/// The time until the deadline of the lookup that has one. No time passes in the model.
const TIMEOUT: Duration = Duration::from_secs(1);

/// A timer, and the executor that waits for it.
#[derive(Default)]
struct Timer {
    set: Mutex<Option<Duration>>,
    changed: Condvar,
}

impl Timer {
    fn get(&self) -> Option<Duration> {
        *self.set.lock().unwrap()
    }

    /// Waits until it is due at once.
    fn wait(&self) {
        let mut set = self.set.lock().unwrap();
        while *set != Some(Duration::ZERO) {
            set = self.changed.wait(set).unwrap();
        }
        *set = None;
    }
}

impl Alarm for Timer {
    fn set(&self, time: Option<Duration>) {
        *self.set.lock().unwrap() = time;
        self.changed.notify_one();
    }
}

/// A lookup that needs a transform.
struct Lookup {
    transform: Arc<AtomicBool>,
    timeout: Option<Duration>,
}

struct Server {
    pending: PendingItems<Lookup>,
    timer: Timer,
}

impl Server {
    /// Returns how many lookups have their transform, and keeps the others.
    fn work(&self, lookups: Vec<Lookup>) -> usize {
        let count = lookups.len();
        let is_waiting = |lookup: &Lookup| !lookup.transform.load(Ordering::Acquire);
        let waiting: Vec<Lookup> = lookups.into_iter().filter(is_waiting).collect();
        let done = count - waiting.len();
        let next = |all: &[Lookup]| all.iter().filter_map(|lookup| lookup.timeout).min();
        self.pending.add(waiting, next, &self.timer);
        done
    }
}

/// Two threads set a transform each, while the server accepts a lookup for each one. A third lookup waits for a transform that
/// never comes. loom also finds a server that waits for ever.
#[test]
fn no_transform_and_no_deadline_is_missed() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(PREEMPTIONS);
    builder.check(|| {
        let server = Arc::new(Server { pending: PendingItems::new(), timer: Timer::default() });
        let transforms = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        let senders = transforms.clone().map(|transform| {
            let server = server.clone();
            thread::spawn(move || {
                transform.store(true, Ordering::Release);
                server.pending.wake(&server.timer);
            })
        });
        server.work(vec![Lookup { transform: Arc::default(), timeout: Some(TIMEOUT) }]);
        let lookup = |transform| vec![Lookup { transform, timeout: None }];
        let mut done: usize = transforms.map(|transform| server.work(lookup(transform))).iter().sum();
        while done < 2 {
            server.timer.wait();
            done += server.work(server.pending.take());
        }
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        // It may be due once more for a transform that was seen before.
        if server.timer.get() == Some(Duration::ZERO) {
            server.timer.wait();
            server.work(server.pending.take());
        }
        assert_eq!((server.pending.count(), server.timer.get()), (1, Some(TIMEOUT)));
    });
}
