//! A map with a wall, a robot that sees a box, and what a costmap makes of them.

use std::{
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use saltus::{
    Client, Context, Executor, Node, Publisher, QoS, SingleThreadedExecutor, Subscription,
    cdr::{Message, Service},
    component::{Component, NodeOptions},
    context::ContextOptions,
    lifecycle::{CallbackReturn, State},
    msgs::{
        geometry_msgs::msg::{Point32, Polygon, PolygonStamped},
        nav_msgs::msg::OccupancyGrid,
        nav2_msgs::{
            msg::{Costmap as CostmapMessage, CostmapUpdate},
            srv::*,
        },
        sensor_msgs::msg::{LaserScan, PointCloud2, PointField},
        std_msgs::msg::Header,
    },
    param::{Parameter, ParameterValue},
    tf::{StampedTransform, StaticTransformBroadcaster, Transform},
};
use saltus_costmap::{FREE, INSCRIBED, LETHAL, UNKNOWN};

use super::*;
use crate::cloud::{cloud_points, scan_points};

const LONG: Duration = Duration::from_secs(20);

struct Scene {
    _folder: tempfile::TempDir,
    _context: Context,
    user: Node,
    costmap: Costmap2D,
    executor: SingleThreadedExecutor,
    _map: Publisher<OccupancyGrid>,
    scans: Publisher<LaserScan>,
    _statics: StaticTransformBroadcaster,
}

/// 4 m x 4 m around the origin, with a wall at x = 1.5 m, and nothing known where y < -1 m.
fn map() -> OccupancyGrid {
    let mut map = OccupancyGrid::default();
    map.header.frame_id = "map".into();
    (map.info.width, map.info.height, map.info.resolution) = (40, 40, 0.1);
    (map.info.origin.position.x, map.info.origin.position.y) = (-2.0, -2.0);
    map.info.origin.orientation.w = 1.0;
    let value = |index: usize| match (index % 40, index / 40) {
        (_, row) if row < 10 => -1,
        (35, _) => 100,
        _ => 0,
    };
    map.data = (0..1600).map(value).collect();
    map
}

impl Scene {
    fn new(parameters: &[&str], has_robot: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = ContextOptions::default().folder(folder.path()).create().unwrap();
        let user = context.node("user").create().unwrap();
        let always = ["track_unknown_space:=true", "robot_radius:=0.2", "footprint_padding:=0.0"];
        let scan = [
            "obstacle_layer.observation_sources:=scan",
            "obstacle_layer.scan.max_obstacle_height:=2.0",
            "obstacle_layer.scan.clearing:=true",
        ];
        let rates = ["update_frequency:=50.0", "publish_frequency:=50.0"];
        let all = always.iter().chain(&scan).chain(&rates).chain(parameters);
        let words: Vec<&str> = ["--ros-args"].into_iter().chain(all.flat_map(|one| ["-p", one])).collect();
        let options = NodeOptions::new(&context).arguments(words).unwrap();
        let costmap = Costmap2D::new(&options).unwrap();
        let executor = SingleThreadedExecutor::new(&context).unwrap();
        executor.add_node(&user);
        let statics = StaticTransformBroadcaster::new(&user).unwrap();
        if has_robot {
            let at = |parent, child, x| {
                StampedTransform::new(parent, child, user.clock().now(), Transform::from_xyz(x, 0.0, 0.1))
            };
            statics.send(&[at("map", "base_link", 0.0), at("base_link", "laser", 0.1)]).unwrap();
        }
        let publisher = user.publisher("map").qos(QoS::keep_last(1).transient_local()).create().unwrap();
        publisher.publish(&map()).unwrap();
        let scans = user.publisher("scan").qos(QoS::sensor_data()).create().unwrap();
        Self {
            _folder: folder,
            _context: context,
            user,
            costmap,
            executor,
            _map: publisher,
            scans,
            _statics: statics,
        }
    }

    fn activate(&self) {
        assert_eq!(self.costmap.lifecycle().configure(), Ok(CallbackReturn::Success));
        assert_eq!(self.costmap.lifecycle().activate(), Ok(CallbackReturn::Success));
    }

    fn received<M: Message + Send + 'static>(&self, topic: &str, qos: QoS) -> (Subscription<M>, Receiver<M>) {
        let (sender, received) = channel();
        let tell = move |message: M| drop(sender.send(message));
        (self.user.subscription(topic).qos(qos).callback(tell).unwrap(), received)
    }

    /// Looks to the front, and waits until a message is right.
    fn look_until<M>(&mut self, range: f32, received: &Receiver<M>, is_right: impl Fn(&M) -> bool) -> M {
        let end = std::time::Instant::now() + LONG;
        loop {
            assert!(std::time::Instant::now() < end, "it takes too long");
            let header = Header { stamp: self.user.clock().now().into(), frame_id: "laser".into() };
            let scan = LaserScan {
                header,
                range_min: 0.1,
                range_max: 3.5,
                ranges: vec![range],
                ..Default::default()
            };
            self.scans.publish(&scan).unwrap();
            self.executor.spin_once(Some(Duration::from_millis(20))).unwrap();
            if let Some(message) = received.try_iter().find(|message| is_right(message)) {
                return message;
            }
        }
    }

    fn call<S: Service>(&self, service: &str, request: &S::Request) -> S::Response {
        let client: Client<S> = self.user.client(service).create().unwrap();
        assert!(client.wait_for_service(LONG), "{service}");
        client.call(request, LONG).unwrap()
    }
}

