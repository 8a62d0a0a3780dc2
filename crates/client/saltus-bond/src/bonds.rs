//! The bonds of a node.

use std::{
    sync::{
        Arc, Condvar, Mutex, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use saltus::{
    Node, Publisher, QoS, Subscription, Timer,
    msgs::{bond::msg::Status, std_msgs::msg::Header},
    node::NodeError,
    time::Clock,
    types::lock,
};

use crate::machine::{BondSettings, BondState, Machine};

/// The bonds of a node. They share a publisher, a subscription and a timer, however many there are.
#[derive(Debug)]
pub struct Bonds {
    core: Arc<BondsCore>,
    _subscription: Subscription<Status>,
    _timer: Timer,
}

/// The state that the subscription, the timer and the bonds share.
struct BondsCore {
    publisher: Publisher<Status>,
    clock: Clock,
    start: Instant,
    sides: Mutex<Vec<Arc<Side>>>,
}

impl std::fmt::Debug for BondsCore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bonds").finish_non_exhaustive()
    }
}

/// One side of a bond.
struct Side {
    id: String,
    instance: String,
    machine: Mutex<Machine>,
    /// Notified when the state of the machine has changed.
    changed: Condvar,
    /// The instance of the other side, once it has published a heartbeat.
    other: Mutex<Option<String>>,
    /// Whether `on_broken` was called.
    was_reported: AtomicBool,
    on_broken: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

/// A bond of a node. When it is dropped, the bond ends, and this is published once.
pub struct Bond {
    side: Arc<Side>,
    core: Weak<BondsCore>,
}

impl std::fmt::Debug for Bond {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bond").field("id", &self.side.id).finish_non_exhaustive()
    }
}

/// The period of the timer that publishes heartbeats and checks timeouts.
const TICK: Duration = Duration::from_millis(50);

impl Bonds {
    /// Opens the topic of bonds of a node. There is no bond yet.
    ///
    /// # Errors
    ///
    /// Returns an error if the topic can't be opened.
    pub fn new(node: &Node, topic: &str) -> Result<Self, NodeError> {
        let publisher = node.publisher(topic).qos(QoS::keep_last(5)).create()?;
        let core = Arc::new(BondsCore {
            publisher,
            clock: Clock::steady(),
            start: Instant::now(),
            sides: Mutex::default(),
        });
        let (receiver, timed) = (Arc::downgrade(&core), Arc::downgrade(&core));
        let receive = move |status: Status| {
            if let Some(core) = receiver.upgrade() {
                core.receive(&status);
            }
        };
        let subscription = node.subscription(topic).qos(QoS::keep_last(100)).callback(receive)?;
        let timer = node.wall_timer(TICK).callback(move || {
            if let Some(core) = timed.upgrade() {
                core.tick();
            }
        })?;
        Ok(Self { core, _subscription: subscription, _timer: timer })
    }

    /// Starts a bond with the other node that uses the same id.
    ///
    /// # Errors
    ///
    /// Returns an error if there is a bond with this id already.
    pub fn start(&self, id: &str, settings: BondSettings) -> Result<Bond, String> {
        let mut sides = lock(&self.core.sides);
        if sides.iter().any(|side| side.id == id) {
            return Err(format!("there is a bond `{id}` already"));
        }
        let side = Arc::new(Side {
            id: id.into(),
            instance: uuid::Uuid::new_v4().to_string(),
            machine: Mutex::new(Machine::new(settings, self.core.now())),
            changed: Condvar::new(),
            other: Mutex::default(),
            was_reported: AtomicBool::new(false),
            on_broken: Mutex::default(),
        });
        sides.push(side.clone());
        drop(sides);
        self.core.tick();
        Ok(Bond { side, core: Arc::downgrade(&self.core) })
    }
}

impl Bond {
    /// Returns the id.
    pub fn id(&self) -> &str {
        &self.side.id
    }

    /// Whether both sides have been alive at the same time.
    pub fn is_formed(&self) -> bool {
        lock(&self.side.machine).was_formed()
    }

