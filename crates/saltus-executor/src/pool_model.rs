//! Every interleaving of threads that choose callbacks, run them and wait, by loom.

/// What [`pool`] synchronizes by, model-checked.
mod sync {
    pub(super) use loom::sync::{Condvar, Mutex, MutexGuard};

    pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap()
    }

    pub(super) fn wait<'a, T>(condvar: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        condvar.wait(guard).unwrap()
    }
}

#[expect(clippy::duplicate_mod, reason = "the same code, synchronized by what loom checks")]
#[path = "pool.rs"]
mod pool;

use std::sync::Arc;

use loom::{
    sync::{
        Condvar, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};
use pool::{PoolOwner, ThreadPool};
use saltus_node::{Arrival, CallbackGroupKind, Context, ContextOptions, Executed, Node, Waitable, Waker};
use tracing::subscriber::NoSubscriber;

use crate::{
    entries::{CONTROL, Entries},
    executor::SpinError,
    handle::ExecutorHandle,
};

/// How many times a thread may be interrupted, if LOOM_MAX_PREEMPTIONS does not say.
const PREEMPTIONS: usize = 2;

/// A time that has not come.
const LATER: u64 = u64::MAX - 1;

/// What one model has in common: everything but the pool.
struct Spin {
    /// The classes that rang, and where the leader sleeps.
    rung: Mutex<u32>,
    bell: Condvar,
    is_over: AtomicBool,
    /// How many callbacks must still run.
    left: AtomicUsize,
    /// Which jobs ran, in order of their beginnings.
    order: Mutex<Vec<usize>>,
    /// A job has begun.
    begun: Condvar,
    /// How many callbacks of each group run at this moment.
    inside: [AtomicUsize; 2],
}

impl Spin {
    fn new(runs: usize) -> Arc<Self> {
        Arc::new(Self {
            rung: Mutex::new(0),
            bell: Condvar::new(),
            is_over: AtomicBool::new(false),
            left: AtomicUsize::new(runs),
            order: Mutex::new(Vec::new()),
            begun: Condvar::new(),
            inside: [AtomicUsize::new(0), AtomicUsize::new(0)],
        })
    }

    fn ring_class(&self, class: u32) {
        *self.rung.lock().unwrap() |= 1 << class;
        self.bell.notify_one();
    }
}

/// A subscription with messages, or a timer.
struct Job {
    spin: Arc<Spin>,
    number: usize,
    group: usize,
    messages: AtomicUsize,
    /// When it is due, if it is a timer: at once, or when the leader has waited for it.
    deadline: Option<Mutex<u64>>,
    is_inside: AtomicBool,
    is_exclusive: bool,
    /// Whether it may overlap itself.
    is_reentrant: bool,
    /// Whether its callback ends only when another has begun.
    waits_for_another: bool,
}

impl Job {
    fn enter(&self) {
        let is_first = !self.is_inside.swap(true, Ordering::AcqRel);
        assert!(is_first || self.is_reentrant, "a callback overlaps itself");
        let others = self.spin.inside[self.group].fetch_add(1, Ordering::AcqRel);
        assert!(!self.is_exclusive || others == 0, "two callbacks of an exclusive group overlap");
        let mut order = self.spin.order.lock().unwrap();
        order.push(self.number);
        self.spin.begun.notify_all();
        while self.waits_for_another && order.len() == 1 {
            order = self.spin.begun.wait(order).unwrap();
        }
    }

    fn leave(&self) {
        self.spin.inside[self.group].fetch_sub(1, Ordering::AcqRel);
        self.is_inside.store(false, Ordering::Release);
        if self.spin.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.spin.is_over.store(true, Ordering::Release);
            self.spin.ring_class(CONTROL);
        }
    }

    fn has_work(&self) -> bool {
        match &self.deadline {
            Some(deadline) => std::mem::replace(&mut *deadline.lock().unwrap(), LATER) == 0,
            None => {
                let take_one = |messages: usize| messages.checked_sub(1);
                self.messages.fetch_update(Ordering::AcqRel, Ordering::Acquire, take_one).is_ok()
            }
        }
    }
}

impl Waitable for Job {
    fn set_waker(&self, _: Option<&Waker>) {}

    fn is_timer(&self) -> bool {
        self.deadline.is_some()
    }

    fn deadline(&self) -> Option<u64> {
        self.deadline.as_ref().map(|deadline| *deadline.lock().unwrap())
    }

