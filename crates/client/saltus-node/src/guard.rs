//! Guard conditions: callbacks that the program triggers itself.

use std::{
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use saltus_host::Waker;
use saltus_types::lock;

use crate::{CallbackGroup, Executed, Node, Waitable};

impl Node {
    /// Creates a guard condition. An executor calls `callback` after the condition was triggered, until the condition
    /// is dropped.
    pub fn guard_condition(&self, callback: impl FnMut() + Send + 'static) -> GuardCondition {
        self.guard_condition_in(self.default_callback_group(), callback)
    }

    /// Creates a guard condition whose callback belongs to a group.
    pub fn guard_condition_in(
        &self,
        group: &CallbackGroup,
        callback: impl FnMut() + Send + 'static,
    ) -> GuardCondition {
        GuardCondition::new(group, Box::new(callback))
    }
}

/// A condition that any thread can trigger. An executor then calls its callback. Dropping the condition ends the calls.
///
/// If the condition is triggered several times before the callback runs, the callback runs once.
#[must_use = "dropping it ends the calls; keep it in a variable, because `let _ =` drops it at once"]
pub struct GuardCondition(Arc<GuardCore>);

struct GuardCore {
    is_triggered: AtomicBool,
    callback: Mutex<Box<dyn FnMut() + Send>>,
    waker: Mutex<Option<Waker>>,
    /// Keeps the callback group alive.
    _group: CallbackGroup,
}

impl GuardCondition {
    pub(crate) fn new(group: &CallbackGroup, callback: Box<dyn FnMut() + Send>) -> Self {
        let core = Arc::new(GuardCore {
            is_triggered: AtomicBool::new(false),
            callback: Mutex::new(callback),
            waker: Mutex::default(),
            _group: group.clone(),
        });
        let as_waitable: Arc<dyn Waitable> = core.clone();
        group.add(Arc::downgrade(&as_waitable));
        Self(core)
    }

    /// Triggers the condition: an executor calls the callback.
    pub fn trigger(&self) {
        self.0.is_triggered.store(true, Ordering::Release);
        if let Some(waker) = &*lock(&self.0.waker) {
            waker.ring();
        }
    }
}

impl fmt::Debug for GuardCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardCondition").field("is_triggered", &self.0.is_triggered).finish_non_exhaustive()
    }
}

impl Waitable for GuardCore {
    fn set_waker(&self, waker: Option<&Waker>) {
        *lock(&self.waker) = waker.cloned();
        // The condition may have been triggered before it had a waker.
        waker.inspect(|waker| waker.ring());
    }

    fn execute(&self) -> Executed {
        let mut callback = lock(&self.callback);
        if !self.is_triggered.swap(false, Ordering::AcqRel) {
            return Executed::Nothing;
        }
        callback();
        Executed::Ran(None)
    }
}
