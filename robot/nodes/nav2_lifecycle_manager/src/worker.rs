//! The thread that manages the nodes. The executor of the component is free in the meantime, so that bonds are formed.

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

/// A command, and the sender of its result.
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

/// The period in which the thread checks whether all nodes are there to be brought up.
const SOON: Duration = Duration::from_millis(5);
/// The period in which the nodes are checked.
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
            // A panic of the thread was logged already.
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
                // After the first command, the nodes are not brought up by themselves.
                waits = false;
                manager.forget_missing();
                let success = obey(&mut manager, command);
                // The client may be gone.
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
