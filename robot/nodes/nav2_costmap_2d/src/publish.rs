//! The topics with the costs.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use saltus::{
    QoS,
    cdr::Message,
    executor::CallbackGroup,
    lifecycle::{LifecycleNode, LifecyclePublisher},
    msgs::{
        geometry_msgs::msg::{Point32, PolygonStamped},
        map_msgs::msg::OccupancyGridUpdate,
        nav_msgs::msg::{MapMetaData, OccupancyGrid},
        nav2_msgs::msg::{Costmap as CostmapMessage, CostmapMetaData, CostmapUpdate},
        std_msgs::msg::Header,
    },
    node::NodeError,
    qos::EndpointEvent,
};
use saltus_costmap::{Area, Costmap as Grid, LayeredCostmap, occupancy};
use saltus_motion::Pose;
use saltus_nav_server::to_pose;

/// Publishes the costs if there are subscribers.
pub(crate) struct Publisher {
    costs: Whole<OccupancyGrid>,
    cost_updates: LifecyclePublisher<OccupancyGridUpdate>,
    raw: Whole<CostmapMessage>,
    raw_updates: LifecyclePublisher<CostmapUpdate>,
    footprint: LifecyclePublisher<PolygonStamped>,
    always_sends_all: bool,
    period: Option<Duration>,
    /// The time at which all costs were published last, and their grid.
    last: Option<(Duration, Shape)>,
    /// The area that has changed since then.
    changed: Area,
}

/// A publisher of all costs.
struct Whole<M> {
    publisher: LifecyclePublisher<M>,
    /// Whether there are new subscribers since all costs were published last. The costs that were kept for them are older than the changes.
    is_requested: Arc<AtomicBool>,
}

impl<M: Message> Whole<M> {
    fn new(node: &LifecycleNode, group: &CallbackGroup, topic: &str) -> Result<Self, NodeError> {
        let is_requested = Arc::new(AtomicBool::new(false));
        let request = is_requested.clone();
        let publisher = node
            .publisher(topic)
            .qos(QoS::keep_last(1).transient_local())
            .callback_group(group)
            .on_event(move |event| {
                if matches!(event, EndpointEvent::Matched { change: 1.., .. }) {
                    request.store(true, Ordering::Relaxed);
                }
            })
            .create()?;
        Ok(Self { publisher: node.gated(publisher), is_requested })
    }

    /// Publishes all costs if there are subscribers, or if they are `kept` for late joiners.
    fn publish(&self, kept: bool, message: impl FnOnce() -> M) {
        self.is_requested.store(false, Ordering::Relaxed);
        if kept || self.publisher.subscription_count() > 0 {
            // A failure does not matter: the next message comes soon.
            let _ = self.publisher.publish(&message());
        }
    }

    fn is_requested(&self) -> bool {
        self.is_requested.load(Ordering::Relaxed)
    }
}

type Shape = ((u32, u32), f64, [f64; 2]);

fn shape(map: &Grid) -> Shape {
    (map.size(), map.resolution(), map.origin())
}

impl Publisher {
    pub(crate) fn new(
        node: &LifecycleNode,
        group: &CallbackGroup,
        period: Option<Duration>,
        always_sends_all: bool,
    ) -> Result<Self, NodeError> {
        let kept = || QoS::keep_last(1).transient_local();
        Ok(Self {
            costs: Whole::new(node, group, "costmap")?,
            cost_updates: node.lifecycle_publisher("costmap_updates", kept())?,
            raw: Whole::new(node, group, "costmap_raw")?,
            raw_updates: node.lifecycle_publisher("costmap_raw_updates", kept())?,
            footprint: node.lifecycle_publisher("published_footprint", QoS::default())?,
            always_sends_all,
            period,
            last: None,
            changed: Area::default(),
        })
    }

    /// Publishes all costs again at the next update.
    pub(crate) fn restart(&mut self) {
        self.last = None;
    }

