//! A thread that receives simulated time for a node that nobody spins.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    thread,
};

use saltus_host::{WaitStrategy, Waiter, Waker};

use crate::{Executed, Waitable};

/// What the thread is to do. A number, because the thread and its owner share it.
const WAIT: u8 = 0;
const RUN: u8 = 1;
const END: u8 = 2;

/// The owner of a thread that runs waitables. When it is dropped, the thread ends soon. It is not joined, because it may
/// run a callback that waits for who drops this.
pub(crate) struct ClockThread {
    order: Arc<AtomicU8>,
    waker: Waker,
}

impl ClockThread {
    /// Starts the thread. It runs nothing before [`ClockThread::run`].
    pub(crate) fn start(waiter: Waiter, waitables: Vec<Arc<dyn Waitable>>) -> io::Result<Self> {
        let order = Arc::new(AtomicU8::new(WAIT));
        let waker = waiter.waker(0);
        let (shared, bell) = (order.clone(), waker.clone());
        thread::Builder::new()
            .name("clock".into())
            .spawn(move || follow(waiter, &bell, &waitables, &shared))?;
        Ok(Self { order, waker })
    }

    /// Lets the thread run the waitables.
    pub(crate) fn run(&self) {
        self.order(RUN);
    }

    fn order(&self, order: u8) {
        self.order.store(order, Ordering::Release);
        self.waker.ring();
    }
}

impl Drop for ClockThread {
    fn drop(&mut self) {
        self.order(END);
    }
}

fn follow(mut waiter: Waiter, bell: &Waker, waitables: &[Arc<dyn Waitable>], order: &AtomicU8) {
    let mut is_running = false;
    // A waiter that can't be woken any more belongs to a forked child or an expelled context.
    while waiter.check().is_ok() {
        match order.load(Ordering::Acquire) {
            END => break,
            RUN if !is_running => {
                is_running = true;
                waitables.iter().for_each(|one| one.set_waker(Some(bell)));
            }
            _ => {}
        }
        let mut deadline = None;
        if is_running {
            for one in waitables {
                while matches!(one.execute(), Executed::Ran(_)) {}
            }
            deadline = waitables.iter().filter(|one| one.is_timer()).filter_map(|one| one.deadline()).min();
        }
        waiter.wait(WaitStrategy::Block, deadline);
    }
    waitables.iter().for_each(|one| one.set_waker(None));
}
