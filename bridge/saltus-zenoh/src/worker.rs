//! Threads that do what may wait for others: for a link that is slow, or for a subscription that keeps all messages.
//!
//! The thread of the domain and the threads of zenoh must not wait. So they put such work into a [`Queue`], and a [`Worker`] works
//! on all its queues in turn.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use saltus_types::lock;

/// A thread that works on the items of several queues, on one of each in turn. It starts with the first item. When this is dropped, it
/// does what waits still, and ends.
#[derive(Debug)]
pub(crate) struct Worker(Arc<Turns>);

/// The queues that have items, in the order of their turns.
#[derive(Debug)]
struct Turns {
    name: &'static str,
    state: Mutex<TurnState>,
    is_ready: Condvar,
}

#[derive(Default)]
struct TurnState {
    waiting: VecDeque<Arc<dyn Work>>,
    is_started: bool,
    is_over: bool,
}

impl std::fmt::Debug for TurnState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TurnState").field("waiting", &self.waiting.len()).finish_non_exhaustive()
    }
}

/// A queue, for the thread.
trait Work: Send + Sync {
    /// Works on the next item. Returns whether there are more.
    fn work_on_next(&self) -> bool;
}

/// Items that wait for a thread.
///
/// **Invariant:** at most `max` wait, and items are worked on in their order.
pub(crate) struct Queue<T> {
    turns: Arc<Turns>,
    max: usize,
    max_age: Option<Duration>,
    items: Mutex<Items<T>>,
    /// Notified when an item was taken.
    room: Condvar,
    work: Box<dyn Fn(T) + Send + Sync>,
}

impl<T> std::fmt::Debug for Queue<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("max", &self.max).finish_non_exhaustive()
    }
}

struct Items<T> {
    waiting: VecDeque<(Instant, T)>,
    /// The number of items that were dropped since the last one was added.
    dropped: u64,
    /// Whether the queue waits for its turn, or is worked on.
    has_turn: bool,
}

impl Worker {
    /// Creates a worker. The name is that of its thread.
    pub(crate) fn new(name: &'static str) -> Self {
        Self(Arc::new(Turns { name, state: Mutex::default(), is_ready: Condvar::new() }))
    }

    /// Creates a queue. If more than `max` items wait, the oldest ones are dropped. With `max_age`, so is an item that has waited for
    /// longer if there is a newer one.
    pub(crate) fn queue<T: Send + 'static>(
        &self,
        max: usize,
        max_age: Option<Duration>,
        work: impl Fn(T) + Send + Sync + 'static,
    ) -> Arc<Queue<T>> {
        let items = Mutex::new(Items { waiting: VecDeque::new(), dropped: 0, has_turn: false });
        Arc::new(Queue {
            turns: self.0.clone(),
            max,
            max_age,
            items,
            room: Condvar::new(),
            work: Box::new(work),
        })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        lock(&self.0.state).is_over = true;
        self.0.is_ready.notify_one();
    }
}

impl Turns {
    /// Gives a queue a turn. Starts the thread if there is none. Returns `false` if the system has no thread.
    fn add(self: &Arc<Self>, queue: Arc<dyn Work>) -> bool {
        let mut state = lock(&self.state);
        if !state.is_started {
            let turns = self.clone();
            let started = thread::Builder::new().name(self.name.into()).spawn(move || turns.run());
            state.is_started = started.is_ok();
        }
        if state.is_started {
            state.waiting.push_back(queue);
            self.is_ready.notify_one();
        }
        state.is_started
    }

    fn run(&self) {
        let mut state = lock(&self.state);
        loop {
            let Some(queue) = state.waiting.pop_front() else {
                if state.is_over {
                    return;
                }
                state = self.is_ready.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(state);
            let has_more = queue.work_on_next();
            state = lock(&self.state);
            if has_more {
                state.waiting.push_back(queue);
            }
        }
    }
}

impl<T: Send + 'static> Queue<T> {
    /// Adds an item. Returns the number of items that were dropped since the last one was added.
    pub(crate) fn push(self: &Arc<Self>, item: T) -> u64 {
        let mut items = lock(&self.items);
        items.waiting.push_back((Instant::now(), item));
        let too_many = items.waiting.len().saturating_sub(self.max);
        let dropped: Vec<_> = items.waiting.drain(..too_many).collect();
        if !items.has_turn {
            // Without a thread, the next item tries again.
            items.has_turn = self.turns.add(self.clone());
        }
        let before = std::mem::take(&mut items.dropped);
        drop(items);
        dropped.len() as u64 + before
    }

    /// Takes the next item. Those before it are dropped if they are too old.
    fn next(&self) -> Option<T> {
        let mut items = lock(&self.items);
        let is_old = |since: &Instant| self.max_age.is_some_and(|max_age| since.elapsed() > max_age);
        while let [(since, _), _, ..] = items.waiting.make_contiguous()
            && is_old(since)
        {
            items.waiting.pop_front();
            items.dropped += 1;
        }
        items.waiting.pop_front().map(|(_, item)| item)
    }

