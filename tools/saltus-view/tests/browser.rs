//! Tests of the page in a real browser. They check the pixels that it shows.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    f64::consts::{FRAC_PI_2, PI},
    path::PathBuf,
    sync::mpsc::{Receiver, channel},
    thread::JoinHandle,
    time::Duration,
};

use image::{Rgb, RgbImage};
use saltus::{
    Context, Executor, Node, Publisher, QoS, SingleThreadedExecutor, Time,
    context::ContextOptions,
    executor::{ExecutorHandle, SpinError},
    msgs::{
        example_interfaces::msg::WString,
        geometry_msgs::msg::{Point, Pose, PoseStamped, PoseWithCovarianceStamped, Twist, Vector3},
        nav_msgs::msg::{MapMetaData, OccupancyGrid, Odometry, Path},
        sensor_msgs::msg::{Image, LaserScan},
        std_msgs::msg::{Header, String as Text},
        visualization_msgs::msg::Marker,
    },
    tf::{StampedTransform, Transform, TransformBroadcaster},
};
use saltus_browser::Browser;
use saltus_view::{Options, Server};

/// The time after which a test fails.
const LONG: Duration = Duration::from_secs(20);

/// A graph with a server for pages. A thread spins the server's node.
struct Scene {
    _folder: tempfile::TempDir,
    robot: Node,
    server: Option<Server>,
    executor: ExecutorHandle,
    spinning: Option<JoinHandle<Result<(), SpinError>>>,
}

impl Scene {
    fn new(with_control: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = ContextOptions::default().folder(folder.path()).handle_signals(false).create().unwrap();
        let (robot, view) = (context.node("robot").create().unwrap(), context.node("view").create().unwrap());
        let options = Options { address: [127, 0, 0, 1].into(), port: Some(0), with_control };
        let server = Server::start(&view, &options).unwrap();
        let mut executor = SingleThreadedExecutor::new(&context).unwrap();
        executor.add_node(&view);
        let handle = executor.handle();
        let spinning = std::thread::spawn(move || {
            let _context: Context = context;
            executor.spin()
        });
        Self { _folder: folder, robot, server: Some(server), executor: handle, spinning: Some(spinning) }
    }

    fn browser(&self) -> Browser {
        Browser::open(self.server.as_ref().unwrap().url())
    }

    fn latched<M: saltus::cdr::Message>(&self, topic: &str) -> Publisher<M> {
        self.robot.publisher(topic).qos(QoS::keep_last(1).transient_local()).create().unwrap()
    }

    /// Subscribes to a topic. Another thread receives the messages and sends them to the returned receiver.
    fn listen<M: saltus::cdr::Message>(&self, topic: &str) -> (Receiver<M>, saltus::Subscription<M>) {
        let (send, receive) = channel();
        let subscription =
            self.robot.subscription(topic).callback(move |message| drop(send.send(message))).unwrap();
        self.executor.add_node(&self.robot);
        (receive, subscription)
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        self.server = None;
        self.executor.cancel();
        self.spinning.take().unwrap().join().unwrap().unwrap();
    }
}

fn header(frame: &str) -> Header {
    Header { frame_id: frame.into(), ..Header::default() }
}

/// Returns a map of 4 m x 4 m: occupied for x > 1, unknown for y < -1, and free elsewhere.
fn map() -> OccupancyGrid {
    let cell = |index: usize| match (index % 80, index / 80) {
        (60.., _) => 100,
        (_, ..20) => -1,
        _ => 0,
    };
    let position = Point { x: -2.0, y: -2.0, z: 0.0 };
    OccupancyGrid {
        header: header("map"),
        info: MapMetaData {
            resolution: 0.05,
            width: 80,
            height: 80,
            origin: Pose { position, ..Pose::default() },
            ..MapMetaData::default()
        },
        data: (0..6400).map(cell).collect(),
    }
}

/// Returns a scan with two points at a distance of 1 m, at 0 rad and at 0.25 rad.
fn scan() -> LaserScan {
    LaserScan {
        header: header("laser"),
        angle_min: -0.5,
        angle_max: 0.5,
        angle_increment: 0.25,
        range_min: 0.1,
        range_max: 5.0,
        ranges: vec![f32::INFINITY, f32::INFINITY, 1.0, 1.0, f32::NAN],
        ..LaserScan::default()
    }
}

/// A robot with two links: a box, and a roller 0.5 m behind it. The roller is a cylinder that lies on its side.
const ROBOT: &str = r#"<robot name="box">
  <link name="base"><collision><geometry><box size="0.4 0.3 0.1"/></geometry></collision></link>
  <link name="roller"><collision><geometry><cylinder radius="0.05" length="0.6"/></geometry></collision></link>
