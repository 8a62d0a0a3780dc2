//! A loom model of threads that call a function in turns: loom checks all interleavings.

/// The synchronization types that [`turns`] uses, from loom.
mod sync {
    pub(super) use loom::{
        sync::{Condvar, Mutex, MutexGuard},
        thread::{self, ThreadId},
    };

    pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap()
    }

    pub(super) fn wait<'a, T>(condvar: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        condvar.wait(guard).unwrap()
    }
}

#[expect(clippy::duplicate_mod, reason = "the same code, with the synchronization types of loom")]
#[path = "turns.rs"]
mod turns;

use loom::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};
use turns::Turns;

/// The number of preemptions that loom explores, if LOOM_MAX_PREEMPTIONS is not set.
const PREEMPTIONS: usize = 3;

/// The state that all calls of the function share.
#[derive(Default)]
struct Calls {
    runs: AtomicBool,
    sum: AtomicUsize,
}

impl Calls {
    fn call(&self, number: usize) {
        assert!(!self.runs.swap(true, Ordering::Relaxed), "only one thread calls the function");
        self.sum.fetch_add(number, Ordering::Relaxed);
        self.runs.store(false, Ordering::Relaxed);
    }
}

fn model(check: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(PREEMPTIONS);
    builder.check(check);
}

/// Three threads add numbers at the same time. loom also finds a thread that waits for ever.
#[test]
fn the_function_is_called_by_one_thread_at_a_time_for_all_that_is_added() {
    model(|| {
        let calls = Arc::new(Calls::default());
        let own = calls.clone();
        let turns = Arc::new(Turns::new(Vec::new(), move |number| own.call(number)));
        let add = |number| {
            let turns = turns.clone();
            thread::spawn(move || turns.take(|numbers: &mut Vec<usize>| numbers.push(number), Vec::pop))
        };
        let others = [add(1), add(2)];
        turns.take(|numbers| numbers.push(4), Vec::pop);
        others.into_iter().for_each(|other| other.join().unwrap());
        assert_eq!(calls.sum.load(Ordering::Relaxed), 7);
        assert!(turns.with(|numbers| numbers.is_empty()));
    });
}

/// The function adds a number itself, while another thread waits for its turn.
#[test]
fn what_the_function_adds_is_part_of_its_turn() {
    type Function = Box<dyn FnMut(usize) + Send>;
    type Own = std::sync::Mutex<Option<Arc<Turns<Vec<usize>, Function>>>>;
    model(|| {
        let calls = Arc::new(Calls::default());
        let (own, turns) = (calls.clone(), std::sync::Arc::new(Own::default()));
        let of_function = turns.clone();
        let function: Function = Box::new(move |number| {
            own.call(number);
            let turns = of_function.lock().unwrap().clone().filter(|_| number == 1);
            turns.into_iter().for_each(|turns| turns.take(|numbers| numbers.push(2), Vec::pop));
        });
        let both = Arc::new(Turns::new(Vec::new(), function));
        *turns.lock().unwrap() = Some(both.clone());
        let other = both.clone();
        let second = thread::spawn(move || other.take(|numbers| numbers.push(4), Vec::pop));
        both.take(|numbers| numbers.push(1), Vec::pop);
        second.join().unwrap();
        assert_eq!(calls.sum.load(Ordering::Relaxed), 7);
        // The function has a handle of itself.
        turns.lock().unwrap().take();
    });
}