    /// Waits until an item can be added without dropping another one, at most for `time`. Returns whether it can.
    pub(crate) fn wait_for_room(&self, time: Duration) -> bool {
        let is_full = |items: &mut Items<T>| items.waiting.len() >= self.max;
        let waited = self.room.wait_timeout_while(lock(&self.items), time, is_full);
        let (mut items, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !is_full(&mut items)
    }
}

impl<T: Send + 'static> Work for Queue<T> {
    fn work_on_next(&self) -> bool {
        // The lock is not held while the item is worked on. That may take long.
        let item = self.next();
        self.room.notify_all();
        // The other queues, and the later items, need the thread after a panic. It was printed.
        let _ = catch_unwind(AssertUnwindSafe(|| item.into_iter().for_each(&self.work)));
        let mut items = lock(&self.items);
        items.has_turn = !items.waiting.is_empty();
        items.has_turn
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn lines_are_worked_on_in_turn_and_each_in_its_order() {
        let worker = Worker::new("test");
        let (done, results) = mpsc::channel();
        let (go, gate) = mpsc::channel::<()>();
        let gate = Mutex::new(gate);
        let first = {
            let done = done.clone();
            worker.queue(100, None, move |item: u32| {
                lock(&gate).recv().unwrap();
                done.send(("first", item)).unwrap();
            })
        };
        let second = worker.queue(100, None, move |item| done.send(("second", item)).unwrap());
        (1..=3).for_each(|item| assert_eq!(first.push(item), 0));
        (1..=3).for_each(|item| assert_eq!(second.push(item), 0));
        (0..3).for_each(|_| go.send(()).unwrap());
        let all: Vec<(&str, u32)> = results.iter().take(6).collect();
        let of =
            |name| all.iter().filter(|(queue, _)| *queue == name).map(|(_, item)| *item).collect::<Vec<_>>();
        assert_eq!((of("first"), of("second")), (vec![1, 2, 3], vec![1, 2, 3]));
        assert_eq!(all.iter().map(|(queue, _)| *queue).collect::<Vec<_>>(), ["first", "second"].repeat(3));
    }

    /// A queue whose items are worked on one by one, when the test says so.
    struct Gated {
        queue: Arc<Queue<u32>>,
        begins: mpsc::Receiver<()>,
        go: mpsc::Sender<()>,
        results: mpsc::Receiver<u32>,
        _worker: Worker,
    }

    impl Gated {
        fn new(max: usize, max_age: Option<Duration>) -> Self {
            let worker = Worker::new("test");
            let (done, results) = mpsc::channel();
            let (begun, begins) = mpsc::channel();
            let (go, gate) = mpsc::channel::<()>();
            let gate = Mutex::new(gate);
            let queue = worker.queue(max, max_age, move |item: u32| {
                begun.send(()).unwrap();
                lock(&gate).recv().unwrap();
                assert!(item != PANICS);
                done.send(item).unwrap();
            });
            Self { queue, begins, go, results, _worker: worker }
        }

        /// Finishes all items, and returns those that were worked on.
        fn finish(&self, count: usize) -> Vec<u32> {
            (0..count).for_each(|_| self.go.send(()).unwrap());
            self.results.iter().take(count).collect()
        }
    }

    /// An item on which the work panics.
    const PANICS: u32 = 13;

    #[test]
    fn the_oldest_items_go_if_too_many_wait() {
        let gated = Gated::new(2, None);
        gated.queue.push(1);
        // The first one is worked on, and does not count.
        gated.begins.recv().unwrap();
        assert_eq!([2, 3].map(|item| gated.queue.push(item)), [0, 0]);
        assert!(!gated.queue.wait_for_room(Duration::ZERO));
        assert_eq!([4, 5].map(|item| gated.queue.push(item)), [1, 1]);
        assert_eq!(gated.finish(3), [1, 4, 5]);
    }

    #[test]
    fn items_that_are_too_old_go_if_there_is_a_newer_one() {
        let gated = Gated::new(10, Some(Duration::ZERO));
        gated.queue.push(1);
        gated.begins.recv().unwrap();
        assert_eq!([2, 3, 4].map(|item| gated.queue.push(item)), [0, 0, 0]);
        gated.go.send(()).unwrap();
        gated.begins.recv().unwrap();
        assert_eq!(gated.queue.push(5), 2, "those that the fourth one has replaced");
        (0..2).for_each(|_| gated.go.send(()).unwrap());
        assert_eq!(gated.results.iter().take(3).collect::<Vec<_>>(), [1, 4, 5]);
    }

    #[test]
    fn a_panic_of_one_item_leaves_the_others_their_thread() {
        let gated = Gated::new(10, None);
        assert_eq!([PANICS, 1].map(|item| gated.queue.push(item)), [0, 0]);
        gated.go.send(()).unwrap();
        assert_eq!(gated.finish(1), [1]);
    }
}
