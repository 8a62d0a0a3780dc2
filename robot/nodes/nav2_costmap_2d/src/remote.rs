//! The costs and the footprint that the node of a costmap publishes.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use saltus::{
    Node, QoS, Subscription, Time,
    executor::CallbackGroup,
    log::Logger,
    msgs::{
        geometry_msgs::msg::PolygonStamped,
        nav2_msgs::msg::{Costmap as CostmapMessage, CostmapUpdate},
    },
    node::NodeError,
    types::lock,
};
use saltus_costmap::{Area, Costmap as Grid, Footprint};
use saltus_motion::Pose;
use saltus_nav_server::{Frames, from_pose};

/// The costs and the footprint that the node of a costmap publishes, for another node.
#[derive(Debug)]
pub struct RemoteCostmap {
    known: Arc<Known>,
    _costs: Subscription<CostmapMessage>,
    _updates: Subscription<CostmapUpdate>,
    _footprint: Subscription<PolygonStamped>,
}

#[derive(Debug)]
struct Known {
    logger: Logger,
    frames: Arc<Frames>,
    base_frame: String,
    tolerance: Duration,
    map: Mutex<Option<Arc<Grid>>>,
    footprint: Mutex<Option<Footprint>>,
}

/// The topics of costs and footprints.
#[derive(Clone, Copy, Debug)]
pub struct RemoteTopics<'a> {
    /// The topic with the costs as they are, such as `local_costmap/costmap_raw`.
    pub costs: &'a str,
    /// The topic with the footprint, such as `local_costmap/published_footprint`.
    pub footprint: &'a str,
    /// The frame of the robot.
    pub base_frame: &'a str,
    /// The largest time by which a footprint may be newer than the last transform.
    pub tolerance: Duration,
}

impl RemoteCostmap {
    /// Subscribes to a costmap. The callbacks belong to a group.
    ///
    /// # Errors
    ///
    /// Returns an error if a topic can't be opened.
    pub fn new(
        node: &Node,
        group: &CallbackGroup,
        frames: &Arc<Frames>,
        topics: &RemoteTopics<'_>,
    ) -> Result<Self, NodeError> {
        let known = Arc::new(Known {
            logger: node.logger(),
            frames: frames.clone(),
            base_frame: topics.base_frame.to_owned(),
            tolerance: topics.tolerance,
            map: Mutex::default(),
            footprint: Mutex::default(),
        });
        let (whole, part, outline) = (known.clone(), known.clone(), known.clone());
        let kept = |depth| QoS::keep_last(depth).transient_local();
        let updates = format!("{}_updates", topics.costs);
        Ok(Self {
            _costs: node
                .subscription(topics.costs)
                .qos(kept(1))
                .callback_group(group)
                .callback(move |message| whole.set(&message))?,
            _updates: node
                .subscription(&updates)
                .qos(kept(10))
                .callback_group(group)
                .callback(move |message| part.change(&message))?,
            _footprint: node
                .subscription(topics.footprint)
                .callback_group(group)
                .callback(move |message| outline.set_footprint(&message))?,
            known,
        })
    }

    /// Returns the costs; `None` before the first message.
    pub fn map(&self) -> Option<Arc<Grid>> {
        lock(&self.known.map).clone()
    }

    /// Returns the area that the robot covers on the ground; `None` before the first message.
    pub fn footprint(&self) -> Option<Footprint> {
        lock(&self.known.footprint).clone()
    }

    /// Whether the robot touches nothing at a pose. Before the first messages it is false.
    pub fn is_free(&self, pose: &Pose) -> bool {
        let (Some(map), Some(footprint)) = (self.map(), self.footprint()) else { return false };
        saltus_motion::is_free(&map, &footprint, pose).is_ok()
    }
}

impl Known {
    fn set(&self, message: &CostmapMessage) {
        let metadata = &message.metadata;
        let (width, height) = (metadata.size_x, metadata.size_y);
        let resolution = f64::from(metadata.resolution);
        let is_right = message.data.len() as u64 == u64::from(width) * u64::from(height) && resolution > 0.0;
        let Some(origin) = from_pose(&metadata.origin)
            .filter(|origin| is_right && origin.yaw.abs() * f64::from(width.max(height)) < 0.5)
        else {
            saltus::warn!(
                self.logger,
                "a costmap of {width} x {height} cells with {} values is not used: the number of values is wrong, the resolution is not positive, or the origin has an angle",
                message.data.len()
            );
            return;
        };
        let mut map = Grid::new((width, height), resolution, [origin.x, origin.y], 0);
        let area = map.area();
        map.fill(area, &message.data);
        *lock(&self.map) = Some(Arc::new(map));
    }

    fn change(&self, message: &CostmapUpdate) {
        let area = Area {
            left: message.x,
            bottom: message.y,
            right: message.x.saturating_add(message.size_x),
            top: message.y.saturating_add(message.size_y),
        };
        let is_used =
            lock(&self.map).as_mut().is_some_and(|map| Arc::make_mut(map).fill(area, &message.data));
        if !is_used {
            saltus::warn!(
                self.logger,
                "Update area outside of original map area. Costmap bounds: {} X {}, Update origin: {}, {}",
                message.size_x,
                message.size_y,
                message.x,
                message.y
            );
        }
    }

    /// Sets the footprint of a message, which is at the pose of the robot.
    fn set_footprint(&self, message: &PolygonStamped) {
        let stamp = Time::from(message.header.stamp);
        let frame = message.header.frame_id.trim_start_matches('/');
        let buffer = self.frames.buffer();
        let robot = buffer.lookup(frame, &self.base_frame, stamp).or_else(|error| {
            let newest = buffer.lookup(frame, &self.base_frame, Time::from_nanos(0))?;
            if stamp.since(newest.stamp) <= self.tolerance { Ok(newest) } else { Err(error) }
        });
        let Ok(robot) = robot else { return };
        let robot = saltus_nav_server::from_transform(&robot.transform);
        let corner = |x: f32, y: f32| {
            let corner = robot.relative(&Pose::new(f64::from(x), f64::from(y), 0.0));
            [corner.x, corner.y]
        };
        let corners = message.polygon.points.iter().map(|point| corner(point.x, point.y)).collect();
        if let Some(footprint) = Footprint::polygon(corners) {
            *lock(&self.footprint) = Some(footprint);
        }
    }
}