</robot>"#;

/// Sends the transforms of the robot at a pose in the map.
fn move_to(transforms: &TransformBroadcaster, x: f64, y: f64, yaw: f64) {
    let base = Transform::from_xyz_rpy([x, y, 0.0], [0.0, 0.0, yaw]);
    // The laser is mounted upside down. The roller is rotated about x by 90 degrees.
    let laser = Transform::from_xyz_rpy([0.1, 0.0, 0.0], [PI, 0.0, 0.0]);
    let roller = Transform::from_xyz_rpy([-0.5, 0.0, 0.0], [FRAC_PI_2, 0.0, 0.0]);
    let stamped = |parent: &str, child: &str, transform| {
        StampedTransform::new(parent, child, Time::default(), transform)
    };
    transforms
        .send(&[
            stamped("map", "base", base),
            stamped("base", "laser", laser),
            stamped("base", "roller", roller),
        ])
        .unwrap();
}

/// Returns the color at a point of the fixed frame.
fn color(browser: &mut Browser, shot: &RgbImage, x: f64, y: f64) -> [u8; 3] {
    let (x, y) = browser.pixel(x, y);
    let Rgb(color) = *shot.get_pixel(x.round() as u32, y.round() as u32);
    color
}

/// Returns whether a pixel near a point of the fixed frame has a color.
fn is_near(browser: &mut Browser, shot: &RgbImage, at: (f64, f64), is: fn([u8; 3]) -> bool) -> bool {
    let (x, y) = browser.pixel(at.0, at.1);
    let around = |center: f64| (center.round() as u32 - 3)..=(center.round() as u32 + 3);
    around(x).any(|x| around(y).any(|y| is(shot.get_pixel(x, y).0)))
}

fn is_red([red, green, blue]: [u8; 3]) -> bool {
    red > 180 && green < 90 && blue < 90
}

fn is_blue([red, green, blue]: [u8; 3]) -> bool {
    blue > 140 && red < 120 && green < 160
}

#[test]
fn the_map_the_scan_and_the_robot_are_drawn_at_their_poses() {
    let scene = Scene::new(false);
    let maps = scene.latched("map");
    maps.publish(&map()).unwrap();
    let descriptions = scene.latched("robot_description");
    descriptions.publish(&Text { data: ROBOT.into() }).unwrap();
    let scans = scene.robot.publisher("scan").create().unwrap();
    let transforms = TransformBroadcaster::new(&scene.robot).unwrap();
    let mut browser = scene.browser();
    let mut show = |x: f64, y: f64, yaw: f64| {
        // The page subscribes when it knows the topics.
        let frame = format!(
            "saltus.shown.has('/scan') && saltus.shown.has('/map') && saltus.shown.has('/robot_description') && Math.abs(saltus.frame('base')?.[0] - {x}) < 1e-6"
        );
        let check = format!("(() => {{ return {frame}; }})()");
        for _ in 0..600 {
            move_to(&transforms, x, y, yaw);
            scans.publish(&scan()).unwrap();
            if browser.evaluate(&check) == true {
                break;
            }
            browser.evaluate("new Promise(done => setTimeout(() => done(true), 20))");
        }
        assert_eq!(browser.evaluate(&check), true, "{}", browser.evaluate("document.body.innerText"));
        let shot = browser.screenshot();
        save(&shot, "view-test.png");
        let mut at = |x: f64, y: f64| color(&mut browser, &shot, x, y);
        let (free, occupied, unknown, outside) = (at(-1.5, 1.5), at(1.5, 0.5), at(-1.5, -1.5), at(-3.0, 0.5));
        assert!(free.iter().all(|part| *part > 240), "{free:?}");
        assert!(occupied.iter().all(|part| *part < 20), "{occupied:?}");
        assert_eq!(unknown, [136, 147, 155]);
        assert_ne!(outside, free);
        // A corner of the robot is 0.2 m ahead and 0.15 m to the left. A point of the scan is 1.1 m ahead.
        let ahead = |along: f64, aside: f64| {
            (x + along * yaw.cos() - aside * yaw.sin(), y + along * yaw.sin() + aside * yaw.cos())
        };
        assert!(is_near(&mut browser, &shot, ahead(0.2, 0.15), is_blue));
        assert!(!is_near(&mut browser, &shot, ahead(-0.7, 0.3), is_blue));
        assert!(is_near(&mut browser, &shot, ahead(1.1, 0.0), is_red));
        // The laser is upside down, so a point on its left is on the right of the robot.
        let (sine, cosine) = 0.25_f64.sin_cos();
        assert!(is_near(&mut browser, &shot, ahead(0.1 + cosine, -sine), is_red));
        assert!(!is_near(&mut browser, &shot, ahead(0.1 + cosine, sine), is_red));
        // The end of the roller. An upright cylinder would not reach this point.
        assert!(is_near(&mut browser, &shot, ahead(-0.45, 0.3), is_blue));
        assert!(!is_near(&mut browser, &shot, ahead(0.8, 0.3), is_red));
    };
    show(-1.0, 0.5, 0.0);
    show(-1.2, 0.2, 1.5);
    // Without --control, commands are refused.
    browser.evaluate("saltus.send({op: 'drive', topic: '/cmd_vel', forward: 1, left: 0, turn: 0})");
    browser.wait("document.getElementById('error').textContent.includes('only shows')");
    assert!(scene.robot.context().graph().endpoints.iter().all(|end| end.topic != "/cmd_vel"));
}