fn kept() -> QoS {
    QoS::keep_last(1).transient_local()
}

/// Returns the cost at a point.
fn cost(message: &CostmapMessage, x: f64, y: f64) -> u8 {
    let metadata = &message.metadata;
    let index =
        |value: f64, origin: f64| ((value - origin) / f64::from(metadata.resolution)).floor() as usize;
    let (column, row) = (index(x, metadata.origin.position.x), index(y, metadata.origin.position.y));
    message.data[row * metadata.size_x as usize + column]
}

#[test]
fn a_costmap_has_the_map_what_is_seen_and_costs_around_both() {
    let mut scene = Scene::new(&["always_send_full_costmap:=true"], true);
    scene.activate();
    let (_subscription, costmaps) = scene.received::<CostmapMessage>("costmap_raw", kept());
    let seen = scene.look_until(0.85, &costmaps, |costmap| {
        costmap.metadata.size_x == 40 && cost(costmap, 0.95, -0.05) == LETHAL
    });
    assert_eq!(seen.header.frame_id, "map");
    assert_eq!((cost(&seen, 1.55, 0.5), cost(&seen, 1.45, 0.5)), (LETHAL, INSCRIBED));
    assert_eq!((cost(&seen, -1.0, 0.5), cost(&seen, -1.0, -1.5)), (FREE, UNKNOWN));
    // The robot looks past the box, so it is not there any more.
    scene.look_until(1.45, &costmaps, |costmap| cost(costmap, 0.95, -0.05) < INSCRIBED);
    let (_grid, grids) = scene.received::<OccupancyGrid>("costmap", kept());
    let grid = scene.look_until(1.45, &grids, |grid| grid.data.len() == 1600);
    assert_eq!(grid.data.iter().filter(|value| **value == 100).count(), 30);
}

#[test]
fn services_return_and_clear_costs() {
    let mut scene = Scene::new(&["always_send_full_costmap:=true"], true);
    scene.activate();
    let (_subscription, costmaps) = scene.received::<CostmapMessage>("costmap_raw", kept());
    scene.look_until(0.85, &costmaps, |costmap| {
        costmap.data.len() == 1600 && cost(costmap, 0.95, -0.05) == LETHAL
    });
    let whole = scene.call::<GetCostmap>("get_costmap", &GetCostmap_Request::default()).map;
    assert_eq!((whole.data.len(), &*whole.metadata.layer), (1600, "master"));
    let at = |x, use_footprint| GetCost_Request { use_footprint, x, y: -0.05, theta: 0.0 };
    assert_eq!(scene.call::<GetCost>("get_cost_costmap", &at(0.95, false)).cost, 254.0);
    assert_eq!(scene.call::<GetCost>("get_cost_costmap", &at(0.75, true)).cost, 254.0);
    assert_eq!(scene.call::<GetCost>("get_cost_costmap", &at(9.0, false)).cost, -1.0);
    // The box is cleared, but not the wall of the map. Nobody has seen it since, so it does not come back.
    let cleared =
        |costmap: &CostmapMessage| cost(costmap, 0.95, -0.05) < LETHAL && cost(costmap, 1.55, 0.5) == LETHAL;
    scene.call::<ClearEntireCostmap>("clear_entirely_costmap", &ClearEntireCostmap_Request::default());
    scene.look_until(1.45, &costmaps, cleared);
    scene.look_until(0.85, &costmaps, |costmap| !cleared(costmap));
    let region = ClearCostmapExceptRegion_Request { reset_distance: 0.2 };
    scene.call::<ClearCostmapExceptRegion>("clear_except_costmap", &region);
    scene.look_until(1.45, &costmaps, cleared);
    scene.look_until(0.85, &costmaps, |costmap| !cleared(costmap));
    let region = ClearCostmapAroundRobot_Request { reset_distance: 3.0 };
    scene.call::<ClearCostmapAroundRobot>("clear_around_costmap", &region);
    scene.look_until(1.45, &costmaps, cleared);
}

