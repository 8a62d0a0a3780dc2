//! Checks every interleaving of threads that wait for responses, with loom.

/// The synchronization that [`handover`] uses, checked by loom.
mod sync {
    pub(super) use loom::sync::{
        Condvar, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicUsize, Ordering, fence},
    };
}

#[expect(clippy::duplicate_mod, reason = "the same code, synchronized by what loom checks")]
#[path = "handover.rs"]
mod handover;

use std::{collections::VecDeque, time::Duration};

use handover::Handover;
use loom::{
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// How many times a thread may be interrupted, if LOOM_MAX_PREEMPTIONS is not set.
const PREEMPTIONS: usize = 3;

/// A client: calls that wait, responses that have come, and a doorbell.
struct Client {
    /// The value is `true` while no thread leads.
    handover: Handover<bool>,
    done: [AtomicBool; 2],
    responses: Mutex<VecDeque<usize>>,
    /// Whether it was rung since the leader last checked.
    rung: Mutex<bool>,
    bell: Condvar,
}

impl Client {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            handover: Handover::new(true),
            done: [AtomicBool::new(false), AtomicBool::new(false)],
            responses: Mutex::new(VecDeque::new()),
            rung: Mutex::new(false),
            bell: Condvar::new(),
        })
    }

    fn ring(&self) {
        *self.rung.lock().unwrap() = true;
        self.bell.notify_one();
    }

    /// A server answers a call.
    fn respond(&self, call: usize) {
        self.responses.lock().unwrap().push_back(call);
        self.ring();
    }

    /// Takes a response, and completes its call. Returns whether there was one.
    fn take_one(&self, by_leader: bool) -> bool {
        let Some(call) = self.responses.lock().unwrap().pop_front() else { return false };
        self.done[call].store(true, Ordering::Release);
        self.handover.completed(by_leader, || self.ring());
        true
    }

    fn is_done(&self, call: usize) -> bool {
        self.done[call].load(Ordering::Acquire)
    }

    /// Waits for a call, as a blocking thread does. There is no time-out, so loom finds a thread that sleeps for ever.
    fn wait_for(&self, call: usize) {
        let mut turn = self.handover.lock();
        while !self.is_done(call) {
            if turn.has_leader() {
                turn = self.handover.follow(turn, || self.is_done(call), Duration::MAX);
            } else {
                assert!(std::mem::take(&mut turn.value), "two threads lead");
                turn = self.handover.lead(turn, || self.serve(call));
                turn.value = true;
            }
        }
    }

    /// Takes responses for all until its own call is done.
    fn serve(&self, call: usize) {
        loop {
            while self.take_one(true) {
                if self.is_done(call) {
                    return;
                }
            }
            if self.is_done(call) {
                return;
            }
            let mut rung = self.rung.lock().unwrap();
            while !*rung {
                rung = self.bell.wait(rung).unwrap();
            }
            *rung = false;
        }
    }
}

fn model(check: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(PREEMPTIONS);
    builder.check(check);
}

/// Two threads wait, and a server answers both: the leader takes the response of the other thread.
#[test]
fn every_thread_that_waits_gets_its_response() {
    model(|| {
        let client = Client::new();
        let other = client.clone();
        let second = thread::spawn(move || other.wait_for(1));
        let server = client.clone();
        let answers = thread::spawn(move || {
            server.respond(0);
            server.respond(1);
        });
        client.wait_for(0);
        second.join().unwrap();
        answers.join().unwrap();
    });
}

/// An executor takes the response of the leader, so the doorbell does not wake the leader.
#[test]
fn a_response_that_an_executor_takes_wakes_the_leader() {
    model(|| {
        let client = Client::new();
        client.respond(0);
        let executor = client.clone();
        let takes = thread::spawn(move || executor.take_one(false));
        client.wait_for(0);
        takes.join().unwrap();
    });
}

/// The leader gets its response and leaves: one of the others leads.
#[test]
fn when_the_leader_leaves_another_leads() {
    model(|| {
        let client = Client::new();
        client.respond(0);
        let other = client.clone();
        let second = thread::spawn(move || other.wait_for(1));
        client.wait_for(0);
        client.respond(1);
        second.join().unwrap();
    });
}