/// Saves a screenshot if `SALTUS_SCREENSHOTS` contains the path of a folder.
fn save(shot: &RgbImage, name: &str) {
    if let Some(folder) = std::env::var_os("SALTUS_SCREENSHOTS") {
        shot.save(PathBuf::from(folder).join(name)).unwrap();
    }
}

#[test]
fn a_goal_a_pose_and_the_arrow_keys_arrive_as_messages() {
    let scene = Scene::new(true);
    let (goals, _goals) = scene.listen::<PoseStamped>("goal_pose");
    let (poses, _poses) = scene.listen::<PoseWithCovarianceStamped>("initialpose");
    let (twists, _twists) = scene.listen::<Twist>("cmd_vel");
    let maps = scene.latched("map");
    maps.publish(&map()).unwrap();
    let mut browser = scene.browser();
    browser.wait("saltus.shown.has('/map') && !document.getElementById('tools').hidden");
    let mut click = |tool: &str, x: f64, y: f64| {
        browser.evaluate(&format!("document.querySelector('[data-tool={tool}]').click()"));
        let (from, to) = (browser.pixel(x, y), browser.pixel(x, y + 0.5));
        browser.drag(from, to);
    };
    click("goal", 0.7, -0.35);
    let goal = goals.recv_timeout(LONG).unwrap();
    let Point { x, y, .. } = goal.pose.position;
    // The tolerance is two cells of the map.
    assert!((x - 0.7).abs() < 0.1 && (y + 0.35).abs() < 0.1, "{goal:?}");
    let turned = std::f64::consts::FRAC_1_SQRT_2;
    assert!((goal.pose.orientation.z - turned).abs() < 0.01, "{goal:?}");
    assert_eq!(goal.header.frame_id, "map");
    click("initialpose", -1.2, 0.8);
    let pose = poses.recv_timeout(LONG).unwrap();
    assert!((pose.pose.pose.position.x + 1.2).abs() < 0.1 && pose.pose.covariance[0] == 0.25, "{pose:?}");
    browser.key("ArrowUp", true);
    let driven = twists.recv_timeout(LONG).unwrap();
    assert!(driven.linear.x > 0.1, "{driven:?}");
    // Without the page, its robot stops.
    drop(browser);
    let stopped = std::iter::from_fn(|| twists.recv_timeout(LONG).ok()).find(|twist| twist.linear.x == 0.0);
    assert!(stopped.is_some());
}

#[test]
fn a_path_an_image_and_a_plot_are_drawn() {
    let scene = Scene::new(false);
    let paths = scene.latched("plan");
    let stamped = |x: f64| PoseStamped {
        pose: Pose { position: Point { x, y: 1.0, z: 0.0 }, ..Pose::default() },
        ..PoseStamped::default()
    };
    paths.publish(&Path { header: header("map"), poses: vec![stamped(-2.0), stamped(2.0)] }).unwrap();
    let images = scene.latched("picture");
    let data = [255, 0, 0, 0, 0, 255].repeat(8);
    images
        .publish(&Image { width: 4, height: 4, encoding: "rgb8".into(), step: 12, data, ..Image::default() })
        .unwrap();
    let odometry = scene.robot.publisher("odom").create().unwrap();
    let mut browser = scene.browser();
    browser.wait("saltus.shown.has('/plan') && document.querySelector('[data-topic=\"/picture\"] input')");
    browser.evaluate("document.querySelector('[data-topic=\"/picture\"] input').click()");
    browser.evaluate("(() => { const plot = document.getElementById('plot'); plot.value = '/odom twist.twist.linear.x'; plot.onkeydown({key: 'Enter', target: plot}); })()");
    assert!(odometry.wait_for_subscriptions(1, LONG));
    for speed in [0.0, 1.0, 0.5] {
        let mut message = Odometry::default();
        message.twist.twist.linear.x = speed;
        odometry.publish(&message).unwrap();
        browser.wait(&format!("saltus.plots[0].values.at(-1)?.[1] === {speed}"));
    }
    browser.wait("document.querySelector('canvas[data-topic=\"/picture\"]')");
    let pixel = "[...document.querySelector('canvas[data-topic=\"/picture\"]').getContext('2d').getImageData(1, 2, 1, 1).data]";
    assert_eq!(browser.evaluate(pixel), serde_json::json!([0, 0, 255, 255]));
    let shot = browser.screenshot();
    let is_green = |[red, green, blue]: [u8; 3]| green > 100 && red < 100 && blue < 120;
    assert!(is_near(&mut browser, &shot, (0.5, 1.0), is_green));
    assert!(!is_near(&mut browser, &shot, (0.5, 0.5), is_green));
    assert_eq!(browser.evaluate("document.getElementById('error').textContent"), "");
}

