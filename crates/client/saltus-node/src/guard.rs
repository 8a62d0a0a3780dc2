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

use crate::{CallbackGroup, CallbackGroupKind, Executed, Node, Waitable, callback::Callback};

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
        GuardCondition::new(group, Callback::exclusive(Box::new(callback)))
    }

    /// Creates a guard condition whose callback belongs to a group. If the group is re-entrant, several threads may run
    /// the callback at the same time.
    pub fn reentrant_guard_condition(
        &self,
        group: &CallbackGroup,
        callback: impl Fn() + Send + Sync + 'static,
    ) -> GuardCondition {
        let callback: GuardCallback = match group.kind() {
            CallbackGroupKind::Reentrant => Callback::Reentrant(Box::new(callback)),
            CallbackGroupKind::MutuallyExclusive => Callback::exclusive(Box::new(callback)),
        };
        GuardCondition::new(group, callback)
    }
}

type GuardCallback = Callback<dyn FnMut() + Send, dyn Fn() + Send + Sync>;

/// A condition that any thread can trigger. An executor then calls its callback. Dropping the condition ends the calls.
///
/// If the condition is triggered several times before the callback runs, the callback runs once.
#[must_use = "dropping it ends the calls; keep it in a variable, because `let _ =` drops it at once"]
pub struct GuardCondition(Arc<GuardCore>);

struct GuardCore {
    is_triggered: AtomicBool,
    callback: GuardCallback,
    waker: Mutex<Option<Waker>>,
    /// Keeps the callback group alive.
    _group: CallbackGroup,
}

impl GuardCondition {
    pub(crate) fn new(group: &CallbackGroup, callback: GuardCallback) -> Self {
        let core = Arc::new(GuardCore {
            is_triggered: AtomicBool::new(false),
            callback,
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
        let take = || self.is_triggered.swap(false, Ordering::AcqRel);
        let ran = match &self.callback {
            Callback::Exclusive(callback) => {
                let mut callback = lock(callback);
                take().then(&mut **callback)
            }
            Callback::Reentrant(callback) => take().then(callback),
        };
        ran.map_or(Executed::Nothing, |()| Executed::Ran(None))
    }

    fn is_reentrant(&self) -> bool {
        self.callback.is_reentrant()
    }

    fn has_more(&self) -> bool {
        self.is_triggered.load(Ordering::Acquire)
    }
}