    fn is_reentrant(&self) -> bool {
        self.is_reentrant
    }

    fn has_more(&self) -> bool {
        self.messages.load(Ordering::Acquire) > 0
    }

    fn execute(&self) -> Executed {
        if !self.has_work() {
            return Executed::Nothing;
        }
        self.enter();
        self.leave();
        Executed::Ran(None)
    }
}

/// The executor of a model.
struct Model {
    spin: Arc<Spin>,
    jobs: Vec<Arc<Job>>,
    pool: ThreadPool<()>,
}

impl PoolOwner for Model {
    type Doorbell = ();

    fn is_over(&self) -> bool {
        self.spin.is_over.load(Ordering::Acquire)
    }

    fn ring(&self) {
        self.spin.ring_class(CONTROL);
    }

    fn collect(&self, (): &mut (), before: u32, _: &mut Entries) -> Result<u32, SpinError> {
        // Nothing comes or goes in a model.
        Ok((before | std::mem::take(&mut *self.spin.rung.lock().unwrap())) & !(1 << CONTROL))
    }

    /// The time that it waits for comes at once.
    fn wait(&self, (): &mut (), until: Option<u64>) -> u32 {
        let mut rung = self.spin.rung.lock().unwrap();
        if until.is_some() {
            let deadlines = self.jobs.iter().filter_map(|job| job.deadline.as_ref());
            deadlines.for_each(|deadline| *deadline.lock().unwrap() = 0);
            return std::mem::take(&mut rung);
        }
        while *rung == 0 {
            rung = self.spin.bell.wait(rung).unwrap();
        }
        std::mem::take(&mut rung)
    }

    fn observe(&self, (): &mut (), _: Arrival) {}
}

impl Model {
    /// Works on this thread and on another, until all is over.
    fn spin(self) -> Vec<usize> {
        let model = Arc::new(self);
        let other = model.clone();
        let helper = thread::spawn(move || other.work());
        model.work();
        helper.join().unwrap();
        model.spin.order.lock().unwrap().clone()
    }

    fn work(&self) {
        self.pool.work(self).unwrap();
        // As the executor does when a thread of it ends.
        self.ring();
        self.pool.wake_all();
    }
}

/// What models are made of: groups, in a graph of their own.
struct Fixture {
    control: Arc<Waker>,
    kind: CallbackGroupKind,
    node: Node,
    context: Context,
    _folder: tempfile::TempDir,
}

impl Fixture {
    fn new(kind: CallbackGroupKind) -> Self {
        let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
        let context = ContextOptions::default().folder(folder.path()).handle_signals(false).create().unwrap();
        let node = context.node("node").create().unwrap();
        let control = Arc::new(context.waiter().unwrap().waker(CONTROL));
        Self { control, kind, node, context, _folder: folder }
    }

    /// A subscription of each group in that list, with its messages. They have rung already.
    fn subscriptions(&self, spin: &Arc<Spin>, of_groups: &[(usize, usize)]) -> Model {
        let job = |(number, &(group, messages)): (usize, &(usize, usize))| Job {
            messages: AtomicUsize::new(messages),
            ..self.job(spin, number, group)
        };
        self.model(spin, of_groups.iter().enumerate().map(job).collect())
    }

    /// A subscription without messages.
    fn job(&self, spin: &Arc<Spin>, number: usize, group: usize) -> Job {
        Job {
            spin: spin.clone(),
            number,
            group,
            messages: AtomicUsize::new(0),
            deadline: None,
            is_inside: AtomicBool::new(false),
            is_exclusive: self.kind == CallbackGroupKind::MutuallyExclusive,
            is_reentrant: false,
            waits_for_another: false,
        }
    }

    fn model(&self, spin: &Arc<Spin>, jobs: Vec<Job>) -> Model {
        let jobs: Vec<Arc<Job>> = jobs.into_iter().map(Arc::new).collect();
        let mut entries = Entries::new(ExecutorHandle::new(&self.context, &self.control));
        let groups = [0, 1].map(|_| self.node.create_callback_group(self.kind, false));
        for job in &jobs {
            let waitable: Arc<dyn Waitable> = job.clone();
            groups[job.group].add(Arc::downgrade(&waitable));
        }
        groups.iter().for_each(|group| entries.handle.add_callback_group(group));
        entries.refresh();
        for entry in entries.iter_mut() {
            let waitable = entry.waitable.upgrade().unwrap();
            let job = jobs.iter().find(|job| std::ptr::addr_eq(Arc::as_ptr(job), Arc::as_ptr(&waitable)));
            let job = job.unwrap();
            entry.class = job.number as u32;
            entry.maybe = job.messages.load(Ordering::Relaxed) > 0;
        }
        Model { spin: spin.clone(), jobs, pool: ThreadPool::new((), entries) }
    }
}

