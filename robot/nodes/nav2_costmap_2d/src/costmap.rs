//! The costmap, its frames and its times, for servers.

use std::{
    ops::{Deref, DerefMut},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use saltus::{lifecycle::WeakLifecycleNode, msgs::std_msgs::msg::Header, time::Clock, types::lock};
use saltus_costmap::{Footprint, LayeredCostmap};
use saltus_motion::Pose;
use saltus_nav_server::{FrameError, Frames, time_since_start};

/// A costmap while its node is configured. Cheap to clone.
#[derive(Clone)]
pub struct Costmap(pub(crate) Arc<CostmapState>);

pub(crate) struct CostmapState {
    pub(crate) node: WeakLifecycleNode,
    pub(crate) name: String,
    pub(crate) clock: Clock,
    pub(crate) frames: Arc<Frames>,
    pub(crate) global_frame: String,
    pub(crate) base_frame: String,
    pub(crate) layered: Mutex<LayeredCostmap>,
    /// The number of updates.
    pub(crate) updates: Mutex<u64>,
    pub(crate) updated: Condvar,
}

/// The costs, which do not change as long as this exists.
pub struct CostmapGuard<'a>(MutexGuard<'a, LayeredCostmap>);

impl std::fmt::Debug for Costmap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Costmap").field("name", &self.0.name).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for CostmapGuard<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CostmapGuard").field("size", &self.0.map().size()).finish()
    }
}

impl Deref for CostmapGuard<'_> {
    type Target = LayeredCostmap;

    fn deref(&self) -> &LayeredCostmap {
        &self.0
    }
}

impl DerefMut for CostmapGuard<'_> {
    fn deref_mut(&mut self) -> &mut LayeredCostmap {
        &mut self.0
    }
}

impl CostmapState {
    /// Returns the time of the node.
    pub(crate) fn now(&self) -> Duration {
        time_since_start(self.clock.now())
    }

    /// Counts an update, and wakes those who wait for one.
    pub(crate) fn count_update(&self) {
        *lock(&self.updates) += 1;
        self.updated.notify_all();
    }
}

impl Costmap {
    /// Returns the name of the costmap.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the frame of the costs.
    pub fn global_frame(&self) -> &str {
        &self.0.global_frame
    }

    /// Returns the frame of the robot.
    pub fn base_frame(&self) -> &str {
        &self.0.base_frame
    }

    /// Returns the transforms.
    pub fn frames(&self) -> &Frames {
        &self.0.frames
    }

    /// Returns the header of messages in the frame of the costs, now.
    pub fn header(&self) -> Header {
        Header { stamp: self.0.clock.now().into(), frame_id: self.0.global_frame.clone() }
    }

    /// Returns the costs. Updates wait until they are dropped.
    pub fn lock(&self) -> CostmapGuard<'_> {
        CostmapGuard(lock(&self.0.layered))
    }

    /// Returns the area that the robot covers on the ground.
    pub fn footprint(&self) -> Footprint {
        self.lock().footprint().clone()
    }

    /// Returns the newest pose of the robot.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no transform.
    pub fn robot(&self) -> Result<Pose, FrameError> {
        Ok(self.0.frames.pose(&self.0.global_frame, &self.0.base_frame)?.0)
    }

    /// Whether the costs are as new as the settings require.
    pub fn is_current(&self) -> bool {
        self.lock().is_current(self.0.now())
    }

    /// Waits until the costs are as new as the settings require. Returns whether that happened in time. A callback of the costmap must not
    /// call this, because it would wait for itself.
    pub fn wait_until_current(&self, timeout: Duration) -> bool {
        let end = Instant::now() + timeout;
        loop {
            let seen = *lock(&self.0.updates);
            if self.is_current() {
                return true;
            }
            let mut updates = lock(&self.0.updates);
            while *updates == seen {
                let Some(left) = end.checked_duration_since(Instant::now()) else { return false };
                let waited = self.0.updated.wait_timeout(updates, left);
                updates = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }
}