#[test]
fn a_window_moves_with_the_robot_and_its_footprint_changes() {
    let parameters =
        ["rolling_window:=true", "width:=3", "height:=2", "resolution:=0.05", "plugins:=['inflation_layer']"];
    let kind = "inflation_layer.plugin:=nav2_costmap_2d::InflationLayer";
    let mut scene = Scene::new(&[&parameters[..], &[kind]].concat(), true);
    scene.activate();
    let (_subscription, costmaps) = scene.received::<CostmapMessage>("costmap_raw", kept());
    let window = scene.look_until(1.0, &costmaps, |_| true);
    assert_eq!(
        (window.metadata.size_x, window.metadata.size_y, window.metadata.origin.position.x),
        (60, 40, -1.5)
    );
    let footprints = scene.user.publisher("footprint").create().unwrap();
    let point = |x, y| Point32 { x, y, z: 0.0 };
    let square = vec![point(-0.3, -0.3), point(0.3, -0.3), point(0.3, 0.3), point(-0.3, 0.3)];
    let (_published, published) = scene.received::<PolygonStamped>("published_footprint", QoS::default());
    scene.look_until(1.0, &published, |polygon| polygon.polygon.points.len() == 16);
    let count = scene.costmap.lifecycle().parameter_overrides().len();
    assert!(count > 5);
    assert!(scene.user.context().wait_until(LONG, || footprints.subscription_count() == 1));
    footprints.publish(&Polygon { points: square[..2].to_vec() }).unwrap();
    footprints.publish(&Polygon { points: square }).unwrap();
    scene.look_until(1.0, &published, |polygon| polygon.polygon.points.len() == 4);
    let radius = Parameter { name: "robot_radius".into(), value: ParameterValue::Double(0.4) };
    scene.costmap.node().set_parameters(vec![radius]).remove(0).unwrap();
    scene.look_until(1.0, &published, |polygon| polygon.polygon.points.len() == 16);
}

#[test]
fn a_costmap_with_filters_is_not_configured() {
    let scene = Scene::new(&["filters:=['keepout_filter']"], true);
    assert_eq!(scene.costmap.lifecycle().configure(), Ok(CallbackReturn::Error));
    let none = Scene::new(&["filters:=['']"], true);
    assert_eq!(none.costmap.lifecycle().configure(), Ok(CallbackReturn::Success));
}

#[test]
fn parameters_of_layers_change_while_the_node_runs() {
    let mut scene = Scene::new(&["always_send_full_costmap:=true"], true);
    scene.activate();
    let (_subscription, costmaps) = scene.received::<CostmapMessage>("costmap_raw", kept());
    scene
        .look_until(1.45, &costmaps, |costmap| costmap.data.len() == 1600 && cost(costmap, 1.25, 0.5) > FREE);
    let set = |name: &str, value| {
        let parameter = Parameter { name: name.into(), value };
        scene.costmap.node().set_parameters(vec![parameter]).remove(0).unwrap();
    };
    set("inflation_layer.inflation_radius", ParameterValue::Double(0.15));
    scene.look_until(1.45, &costmaps, |costmap| cost(costmap, 1.25, 0.5) == FREE);
    let set = |name: &str, value| {
        let parameter = Parameter { name: name.into(), value };
        scene.costmap.node().set_parameters(vec![parameter]).remove(0).unwrap();
    };
    set("static_layer.enabled", ParameterValue::Bool(false));
    scene.look_until(1.45, &costmaps, |costmap| cost(costmap, 1.55, 0.5) != LETHAL);
}

/// The first costmap and the last change are kept for late joiners.
#[test]
fn those_who_subscribe_late_get_all_costs() {
    let mut scene = Scene::new(&[], true);
    scene.activate();
    let (first, costmaps) = scene.received::<CostmapMessage>("costmap_raw", kept());
    scene.look_until(1.45, &costmaps, |_| true);
    let (_updates, updates) = scene.received::<CostmapUpdate>("costmap_raw_updates", kept());
    scene.look_until(0.85, &updates, |update| update.data.contains(&LETHAL));
    // The changes go on until the next costmap, which the second subscription asks for.
    drop(first);
    let (_second, costmaps) = scene.received::<CostmapMessage>("costmap_raw", kept());
    scene.look_until(0.85, &costmaps, |costmap| cost(costmap, 0.95, -0.05) == LETHAL);
}

#[test]
fn a_costmap_with_a_frame_that_can_not_be_is_not_activated() {
    let scene = Scene::new(&["global_frame:=/map", "initial_transform_timeout:=60.0"], false);
    let start = std::time::Instant::now();
    assert_eq!(scene.costmap.lifecycle().configure(), Ok(CallbackReturn::Success));
    assert_eq!(scene.costmap.lifecycle().activate(), Ok(CallbackReturn::Failure));
    assert!(start.elapsed() < LONG);
}

