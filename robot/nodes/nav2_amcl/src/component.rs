//! The lifecycle node.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use saltus::{
    Node, QoS, Server, Subscription, Time,
    component::{Component, ComponentError, NodeOptions},
    lifecycle::{LifecycleNode, State, WeakLifecycleNode},
    msgs::{
        geometry_msgs::msg::PoseWithCovarianceStamped,
        nav_msgs::msg::OccupancyGrid,
        nav2_msgs::srv::{SetInitialPose, SetInitialPose_Response},
        sensor_msgs::msg::LaserScan,
        std_srvs::srv::{Empty, Empty_Response},
    },
    param::{Parameter, ParameterCallback},
    tf::{Buffer, MessageFilter, TransformBroadcaster, TransformListener},
    types::lock,
};
use saltus_server::{Managed, ManagedNode, Parameters, manage};

use crate::{
    localization::{Known, Localization, Outputs},
    settings::Settings,
};

/// Localizes a robot in a map. It is a lifecycle node.
///
/// | name | description |
/// |---|---|
/// | `scan` (subscription) | the scans of a lidar |
/// | `map` (subscription) | the map |
/// | `initialpose` (subscription) | the approximate pose of the robot |
/// | `amcl_pose` (publisher) | the pose of the robot, reliable, transient-local, depth 1 |
/// | `particle_cloud` (publisher) | the particles |
/// | `/tf` (publisher) | the transform from the map to the odometry |
/// | `reinitialize_global_localization` (service `std_srvs/srv/Empty`) | distributes the particles over the whole map |
/// | `request_nomotion_update` (service `std_srvs/srv/Empty`) | the next scan counts, even if the robot has not moved |
/// | `set_initial_pose` (service `nav2_msgs/srv/SetInitialPose`) | the approximate pose of the robot |
///
/// The parameters are those of Nav2.
#[derive(Debug)]
pub struct Amcl(ManagedNode);

impl Component for Amcl {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("amcl").create()?;
        // Tools see the parameters before the configuration: all, or those before the first whose value can't be used.
        if let Err(error) = Settings::read(&Parameters::new(&node)) {
            saltus::warn!(node.logger(), "the node can't be configured: {error}");
        }
        Ok(Self(manage::<Configured>(&node, Mutex::default())?))
    }

    fn node(&self) -> &Node {
        &self.0
    }
}

impl Amcl {
    /// Returns the node with its states.
    pub fn lifecycle(&self) -> &LifecycleNode {
        &self.0
    }
}

/// The things that the node owns while it is configured.
struct Configured {
    state: Arc<AmclState>,
    _listener: TransformListener,
    _scans: Subscription<LaserScan>,
    _maps: Subscription<OccupancyGrid>,
    _poses: Subscription<PoseWithCovarianceStamped>,
    _services: Services,
    _parameters: [ParameterCallback; 2],
}

type Services = (Server<Empty>, Server<Empty>, Server<SetInitialPose>);

/// The state that the callbacks share.
struct AmclState {
    node: WeakLifecycleNode,
    localization: Mutex<Localization>,
}

/// The largest number of scans that wait for their transforms.
const WAITING: usize = 10;
/// The time for which transforms are kept.
const CACHE: Duration = Duration::from_secs(10);

impl Managed for Configured {
    /// The pose of the robot when the node was cleaned up.
    type Owner = Mutex<Option<Known>>;

    fn activate(&mut self, _node: &LifecycleNode, _last: &Self::Owner) -> Result<bool, ComponentError> {
        let mut localization = lock(&self.state.localization);
        if let Some(pose) = localization.settings.initial_pose
            && !localization.has_initial_pose()
        {
            localization.start(pose, [[0.0; 3]; 3]);
        }
        Ok(true)
    }

    fn cleanup(self, last: &Self::Owner) {
        let known = lock(&self.state.localization).known();
        *lock(last) = known;
    }