    /// Publishes the area that the robot covers on the ground.
    pub(crate) fn publish_footprint(&self, header: &Header, layered: &LayeredCostmap, robot: &Pose) {
        let corner = |[x, y]: [f64; 2]| Point32 { x: x as f32, y: y as f32, z: 0.0 };
        let mut message = PolygonStamped { header: header.clone(), ..PolygonStamped::default() };
        message.polygon.points = layered.footprint().at(robot.to_array()).into_iter().map(corner).collect();
        // A failure does not matter: the next message comes soon.
        let _ = self.footprint.publish(&message);
    }

    /// Adds the area that an update has changed, and publishes the changes if it is time. New subscribers get all costs, because the costs that
    /// were kept for them are older than the changes.
    pub(crate) fn publish(&mut self, header: &Header, map: &Grid, changed: Area, now: Duration) {
        let Some(period) = self.period else { return };
        self.changed = joined(self.changed, changed);
        let is_due = self.last.is_none_or(|(last, _)| now < last || now - last >= period);
        if !is_due {
            return;
        }
        let is_other = self.last.is_none_or(|(_, last)| last != shape(map));
        if self.always_sends_all || is_other || self.raw.is_requested() || self.costs.is_requested() {
            let is_first = self.last.is_none();
            self.publish_all(header, map, is_first);
        } else if !self.changed.is_empty() {
            self.publish_changes(header, map);
        }
        self.last = Some((now, shape(map)));
        self.changed = Area::default();
    }

    /// Publishes all costs to the subscribers. The first costs are kept for late joiners.
    fn publish_all(&self, header: &Header, map: &Grid, is_first: bool) {
        self.raw.publish(is_first, || to_message(header, map));
        self.costs.publish(is_first, || OccupancyGrid {
            header: header.clone(),
            info: MapMetaData {
                resolution: map.resolution() as f32,
                width: map.size().0,
                height: map.size().1,
                origin: origin(map),
                ..MapMetaData::default()
            },
            data: map.costs().iter().map(|cost| occupancy(*cost)).collect(),
        });
    }

    fn publish_changes(&self, header: &Header, map: &Grid) {
        let Area { left, bottom, right, top } = self.changed;
        let (width, height) = (right - left, top - bottom);
        let rows = |row: u32| &map.row(row)[left as usize..right as usize];
        if self.raw_updates.subscription_count() > 0 {
            let data = (bottom..top).flat_map(rows).copied().collect();
            let message = CostmapUpdate {
                header: header.clone(),
                x: left,
                y: bottom,
                size_x: width,
                size_y: height,
                data,
            };
            let _ = self.raw_updates.publish(&message);
        }
        if self.cost_updates.subscription_count() > 0 {
            let data = (bottom..top).flat_map(rows).map(|cost| occupancy(*cost)).collect();
            let message = OccupancyGridUpdate {
                header: header.clone(),
                x: left as i32,
                y: bottom as i32,
                width,
                height,
                data,
            };
            let _ = self.cost_updates.publish(&message);
        }
    }
}

/// Returns the smallest area that contains two others.
fn joined(one: Area, other: Area) -> Area {
    match (one.is_empty(), other.is_empty()) {
        (true, _) => other,
        (_, true) => one,
        _ => Area {
            left: one.left.min(other.left),
            bottom: one.bottom.min(other.bottom),
            right: one.right.max(other.right),
            top: one.top.max(other.top),
        },
    }
}

fn origin(map: &Grid) -> saltus::msgs::geometry_msgs::msg::Pose {
    let [x, y] = map.origin();
    to_pose(&Pose::new(x, y, 0.0))
}

/// Returns all costs as a message.
pub(crate) fn to_message(header: &Header, map: &Grid) -> CostmapMessage {
    CostmapMessage {
        header: header.clone(),
        metadata: CostmapMetaData {
            layer: "master".into(),
            resolution: map.resolution() as f32,
            size_x: map.size().0,
            size_y: map.size().1,
            origin: origin(map),
            ..CostmapMetaData::default()
        },
        data: map.costs().to_vec(),
    }
}