    /// Waits until the other side is there, or the bond is broken. Returns whether it was formed. An executor must run the callbacks of
    /// the node meanwhile, on another thread.
    pub fn wait_until_formed(&self, timeout: Duration) -> bool {
        let is_open = |machine: &mut Machine| !machine.was_formed() && machine.state() != BondState::Dead;
        let machine = lock(&self.side.machine);
        let waited = self.side.changed.wait_timeout_while(machine, timeout, is_open);
        waited.unwrap_or_else(PoisonError::into_inner).0.was_formed()
    }

    /// Whether the bond is broken: one of the sides has ended it, or the heartbeats of the other side have stopped.
    pub fn is_broken(&self) -> bool {
        lock(&self.side.machine).state() == BondState::Dead
    }

    /// Calls a function once when the bond is broken, on the thread that notices it.
    pub fn on_broken(&self, callback: impl FnOnce() + Send + 'static) {
        *lock(&self.side.on_broken) = Some(Box::new(callback));
        self.side.report();
    }

    /// Ends the bond. This is published again and again until the other side answers, at most for
    /// [`BondSettings::disconnect_timeout`].
    pub fn end(&self) {
        let Some(core) = self.core.upgrade() else { return };
        if lock(&self.side.machine).end(core.now()) {
            core.publish(&self.side, false);
        }
        self.side.report();
    }
}

impl Drop for Bond {
    fn drop(&mut self) {
        self.end();
        if let Some(core) = self.core.upgrade() {
            lock(&core.sides).retain(|side| !Arc::ptr_eq(side, &self.side));
        }
    }
}

impl Side {
    /// Whether a message is from the other side: from the first instance that has published a heartbeat. A node that was started
    /// again is another instance. An instance that has ended its bond still publishes that for a while.
    fn is_other(&self, status: &Status) -> bool {
        let mut other = lock(&self.other);
        if other.is_none() && status.active {
            *other = Some(status.instance_id.clone());
        }
        other.as_ref() == Some(&status.instance_id)
    }

    /// Calls the callback if the bond is broken, once.
    fn report(&self) {
        if lock(&self.machine).state() != BondState::Dead || lock(&self.on_broken).is_none() {
            return;
        }
        if !self.was_reported.swap(true, Ordering::AcqRel) {
            // The lock is released before the call, because the callback may use the bond.
            let callback = lock(&self.on_broken).take();
            if let Some(callback) = callback {
                callback();
            }
        }
    }
}

impl BondsCore {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn sides(&self) -> Vec<Arc<Side>> {
        lock(&self.sides).clone()
    }

    /// Processes a message of another instance.
    fn receive(&self, status: &Status) {
        let is_it = |side: &&Arc<Side>| side.id == status.id && side.instance != status.instance_id;
        let Some(side) = self.sides().iter().find(is_it).cloned() else { return };
        if !side.is_other(status) {
            return;
        }
        let answer = lock(&side.machine).receive(status.active, self.now());
        side.changed.notify_all();
        if let Some(is_alive) = answer {
            self.publish(&side, is_alive);
        }
        side.report();
    }

    fn tick(&self) {
        for side in self.sides() {
            let due = lock(&side.machine).tick(self.now());
            if let Some(is_alive) = due {
                self.publish(&side, is_alive);
            }
            side.report();
        }
    }

    fn publish(&self, side: &Side, is_alive: bool) {
        let settings = *lock(&side.machine).settings();
        let status = Status {
            header: Header { stamp: self.clock.now().into(), ..Header::default() },
            id: side.id.clone(),
            instance_id: side.instance.clone(),
            active: is_alive,
            heartbeat_timeout: settings.heartbeat_timeout.unwrap_or_default().as_secs_f32(),
            heartbeat_period: settings.heartbeat_period.as_secs_f32(),
        };
        // The error is ignored, because further messages follow.
        let _ = self.publisher.publish(&status);
    }
}