    fn configure(node: &LifecycleNode, last: &Self::Owner) -> Result<Self, ComponentError> {
        let settings = Settings::read(&Parameters::new(node))?;
        let buffer = Buffer::new(CACHE);
        let listener = TransformListener::new(node, &buffer)?;
        let outputs = Outputs {
            pose: node.lifecycle_publisher("amcl_pose", QoS::keep_last(1).transient_local())?,
            cloud: node.lifecycle_publisher("particle_cloud", QoS::sensor_data())?,
            transforms: TransformBroadcaster::new(node)?,
        };
        let (scan_topic, map_topic, odom) =
            (settings.scan_topic.clone(), settings.map_topic.clone(), settings.odom_frame.clone());
        let known = (*lock(last)).filter(|_| !settings.forgets);
        let mut localization = Localization::new(settings, buffer.clone(), outputs);
        known.into_iter().for_each(|(pose, covariance)| localization.start(pose, covariance));
        let state = Arc::new(AmclState { node: node.downgrade(), localization: Mutex::new(localization) });
        let receiver = state.clone();
        let filter = MessageFilter::new(&buffer, &[&odom], WAITING, move |scan| receiver.receive(&scan));
        let add = move |scan: LaserScan| {
            let (frame, stamp) = (scan.header.frame_id.clone(), Time::from(scan.header.stamp));
            filter.add(&frame, stamp, scan);
        };
        let (maps, poses) = (state.clone(), state.clone());
        let (checks, changes) = (state.clone(), state.clone());
        Ok(Self {
            _listener: listener,
            _scans: node.subscription(&scan_topic).qos(QoS::sensor_data()).callback(add)?,
            _maps: node
                .subscription(&map_topic)
                .qos(QoS::keep_last(1).transient_local())
                .callback(move |map| maps.with(|node, localization| localization.set_map(node, &map)))?,
            _poses: node
                .subscription("initialpose")
                .callback(move |pose| poses.with(|node, localization| localization.set_pose(node, &pose)))?,
            _services: services(node, &state)?,
            _parameters: [
                node.on_set_parameters(move |proposed| {
                    checks.check(proposed).map_err(|error| error.to_string())
                }),
                node.on_post_set_parameters(move |_| changes.read_parameters()),
            ],
            state,
        })
    }
}

fn services(node: &LifecycleNode, state: &Arc<AmclState>) -> Result<Services, ComponentError> {
    let (anywhere, forced, poses) = (state.clone(), state.clone(), state.clone());
    Ok((
        node.service("reinitialize_global_localization").callback(move |_| {
            anywhere.with(|node, localization| {
                saltus::info!(node.logger(), "Initializing with uniform distribution");
                localization.start_anywhere();
                saltus::info!(node.logger(), "Global initialisation done!");
            });
            Empty_Response::default()
        })?,
        node.service("request_nomotion_update").callback(move |_| {
            forced.with(|node, localization| {
                saltus::info!(node.logger(), "Requesting no-motion update");
                localization.force_update();
            });
            Empty_Response::default()
        })?,
        node.service::<SetInitialPose>("set_initial_pose").callback(move |request| {
            poses.with(|node, localization| localization.set_pose(node, &request.pose));
            SetInitialPose_Response::default()
        })?,
    ))
}

impl AmclState {
    fn with(&self, work: impl FnOnce(&LifecycleNode, &mut Localization)) {
        if let Some(node) = self.node.upgrade() {
            work(&node, &mut lock(&self.localization));
        }
    }

    /// Checks values that parameters are about to get.
    fn check(&self, proposed: &[Parameter]) -> Result<(), ComponentError> {
        let Some(node) = self.node.upgrade() else { return Ok(()) };
        Settings::read(&Parameters::new(&node).proposing(proposed)).map(drop)
    }

    fn read_parameters(&self) {
        self.with(|node, localization| match Settings::read(&Parameters::new(node)) {
            Ok(settings) => localization.configure(settings),
            Err(error) => saltus::warn!(node.logger(), "the parameters are not used: {error}"),
        });
    }

    /// Handles a scan whose transforms are known.
    fn receive(&self, scan: &LaserScan) {
        self.with(|node, localization| {
            if node.state() != State::Active {
                return;
            }
            if let Err(why) = localization.receive(node, scan) {
                localization.warn(node, &why);
            }
        });
    }
}
