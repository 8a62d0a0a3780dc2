//! The thread that manages the nodes. The executor of the component is free meanwhile, so that bonds are formed.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{Builder, JoinHandle},
    time::{Duration, Instant},
};

use saltus::{
    msgs::nav2_msgs::srv::{
        ManageLifecycleNodes, ManageLifecycleNodes_Request as Command, ManageLifecycleNodes_Response,
    },
    service::Responder,
};

use crate::manager::Manager;

/// A command, and where the result is sent.
pub(crate) struct Order {
    pub(crate) command: u8,
    pub(crate) responder: Responder<ManageLifecycleNodes>,
}

/// The thread. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Worker {
    is_closed: Arc<AtomicBool>,
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
}

/// How often it is looked whether all nodes are there to be brought up.
const SOON: Duration = Duration::from_millis(5);
/// How often the nodes are looked at.
const WATCH: Duration = Duration::from_millis(100);

impl Worker {
    /// Starts the thread. It brings the nodes up if `autostart`.
    pub(crate) fn start(manager: Manager, autostart: bool, is_closed: Arc<AtomicBool>) -> io::Result<Self> {
        let (sender, orders) = channel();
        let thread =
            Builder::new().name("lifecycle".into()).spawn(move || work(manager, autostart, &orders))?;
        Ok(Self { is_closed, orders: Some(sender), thread: Some(thread) })
    }

    pub(crate) fn orders(&self) -> Option<Sender<Order>> {
        self.orders.clone()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.is_closed.store(true, Ordering::Release);
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // A thread that has panicked has said so.
            let _ = thread.join();
        }
    }
}

fn work(mut manager: Manager, autostart: bool, orders: &Receiver<Order>) {
    let mut waits = autostart;
    let mut watched = Instant::now();
    while !manager.is_closed() {
        if waits && manager.are_there() {
            waits = false;
            manager.startup();
        }
        if watched.elapsed() >= WATCH {
            manager.watch();
            watched = Instant::now();
        }
        match orders.recv_timeout(if waits { SOON } else { WATCH }) {
            Ok(Order { command, responder }) => {
                // From now on, it is others who decide.
                waits = false;
                manager.forget_missing();
                let success = obey(&mut manager, command);
                // A client that is gone does not need it.
                let _ = responder.send(&ManageLifecycleNodes_Response { success });
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn obey(manager: &mut Manager, command: u8) -> bool {
    match command {
        Command::STARTUP => manager.startup(),
        Command::CONFIGURE => manager.configure(),
        Command::CLEANUP => manager.cleanup(),
        Command::RESET => manager.reset(),
        Command::SHUTDOWN => manager.shutdown(),
        Command::PAUSE => manager.pause(),
        Command::RESUME => manager.resume(),
        _ => false,
    }
}
