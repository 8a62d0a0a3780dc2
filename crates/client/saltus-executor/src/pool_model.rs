//! Loom models of the thread pool: loom checks all interleavings of threads that pick callbacks, run them and wait.

/// The synchronization types that [`pool`] uses, from loom.
mod sync {
    pub(super) use loom::sync::{Condvar, Mutex, MutexGuard};

    pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap()
    }

    pub(super) fn wait<'a, T>(condvar: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        condvar.wait(guard).unwrap()
    }
}

#[expect(clippy::duplicate_mod, reason = "the same code, with the synchronization types of loom")]
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

use crate::{entries::Entries, executor::SpinError, handle::ExecutorHandle, listed::CONTROL};

/// The number of preemptions that loom explores, if LOOM_MAX_PREEMPTIONS is not set.
const PREEMPTIONS: usize = 2;

/// A time in the future.
const LATER: u64 = u64::MAX - 1;

/// The state that the jobs and threads of a model share, except the pool.
struct Spin {
    /// The classes that were rung. The leader sleeps on `doorbell`, which uses this lock.
    rung: Mutex<u32>,
    doorbell: Condvar,
    is_over: AtomicBool,
    /// The number of callbacks that must still run.
    left: AtomicUsize,
    /// The numbers of the jobs that ran, in the order in which they began.
    order: Mutex<Vec<usize>>,
    /// Notified when a job has begun.
    begun: Condvar,
    /// The number of running callbacks of each group.
    running: [AtomicUsize; 2],
}

impl Spin {
    fn new(runs: usize) -> Arc<Self> {
        Arc::new(Self {
            rung: Mutex::new(0),
            doorbell: Condvar::new(),
            is_over: AtomicBool::new(false),
            left: AtomicUsize::new(runs),
            order: Mutex::new(Vec::new()),
            begun: Condvar::new(),
            running: [AtomicUsize::new(0), AtomicUsize::new(0)],
        })
    }

    fn ring_class(&self, class: u32) {
        *self.rung.lock().unwrap() |= 1 << class;
        self.doorbell.notify_one();
    }
}

/// A subscription with messages, or a timer.
struct Job {
    spin: Arc<Spin>,
    number: usize,
    group: usize,
    messages: AtomicUsize,
    /// When the job is due, if it is a timer. After it has run, it is due again when the leader has waited for it.
    deadline: Option<Mutex<u64>>,
    is_running: AtomicBool,
    is_exclusive: bool,
    /// Whether the callback may overlap itself.
    is_reentrant: bool,
    /// Whether the callback ends only after another callback has begun.
    waits_for_another: bool,
}

impl Job {
    fn enter(&self) {
        let is_first = !self.is_running.swap(true, Ordering::AcqRel);
        assert!(is_first || self.is_reentrant, "a callback overlaps itself");
        let others = self.spin.running[self.group].fetch_add(1, Ordering::AcqRel);
        assert!(!self.is_exclusive || others == 0, "two callbacks of an exclusive group overlap");
        let mut order = self.spin.order.lock().unwrap();
        order.push(self.number);
        self.spin.begun.notify_all();
        while self.waits_for_another && order.len() == 1 {
            order = self.spin.begun.wait(order).unwrap();
        }
    }

    fn leave(&self) {
        self.spin.running[self.group].fetch_sub(1, Ordering::AcqRel);
        self.is_running.store(false, Ordering::Release);
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
        // In a model no entry is added or removed, so nothing is listed.
        Ok((before | std::mem::take(&mut *self.spin.rung.lock().unwrap())) & !(1 << CONTROL))
    }

    /// In a model, the time for which the leader waits comes at once: the timers become due, and ring.
    fn wait(&self, (): &mut (), until: Option<u64>) -> u32 {
        let mut rung = self.spin.rung.lock().unwrap();
        if until.is_some() {
            let timers = self.jobs.iter().filter(|job| job.deadline.is_some());
            for timer in timers {
                *timer.deadline.as_ref().unwrap().lock().unwrap() = 0;
                *rung |= 1 << timer.number;
            }
            return std::mem::take(&mut rung);
        }
        while *rung == 0 {
            rung = self.spin.doorbell.wait(rung).unwrap();
        }
        std::mem::take(&mut rung)
    }

    fn observe(&self, (): &mut (), _: Arrival) {}
}

impl Model {
    /// Runs callbacks on this thread and another thread until the end. Returns the order in which the jobs ran.
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
        // This is what the executor does when one of its threads ends.
        self.ring();
        self.pool.wake_all();
    }
}