#[test]
fn a_costmap_is_not_activated_without_a_robot() {
    let scene = Scene::new(&["initial_transform_timeout:=0.1"], false);
    assert_eq!(scene.costmap.lifecycle().configure(), Ok(CallbackReturn::Success));
    assert_eq!(scene.costmap.lifecycle().activate(), Ok(CallbackReturn::Failure));
    assert_eq!(scene.costmap.lifecycle().state(), State::Inactive);
}

#[test]
fn parameters_that_are_wrong_are_refused() {
    for wrong in [
        "resolution:=0.0",
        "footprint:='[[0, 0], [1, 1]]'",
        "footprint:='[[0, 0], [1, 1'",
        "plugins:=['my_layer']",
        "obstacle_layer.scan.data_type:=Range",
    ] {
        let scene = Scene::new(&[wrong], true);
        assert_ne!(scene.costmap.lifecycle().configure(), Ok(CallbackReturn::Success), "{wrong}");
    }
}

#[test]
fn a_costmap_of_a_server_has_a_name_in_its_own_namespace() {
    let folder = tempfile::tempdir().unwrap();
    let context = ContextOptions::default().folder(folder.path()).create().unwrap();
    let server = context.node("planner_server").namespace("robot").create().unwrap();
    let costmap = CostmapNode::for_server(&server, "global_costmap", LayerTypes::standard()).unwrap();
    assert_eq!(costmap.lifecycle().name().fully_qualified(), "/robot/global_costmap/global_costmap");
    assert!(costmap.costmap().is_none());
    // Its own thread answers.
    let client: Client<saltus::msgs::lifecycle_msgs::srv::GetState> =
        server.client("/robot/global_costmap/global_costmap/get_state").create().unwrap();
    assert!(client.wait_for_service(LONG));
    assert_eq!(client.call(&Default::default(), LONG).unwrap().current_state.label, "unconfigured");
}

#[test]
fn scans_and_clouds_become_points() {
    let ranges = vec![1.0, f32::INFINITY, f32::NAN, 0.05, 3.5, -1.0];
    let scan =
        LaserScan { range_min: 0.1, range_max: 3.5, angle_increment: 0.1, ranges, ..Default::default() };
    assert_eq!(scan_points(&scan, false), [[1.0, 0.0, 0.0]]);
    let far = scan_points(&scan, true);
    assert!(far.len() == 2 && (far[1][0].hypot(far[1][1]) - 3.4999).abs() < 1e-6);
    let field = |name: &str, offset| PointField {
        name: name.into(),
        offset,
        datatype: PointField::FLOAT32,
        count: 1,
    };
    let data = [1.0_f32, 2.0, 3.0, f32::NAN, 0.0, 0.0].iter().flat_map(|part| part.to_le_bytes()).collect();
    let fields = vec![field("x", 0), field("y", 4), field("z", 8)];
    let cloud =
        PointCloud2 { height: 1, width: 2, fields, point_step: 12, row_step: 24, data, ..Default::default() };
    assert_eq!(cloud_points(&cloud), Ok(vec![[1.0, 2.0, 3.0]]));
    for wrong in [
        PointCloud2 { height: 2, ..cloud.clone() },
        PointCloud2 { width: u32::MAX, row_step: u32::MAX, ..cloud.clone() },
        PointCloud2 { point_step: 8, ..cloud.clone() },
        PointCloud2 { fields: vec![], ..cloud },
    ] {
        assert!(cloud_points(&wrong).is_err());
    }
    assert_eq!(
        cloud_points(&PointCloud2 {
            fields: vec![field("x", 0), field("y", 4), field("z", 8)],
            point_step: 12,
            ..Default::default()
        }),
        Ok(vec![])
    );
}

#[test]
fn a_map_whose_origin_has_an_angle_is_turned() {
    let mut scene = Scene::new(&["always_send_full_costmap:=true"], true);
    let mut turned = map();
    // A quarter to the left about the lower right corner: the wall is at y = 1.5 m, and nothing is known where x > 1 m.
    turned.info.origin =
        saltus_nav_server::to_pose(&saltus_motion::Pose::new(2.0, -2.0, std::f64::consts::FRAC_PI_2));
    scene._map.publish(&turned).unwrap();
    scene.activate();
    let (_subscription, costmaps) = scene.received::<CostmapMessage>("costmap_raw", kept());
    let seen = scene.look_until(0.85, &costmaps, |costmap| {
        costmap.data.len() == 1600 && cost(costmap, 0.5, 1.55) == LETHAL
    });
    assert_eq!(
        (cost(&seen, -1.0, 1.55), cost(&seen, 1.5, -1.0), cost(&seen, -1.0, 0.0)),
        (LETHAL, UNKNOWN, FREE)
    );
}
