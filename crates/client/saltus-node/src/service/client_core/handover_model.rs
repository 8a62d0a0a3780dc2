//! A loom model of threads that wait for responses: loom checks all interleavings.

/// The synchronization types that [`handover`] uses, from loom.
mod sync {
    pub(super) use loom::sync::{
        Condvar, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicUsize, Ordering, fence},
    };
}

#[expect(clippy::duplicate_mod, reason = "the same code, with the synchronization types of loom")]
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

/// The number of preemptions that loom explores, if LOOM_MAX_PREEMPTIONS is not set.
const PREEMPTIONS: usize = 3;

/// A client with two calls, the queue of their responses, and a doorbell.
struct Client {
    /// The value is `true` while no thread leads.
    handover: Handover<bool>,
    done: [AtomicBool; 2],
    responses: Mutex<VecDeque<usize>>,
    /// Whether the doorbell was rung since the leader last checked.
    rung: Mutex<bool>,
    doorbell: Condvar,
}

impl Client {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            handover: Handover::new(true),
            done: [AtomicBool::new(false), AtomicBool::new(false)],
            responses: Mutex::new(VecDeque::new()),
            rung: Mutex::new(false),
            doorbell: Condvar::new(),
        })
    }

    fn ring(&self) {
        *self.rung.lock().unwrap() = true;
        self.doorbell.notify_one();
    }

    /// Sends the response of a call, like a server.
    fn respond(&self, call: usize) {
        self.responses.lock().unwrap().push_back(call);
        self.ring();
    }

    /// Takes a response, if there is one, and completes its call. Returns whether there was a response.
    fn take_one(&self, by_leader: bool) -> bool {
        let Some(call) = self.responses.lock().unwrap().pop_front() else { return false };
        self.done[call].store(true, Ordering::Release);
        self.handover.completed(by_leader, || self.ring());
        true
    }

    fn is_done(&self, call: usize) -> bool {
        self.done[call].load(Ordering::Acquire)
    }

    /// Waits for a call, like a blocking thread. There is no timeout, so loom finds a thread that sleeps for ever.
    fn wait_for(&self, call: usize) {
        let mut locked = self.handover.lock();
        while !self.is_done(call) {
            if locked.has_leader() {
                locked = self.handover.follow(locked, || self.is_done(call), Duration::MAX);
            } else {
                assert!(std::mem::take(&mut locked.value), "two threads lead");
                locked = self.handover.lead(locked, || self.serve(call));
                locked.value = true;
            }
        }
    }

    /// Takes the responses of all calls until `call` is done.
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
                rung = self.doorbell.wait(rung).unwrap();
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

/// Two threads wait, and a server sends both responses. The leader takes the response of the other thread too.
#[test]
fn every_thread_that_waits_gets_its_response() {
    model(|| {
        let client = Client::new();
        let other = client.clone();
        let second = thread::spawn(move || other.wait_for(1));
        let server = client.clone();
        let responses = thread::spawn(move || {
            server.respond(0);
            server.respond(1);
        });
        client.wait_for(0);
        second.join().unwrap();
        responses.join().unwrap();
    });
}

/// An executor takes the response of the leader. The leader must be woken, because no response rings the doorbell.
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

/// The leader gets its response and leaves. The other thread must lead then.
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