/// A context, and a node whose groups the models use.
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

    /// Creates a model with a subscription for each pair of a group and a number of messages. The doorbell was rung for
    /// these messages already.
    fn subscriptions(&self, spin: &Arc<Spin>, of_groups: &[(usize, usize)]) -> Model {
        let job = |(number, &(group, messages)): (usize, &(usize, usize))| Job {
            messages: AtomicUsize::new(messages),
            ..self.job(spin, number, group)
        };
        self.model(spin, of_groups.iter().enumerate().map(job).collect())
    }

    /// Creates a subscription without messages.
    fn job(&self, spin: &Arc<Spin>, number: usize, group: usize) -> Job {
        Job {
            spin: spin.clone(),
            number,
            group,
            messages: AtomicUsize::new(0),
            deadline: None,
            is_running: AtomicBool::new(false),
            is_exclusive: self.kind == CallbackGroupKind::MutuallyExclusive,
            is_reentrant: false,
            waits_for_another: false,
        }
    }

    fn model(&self, spin: &Arc<Spin>, jobs: Vec<Job>) -> Model {
        let jobs: Vec<Arc<Job>> = jobs.into_iter().map(Arc::new).collect();
        let mut entries = Entries::new(ExecutorHandle::new(&self.context, &self.control));
        let groups = [0, 1].map(|_| self.node.manual_callback_group(self.kind));
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
            entry.maybe_ready = job.messages.load(Ordering::Relaxed) > 0;
        }
        entries.list_classes();
        Model { spin: spin.clone(), jobs, pool: ThreadPool::new((), entries) }
    }
}

fn model(check: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(PREEMPTIONS);
    // Loom logs each thread switch. These logs are disabled, because a context would print them.
    tracing::subscriber::with_default(NoSubscriber::default(), || builder.check(check));
}

/// Publishes one message to each of the subscriptions, on a separate thread.
fn publish(jobs: Vec<Arc<Job>>) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        for job in jobs {
            job.messages.fetch_add(1, Ordering::AcqRel);
            job.spin.ring_class(job.number as u32);
        }
    })
}

/// All messages that come while threads run, wait or begin to sleep are taken. No ring is lost.
#[test]
fn every_message_is_taken() {
    let fixture = Fixture::new(CallbackGroupKind::Reentrant);
    model(move || {
        let spin = Spin::new(2);
        let executor = fixture.subscriptions(&spin, &[(0, 0), (1, 0)]);
        let publisher = publish(executor.jobs.clone());
        executor.spin();
        publisher.join().unwrap();
    });
}

/// While one thread runs a callback that blocks, the other thread leads and runs other callbacks.
#[test]
fn a_blocking_callback_does_not_stop_other_callbacks() {
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

/// Callbacks of an exclusive group never overlap. Each of them runs, even if its message came while another callback
/// was running.
#[test]
fn callbacks_of_an_exclusive_group_run_one_after_the_other() {
    let fixture = Fixture::new(CallbackGroupKind::MutuallyExclusive);
    model(move || {
        let spin = Spin::new(3);
        let executor = fixture.subscriptions(&spin, &[(0, 1), (0, 1), (1, 1)]);
        executor.spin();
    });
}

/// A re-entrant callback overlaps itself: its second call begins before the first one ends.
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

/// A callback that is not re-entrant never overlaps itself, even if its group is re-entrant and a message comes while
/// it runs. It runs once for each message.
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

/// The entry that has not run for the longest time runs next. So the second entry of a group runs before the first
/// entry runs again.
#[test]
fn no_entry_runs_twice_while_another_waits() {
    let fixture = Fixture::new(CallbackGroupKind::MutuallyExclusive);
    model(move || {
        let spin = Spin::new(4);
        let executor = fixture.subscriptions(&spin, &[(0, 2), (0, 2)]);
        assert_eq!(executor.spin(), [0, 1, 0, 1]);
    });
}

/// A timer may be running when the leader begins to wait, so that the leader does not wait for its deadline. When the
/// timer has returned, the leader is woken to wait for it.
#[test]
fn a_timer_that_was_running_when_the_leader_began_to_wait_runs_again() {
    let fixture = Fixture::new(CallbackGroupKind::MutuallyExclusive);
    model(move || {
        let spin = Spin::new(3);
        let timer = Job { deadline: Some(Mutex::new(0)), ..fixture.job(&spin, 0, 0) };
        fixture.model(&spin, vec![timer]).spin();
    });
}
