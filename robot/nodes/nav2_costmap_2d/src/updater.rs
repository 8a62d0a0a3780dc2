//! The updates of a costmap.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use saltus::{
    Time,
    lifecycle::LifecycleNode,
    msgs::std_msgs::msg::Header,
    tf::{WaitError, wait_for_transform},
    types::lock,
};
use saltus_costmap::Costmap as Grid;
use saltus_nav_server::from_transform;

use crate::{
    costmap::{Costmap, CostmapState},
    publish::Publisher,
};

/// A function of a layer that is called before each update.
pub(crate) type BeforeUpdate = Box<dyn FnMut() + Send>;

/// Updates the costmap.
pub(crate) struct Updater {
    pub(crate) costmap: Costmap,
    publisher: Mutex<Publisher>,
    before: Mutex<Vec<BeforeUpdate>>,
    /// The grid that the costmap is to have, if a layer has set it.
    size: Arc<Mutex<Option<Grid>>>,
}

/// The time after which the activation logs that it waits.
const SAY: Duration = Duration::from_millis(500);

impl Updater {
    /// Returns an updater of a costmap. `before` is called before each update.
    pub(crate) fn new(
        costmap: Costmap,
        publisher: Publisher,
        before: Vec<BeforeUpdate>,
        size: Arc<Mutex<Option<Grid>>>,
    ) -> Self {
        Self { costmap, publisher: Mutex::new(publisher), before: Mutex::new(before), size }
    }

    /// Lets the next update publish all costs.
    pub(crate) fn restart(&self) {
        lock(&self.publisher).restart();
    }

    /// Waits until the pose of the robot is known. Returns whether it is known in time.
    pub(crate) fn wait_for_robot(&self, node: &LifecycleNode, timeout: Duration) -> bool {
        let CostmapState { frames, global_frame, base_frame, name, .. } = &*self.costmap.0;
        let end = Instant::now() + timeout;
        loop {
            let latest = Time::from_nanos(0);
            let found = wait_for_transform(frames.buffer(), global_frame, base_frame, latest, SAY);
            let (error, is_hopeless) = match found {
                Ok(_) => return true,
                Err(WaitError::Timeout(error, _)) => (error, false),
                Err(WaitError::Never(error)) => (error, true),
            };
            // Without the time of a simulator, there is no simulator that could publish transforms.
            let is_without_time = node.clock().is_simulated() && node.clock().now() == Time::from_nanos(0);
            let hint =
                if is_without_time { "; use_sim_time is set, but no time has come on /clock" } else { "" };
            saltus::info!(
                node.logger(),
                "Timed out waiting for transform from {base_frame} to {global_frame} to become available, tf error: {error}{hint}"
            );
            if is_hopeless || Instant::now() >= end || node.context().is_shut_down() {
                saltus::error!(
                    node.logger(),
                    "Failed to activate {name} because transform from {base_frame} to {global_frame} did not become \
                     available before timeout"
                );
                return false;
            }
        }
    }

    /// Updates the costs, and publishes them. Does nothing while the pose of the robot is unknown.
    pub(crate) fn update(&self) {
        let CostmapState { frames, global_frame, base_frame, .. } = &*self.costmap.0;
        let Ok(found) = frames.buffer().lookup(global_frame, base_frame, Time::from_nanos(0)) else { return };
        let robot = from_transform(&found.transform);
        lock(&self.before).iter_mut().for_each(|before| before());
        let size = lock(&self.size).take();
        let now = self.costmap.0.now();
        let mut layered = self.costmap.lock();
        if let Some(map) = size.filter(|map| !is_same(map, layered.map())) {
            layered.resize(map);
        }
        let changed = layered.update(robot.to_array(), now);
        let mut publisher = lock(&self.publisher);
        let header = Header { stamp: found.stamp.into(), frame_id: global_frame.clone() };
        publisher.publish_footprint(&header, &layered, &robot);
        publisher.publish(&self.costmap.header(), layered.map(), changed, now);
        drop((publisher, layered));
        self.costmap.0.count_update();
    }
}

fn is_same(one: &Grid, other: &Grid) -> bool {
    (one.size(), one.resolution(), one.origin()) == (other.size(), other.resolution(), other.origin())
}