fn model(check: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(PREEMPTIONS);
    // Loom logs each change of threads, and a context would print that.
    tracing::subscriber::with_default(NoSubscriber::default(), || builder.check(check));
}

/// Publishes a message to each of these subscriptions, on a thread of its own.
fn publish(jobs: Vec<Arc<Job>>) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        for job in jobs {
            job.messages.fetch_add(1, Ordering::AcqRel);
            job.spin.ring_class(job.number as u32);
        }
    })
}

/// Messages that come while threads run, wait or go to sleep are all taken: what rang is not lost between them.
#[test]
fn every_message_that_rings_is_taken() {
    let fixture = Fixture::new(CallbackGroupKind::Reentrant);
    model(move || {
        let spin = Spin::new(2);
        let executor = fixture.subscriptions(&spin, &[(0, 0), (1, 0)]);
        let publisher = publish(executor.jobs.clone());
        executor.spin();
        publisher.join().unwrap();
    });
}

/// While one thread is in a callback that does not end, the other leads and runs what rings.
#[test]
fn a_callback_that_blocks_keeps_nobody_from_another() {
    let fixture = Fixture::new(CallbackGroupKind::Reentrant);
    model(move || {
        let spin = Spin::new(2);
        let jobs = [0, 1].map(|number| Job { waits_for_another: true, ..fixture.job(&spin, number, number) });
        let executor = fixture.model(&spin, jobs.into());
        let publisher = publish(executor.jobs.clone());
        executor.spin();
        publisher.join().unwrap();
    });
}

/// Callbacks of an exclusive group never overlap, and each runs, though its turn came while the other ran.
#[test]
fn callbacks_of_an_exclusive_group_run_one_after_the_other() {
    let fixture = Fixture::new(CallbackGroupKind::MutuallyExclusive);
    model(move || {
        let spin = Spin::new(3);
        let executor = fixture.subscriptions(&spin, &[(0, 1), (0, 1), (1, 1)]);
        executor.spin();
    });
}

/// A re-entrant callback overlaps itself: the second call begins though the first does not end before.
#[test]
fn a_reentrant_callback_overlaps_itself() {
    let fixture = Fixture::new(CallbackGroupKind::Reentrant);
    model(move || {
        let spin = Spin::new(2);
        let job = fixture.job(&spin, 0, 0);
        let job = Job { messages: AtomicUsize::new(2), is_reentrant: true, waits_for_another: true, ..job };
        assert_eq!(fixture.model(&spin, vec![job]).spin(), [0, 0]);
    });
}

/// Any other callback never overlaps itself, in a re-entrant group either, though it is rung while it runs; and it comes back for
/// all its messages.
#[test]
fn a_callback_does_not_overlap_itself() {
    let fixture = Fixture::new(CallbackGroupKind::Reentrant);
    model(move || {
        let spin = Spin::new(3);
        let executor = fixture.subscriptions(&spin, &[(0, 2)]);
        let publisher = publish(executor.jobs.clone());
        assert_eq!(executor.spin(), [0, 0, 0]);
        publisher.join().unwrap();
    });
}

/// Who has waited longest is next: the second of a group runs before the first has a second turn.
#[test]
fn nobody_is_passed_over_twice() {
    let fixture = Fixture::new(CallbackGroupKind::MutuallyExclusive);
    model(move || {
        let spin = Spin::new(4);
        let executor = fixture.subscriptions(&spin, &[(0, 2), (0, 2)]);
        assert_eq!(executor.spin(), [0, 1, 0, 1]);
    });
}

/// A timer that ran while the leader looked for the next deadline is waited for once it has returned.
#[test]
fn a_timer_that_ran_when_the_leader_looked_is_waited_for() {
    let fixture = Fixture::new(CallbackGroupKind::MutuallyExclusive);
    model(move || {
        let spin = Spin::new(3);
        let timer = Job { deadline: Some(Mutex::new(0)), ..fixture.job(&spin, 0, 0) };
        fixture.model(&spin, vec![timer]).spin();
    });
}