#[test]
fn the_newest_of_twenty_scans_at_ten_hertz_are_shown() {
    let scene = Scene::new(false);
    let publisher = |robot: usize| scene.robot.publisher(&format!("/robot{robot}/scan")).create().unwrap();
    let scans: Vec<Publisher<LaserScan>> = (0..20).map(publisher).collect();
    let transforms = TransformBroadcaster::new(&scene.robot).unwrap();
    let mut browser = scene.browser();
    assert!(scans.iter().all(|publisher| publisher.wait_for_subscriptions(1, LONG)));
    let message = LaserScan { ranges: vec![1.0; 360], angle_min: 0.0, angle_increment: 0.0175, ..scan() };
    let timer = std::time::Instant::now();
    for round in 0..20_u32 {
        move_to(&transforms, 0.0, 0.0, 0.0);
        for publisher in &scans {
            let mut message = message.clone();
            message.header.stamp.sec = round as i32 + 1;
            publisher.publish(&message).unwrap();
        }
        // Ten rounds per second.
        std::thread::sleep(Duration::from_millis(u64::from(round + 1) * 100).saturating_sub(timer.elapsed()));
    }
    browser
        .wait("[...saltus.shown.values()].filter(item => item.value.header?.stamp.sec === 20).length === 20");
    browser.wait("saltus.frame('laser')");
    let shot = browser.screenshot();
    // The laser is at x = 0.1, and its scan is a circle of 1 m.
    for (x, y) in [(1.1, 0.0), (0.1, 1.0), (0.1, -1.0), (-0.9, 0.0)] {
        assert!(is_near(&mut browser, &shot, (x, y), is_red), "{x} {y}");
    }
}

#[test]
fn faulty_messages_do_not_disturb_the_others() {
    let scene = Scene::new(false);
    let maps = scene.latched("map");
    maps.publish(&map()).unwrap();
    let broken = scene.latched("broken_map");
    let info = MapMetaData { width: 20_000, height: 20_000, resolution: 0.05, ..MapMetaData::default() };
    broken.publish(&OccupancyGrid { header: header("map"), info, data: Vec::new() }).unwrap();
    let descriptions = scene.latched("robot_description");
    let nameless =
        "<robot><link><collision><geometry><sphere radius='-1'/></geometry></collision></link></robot>";
    descriptions.publish(&Text { data: nameless.into() }).unwrap();
    let markers = scene.latched("markers");
    let negative = Marker {
        header: header("map"),
        r#type: Marker::CYLINDER,
        scale: Vector3 { x: -1.0, y: -1.0, z: 1.0 },
        ..Marker::default()
    };
    markers.publish(&negative).unwrap();
    let wide = scene.latched("wide");
    wide.publish(&WString { data: "grüße".into() }).unwrap();
    let mut browser = scene.browser();
    browser.wait(
        "['/map', '/broken_map', '/robot_description', '/markers'].every(topic => saltus.shown.has(topic))",
    );
    let reason = "document.querySelector('[data-topic=\"/broken_map\"] small').textContent";
    browser.wait(&format!("{reason}.includes('20000 x 20000 cells are not in 0 values')"));
    let shot = browser.screenshot();
    let occupied = color(&mut browser, &shot, 1.5, 0.5);
    assert!(occupied.iter().all(|part| *part < 20), "{occupied:?}");
    browser.evaluate("saltus.want('/wide', 'test', true)");
    browser.wait("saltus.shown.get('/wide')?.value.data === 'grüße'");
}
