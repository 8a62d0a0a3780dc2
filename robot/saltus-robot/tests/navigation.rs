//! A robot that navigates in a simulated world, in simulated time, and what happens if something goes wrong.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    ffi::OsStr,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Condvar, Mutex},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use saltus::{
    Client, Context, Executor, Node, Publisher, QoS, SingleThreadedExecutor, Subscription,
    context::{ContextOptions, RosArgs},
    executor::ExecutorHandle,
    msgs::{
        geometry_msgs::msg::{PoseWithCovarianceStamped, Twist},
        nav_msgs::msg::Odometry,
        nav2_msgs::action::NavigateToPose,
        sensor_msgs::msg::LaserScan,
        simulation_interfaces::srv::{SetEntityState, SetEntityState_Request},
        std_srvs::srv::{Empty, Empty_Request},
    },
};
use saltus_browser::Browser;
use saltus_commander::{Commander, CostmapOf, Outcome, Task};
use saltus_map::{Format, Mode, OccupancyGrid, Thresholds};
use saltus_motion::Pose;
use saltus_sim::{MovingObstacleSpec, ObstacleMotion, Point, Shape, World};
use saltus_sim_node::{Factor, Options, load_world, run};
use saltus_view::Server;

/// In real time.
const LONG: Duration = Duration::from_secs(120);
/// So many times as fast as real time.
const FACTOR: f64 = 2.0;
/// Where the robot starts in the world of the TurtleBot3.
const START: Pose = Pose::new(-2.0, -0.5, 0.0);

/// The state of the robot, as far as it is known.
#[derive(Default)]
struct Seen {
    pose: Pose,
    speed: f64,
    /// When it was told last to move, and to stop.
    moved: Option<Instant>,
    stopped: Option<Instant>,
    /// Whether its scans reach the stack.
    is_blind: bool,
    /// The number of scans that have reached it.
    scans: usize,
}

/// The known state of the robot, and a condition variable that each message of the robot notifies.
#[derive(Default)]
struct Watch {
    seen: Mutex<Seen>,
    changed: Condvar,
}

impl Watch {
    fn change<T>(&self, change: impl FnOnce(&mut Seen) -> T) -> T {
        let result = change(&mut self.seen.lock().unwrap());
        self.changed.notify_all();
        result
    }
}

/// A simulated robot with its stack.
struct Robot {
    folder: tempfile::TempDir,
    context: Context,
    node: Node,
    commander: Commander,
    stack: Child,
    watch: Arc<Watch>,
    executor: ExecutorHandle,
    threads: Vec<JoinHandle<()>>,
    _scans: Publisher<LaserScan>,
    _subscriptions: (Subscription<Odometry>, Subscription<Twist>, Subscription<LaserScan>),
}

impl Robot {
    /// Starts a robot in a world, and waits until it knows where it is.
    fn start(mut world: World, start: &Pose, arguments: &[String]) -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        world.clock_rate = 100.0;
        // The scans go through the test.
        let remapping = ["--ros-args", "-r", "simulator:scan:=seen"];
        let options =
            ContextOptions::default().folder(folder.path()).args(RosArgs::parse(remapping).unwrap());
        let context = options.create().unwrap();
        let node = context.node("test").create().unwrap();
        node.use_sim_time(true).unwrap();
        let watch = Arc::<Watch>::default();
        let scans = node.publisher("scan").qos(QoS::sensor_data()).create().unwrap();
        let [moving, commanded, relay] = [(); 3].map(|()| watch.clone());
        let forward = scans.clone();
        let subscriptions = (
            node.subscription("odom")
                .callback(move |odometry: Odometry| {
                    moving.change(|seen| {
                        seen.pose = saltus_nav_server::from_pose(&odometry.pose.pose).unwrap();
                        seen.speed = saltus_nav_server::from_twist(&odometry.twist.twist).speed();
                    });
                })
                .unwrap(),
            node.subscription("cmd_vel")
                .callback(move |twist: Twist| {
                    let is_still = twist.linear.x == 0.0 && twist.angular.z == 0.0;
                    commanded.change(|seen| {
                        *(if is_still { &mut seen.stopped } else { &mut seen.moved }) = Some(Instant::now());
                    });
                })
                .unwrap(),
            node.subscription("seen")
                .qos(QoS::sensor_data())
                .callback(move |scan: LaserScan| {
                    relay.change(|seen| {
                        if !seen.is_blind {
                            seen.scans += 1;
                            forward.publish(&scan).unwrap();
                        }
                    });
                })
                .unwrap(),
        );
        let commander = Commander::new(&node).unwrap();
        let mut executor = SingleThreadedExecutor::new(&context).unwrap();
        executor.add_node(&node);
        let handle = executor.handle();
        let simulated = context.clone();
        let options = Options { factor: Factor::Times(FACTOR), ..Options::default() };
        let threads = vec![
            thread::spawn(move || drop(run(&simulated, &world, &options).unwrap())),
            thread::spawn(move || executor.spin().unwrap()),
        ];
        let stack = stack(folder.path(), arguments);
        let robot = Self {
            folder,
            context,
            node,
            commander,
            stack,
            watch,
            executor: handle,
            threads,
            _scans: scans,
            _subscriptions: subscriptions,
        };
        robot.commander.wait_until_found(start, LONG).unwrap();
        robot
    }

    /// Starts a robot in the world of the TurtleBot3.
    fn in_arena(arguments: &[&str]) -> Self {
        let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
        Self::start(load_world("turtlebot3_world").unwrap(), &START, &arguments)
    }

    /// Ends the nodes of navigation, as with Ctrl-C, and waits until they have ended.
    fn end_stack(&mut self) {
        if let Ok(None) = self.stack.try_wait() {
            let _ = kill_process(Pid::from_child(&self.stack), Signal::INT);
            let _ = self.stack.wait();
        }
    }

    fn seen<T>(&self, get: impl Fn(&Seen) -> T) -> T {
        get(&self.watch.seen.lock().unwrap())
    }

    /// Waits until something holds. It is looked at after each message of the robot.
    fn until(&self, what: &str, holds: impl Fn(&Seen) -> bool) {
        let seen = self.watch.seen.lock().unwrap();
        let waited = self.watch.changed.wait_timeout_while(seen, LONG, |seen| !holds(seen)).unwrap().1;
        assert!(!waited.timed_out(), "{what}");
    }

    /// Puts a thing somewhere.
    fn put(&self, name: &str, x: f64, y: f64) {
        let client: Client<SetEntityState> = self.node.client("set_entity_state").create().unwrap();
        assert!(client.wait_for_service(LONG));
        let mut request = SetEntityState_Request { entity: name.into(), ..Default::default() };
        request.state.pose = saltus_nav_server::to_pose(&Pose::new(x, y, 0.0));
        let response = client.call(&request, LONG).unwrap();
        assert_eq!(response.result.result, 1, "{}", response.result.error_message);
    }

    /// Returns the processes of the stack whose name is this.
    fn processes(&self, name: &str) -> Vec<i32> {
        let own = self.folder.path().as_os_str();
        let is_it = |process: &procfs::process::Process| {
            let variable =
                process.environ().ok().and_then(|all| all.get(OsStr::new("SALTUS_SHM_DIR")).cloned());
            process.stat().is_ok_and(|stat| stat.comm == name && stat.state != 'Z')
                && variable.is_some_and(|value| value == own)
        };
        let all = procfs::process::all_processes().unwrap().flatten();
        all.filter(is_it).map(|process| process.pid).collect()
    }
}

/// Starts the nodes of navigation.
fn stack(folder: &Path, arguments: &[String]) -> Child {
    let mut command = Command::new(saltus_programs::program("saltus"));
    command.args(["launch", "nav", "bringup.launch.yaml", "use_sim_time:=true"]).args(arguments);
    command
        .env("SALTUS_SHM_DIR", folder)
        .env("ROS_LOG_DIR", folder.join("log"))
        .env("XDG_CACHE_HOME", folder);
    command
        .env_remove("ROS_DOMAIN_ID")
        .env_remove("SALTUS_PREFIX_PATH")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command.spawn().unwrap()
}

impl Drop for Robot {
    fn drop(&mut self) {
        if thread::panicking() {
            // What the nodes say is of interest then.
            eprintln!("{}", logs(&self.folder.path().join("log")));
        }
        self.end_stack();
        self.context.shut_down();
        self.executor.cancel();
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// Returns all logs below a folder.
fn logs(folder: &Path) -> String {
    walk(folder).iter().map(|log| fs::read_to_string(log).unwrap_or_default()).collect()
}

#[test]
fn the_demo_drives_to_three_goals() {
    let folder = tempfile::tempdir_in("/dev/shm").unwrap();
    let command = |arguments: &[&str]| {
        let mut command = Command::new(saltus_programs::program("saltus"));
        command
            .args(arguments)
            .stdin(Stdio::null())
            .env("SALTUS_SHM_DIR", folder.path())
            .env("ROS_LOG_DIR", folder.path().join("log"))
            .env("XDG_CACHE_HOME", folder.path())
            .env_remove("ROS_DOMAIN_ID")
            .env_remove("SALTUS_PREFIX_PATH");
        command
    };
    let mut demo =
        command(&["demo", "nav", "--headless", "--factor", "2"]).stderr(Stdio::piped()).spawn().unwrap();
    let (mut text, mut findings) = (String::new(), String::new());
    for line in BufReader::new(demo.stderr.take().unwrap()).lines() {
        let line = line.unwrap();
        if line.starts_with("Goal 3") {
            let doctor = command(&["doctor"]).output().unwrap();
            findings = String::from_utf8_lossy(&doctor.stdout).into_owned();
            assert!(doctor.status.success(), "a healthy robot has no problems: {findings}");
        }
        text.push_str(&(line + "\n"));
    }
    assert!(demo.wait().unwrap().success(), "{text}{}", logs(&folder.path().join("log")));
    assert_eq!(text.matches("reached after").count(), 3, "{text}");
    assert!(findings.contains("No problems found"), "{text}");
}

#[test]
fn goals_are_preempted_canceled_and_refused() {
    let mut robot = Robot::in_arena(&[]);
    let mut first = robot.commander.go_to(&Pose::new(1.4, -1.6, 0.0)).unwrap();
    robot.until("it moves", |seen| seen.speed > 0.1);
    let mut second = robot.commander.go_to(&Pose::new(-0.5, 0.55, 0.0)).unwrap();
    assert_eq!(first.wait(LONG).unwrap(), Outcome::Failed);
    robot.until("it moves on", |seen| seen.speed > 0.1);
    second.cancel(LONG).unwrap();
    assert_eq!(second.wait(LONG).unwrap(), Outcome::Canceled);
    robot.until("it stands", |seen| seen.speed < 0.01);
    // Outside of the map: no recovery would help.
    let mut outside = robot.commander.go_to(&Pose::new(100.0, 0.0, 0.0)).unwrap();
    assert_eq!(outside.wait(LONG).unwrap(), Outcome::Failed);
    assert_eq!(outside.result().unwrap().error_code, 204);
    // Behind the wall: the recoveries are tried, and then it is given up.
    let mut behind = robot.commander.go_to(&Pose::new(-6.0, 0.0, 0.0)).unwrap();
    assert_eq!(behind.wait(LONG).unwrap(), Outcome::Failed);
    assert_eq!(behind.result().unwrap().error_code, 208);
    // The robot still works.
    let mut last = robot.commander.go_to(&Pose::new(-0.5, 0.55, 0.0)).unwrap();
    assert_eq!(last.wait(LONG).unwrap(), Outcome::Succeeded);
    assert!(robot.seen(|seen| seen.pose.distance(&Pose::new(-0.5, 0.55, 0.0))) < 0.35);
    // The robot does not drive on when its nodes end.
    let _unfinished = robot.commander.go_to(&Pose::new(1.4, -1.6, 0.0)).unwrap();
    robot.until("it moves", |seen| seen.speed > 0.1);
    robot.end_stack();
    robot.until("it is told to stop", |seen| seen.stopped > seen.moved);
    robot.until("it stands", |seen| seen.speed < 0.01);
}

#[test]
fn the_commander_plans_clears_costmaps_and_follows_paths() {
    let robot = Robot::in_arena(&[]);
    let commander = &robot.commander;
    let goals = [Pose::new(-0.55, -0.55, 0.0), Pose::new(-0.5, 0.55, 0.0)];
    let path = commander.path_through(&goals).unwrap().unwrap();
    let path = commander.smoothed(&path, LONG).unwrap().unwrap();
    for which in [CostmapOf::Planner, CostmapOf::Controller] {
        assert!(!commander.costmap(which).unwrap().data.is_empty());
        commander.clear_around_robot(which, 1.0).unwrap();
        commander.clear_around_pose(which, &goals[0], 1.0).unwrap();
        commander.clear_except_around_robot(which, 2.0).unwrap();
    }
    assert_eq!(commander.follow_path(&path, "", "").unwrap().wait(LONG).unwrap(), Outcome::Succeeded);
    assert!(robot.seen(|seen| seen.pose.distance(&goals[1])) < 0.35);
    let mut straight_on = commander.drive_on_heading(0.1, 0.1, LONG).unwrap();
    assert_eq!(straight_on.wait(LONG).unwrap(), Outcome::Succeeded);
    assert!(commander.change_map("/nowhere.yaml").is_err());
    commander.shut_down("lifecycle_manager_navigation", LONG).unwrap();
    assert!(commander.go_to(&goals[0]).is_err());
}

#[test]
fn a_click_on_the_page_sends_the_robot() {
    let robot = Robot::in_arena(&[]);
    let view = robot.context.node("view").create().unwrap();
    let options = saltus_view::Options { address: [127, 0, 0, 1].into(), port: Some(0), with_control: true };
    let server = Server::start(&view, &options).unwrap();
    robot.executor.add_node(&view);
    let mut page = Browser::open(server.url());
    let shows = |page: &mut Browser, topics: &[&str]| {
        topics.iter().for_each(|topic| page.wait(&format!("saltus.shown.has('{topic}')")));
    };
    let costmaps = ["/local_costmap/costmap", "/global_costmap/costmap"];
    shows(&mut page, &["/map", "/scan", "/local_costmap/published_footprint"]);
    shows(&mut page, &costmaps);
    page.evaluate("document.querySelector('[data-tool=goal]').click()");
    // Where it is to go, and where it is to look.
    let goal = Pose::new(0.55, 0.55, 0.0);
    let (from, to) = (page.pixel(goal.x, goal.y), page.pixel(goal.x + 1.0, goal.y));
    page.drag(from, to);
    robot.until("it moves", |seen| seen.speed > 0.1);
    shows(&mut page, &["/plan", "/particle_cloud"]);
    let status = |node: &str| {
        format!(
            "[...document.querySelectorAll('#trees .node')].find(row => row.firstChild.textContent === '{node}')?.lastChild.textContent"
        )
    };
    page.wait(&format!("{} === 'RUNNING'", status("FollowPath")));
    // The particles are within a few centimetres: they are only seen from near.
    let at = robot.seen(|seen| seen.pose);
    let at = page.pixel(at.x, at.y);
    page.zoom(at, 5.0);
    // A node that succeeded has the color of the plan.
    page.evaluate("document.getElementById('trees').hidden = true");
    let shot = page.screenshot();
    let count = |color: [u8; 3]| shot.pixels().filter(|pixel| pixel.0 == color).count();
    let (plan, particles, scan) =
        (count([0x0a, 0x8f, 0x3c]), count([0xc0, 0x20, 0x80]), count([0xe0, 0x20, 0x20]));
    assert!(plan > 10 && particles > 10 && scan > 10, "{plan}, {particles}, {scan}");
    robot.until("it is there", |seen| seen.pose.distance(&goal) < 0.35);
    page.wait(&format!("{} === 'IDLE'", status("FollowPath")));
    assert_eq!(page.evaluate("document.getElementById('error').textContent"), "");
}

/// Two rooms with a door of 1.2 m between them, and a crate that fits into the door.
fn rooms() -> World {
    let wall = |x, y, width, height| {
        Shape::rectangle(saltus_sim::Pose { x, y, yaw: 0.0 }, Point::new(width, height))
    };
    let walls = [
        wall(-3.0, 0.0, 0.2, 4.2),
        wall(3.0, 0.0, 0.2, 4.2),
        wall(0.0, -2.0, 6.2, 0.2),
        wall(0.0, 2.0, 6.2, 0.2),
        wall(0.0, -1.3, 0.2, 1.4),
        wall(0.0, 1.3, 0.2, 1.4),
        // So that the rooms differ.
        wall(-2.5, 1.5, 0.5, 0.4),
        wall(2.0, -1.6, 0.4, 0.6),
    ];
    let mut world = load_world("turtlebot3_world").unwrap();
    world.obstacles = walls.into_iter().flatten().collect();
    world.moving = vec![MovingObstacleSpec {
        name: "crate".into(),
        shape: Shape::rectangle(saltus_sim::Pose { x: 0.0, y: 0.0, yaw: 0.0 }, Point::new(0.3, 1.1)).unwrap(),
        pose: saltus_sim::Pose { x: 0.0, y: 0.0, yaw: 0.0 },
        motion: ObstacleMotion::Pushed { mass: 500.0, damping: 50.0 },
    }];
    world.robots[0].pose = saltus_sim::Pose { x: -2.0, y: 0.0, yaw: 0.0 };
    world
}

/// Writes the map of a world. Returns its file.
fn map_of(world: &World, folder: &Path) -> PathBuf {
    let cells = vec![0; 140 * 100];
    let empty = OccupancyGrid { width: 140, height: 100, resolution: 0.05, origin: [-3.5, -2.5, 0.0], cells };
    let thresholds = Thresholds { occupied: 0.65, free: 0.25 };
    let map = world.map(empty, [-2.0, 0.0]);
    let (file, image) = saltus_map::save(&map, "rooms", Mode::Trinary, Format::Png, thresholds).unwrap();
    fs::write(folder.join("rooms.png"), image).unwrap();
    fs::write(folder.join("rooms.yaml"), file.text()).unwrap();
    folder.join("rooms.yaml")
}

#[test]
fn a_blocked_door_is_recovered_from_when_it_opens() {
    let folder = tempfile::tempdir().unwrap();
    let world = rooms();
    let map = map_of(&world, folder.path());
    let robot = Robot::start(world, &Pose::new(-2.0, 0.0, 0.0), &[format!("map:={}", map.display())]);
    let mut task = robot.commander.go_to(&Pose::new(1.5, 0.5, 0.0)).unwrap();
    robot
        .until("it recovers", |_| task.feedback().is_some_and(|feedback| feedback.number_of_recoveries >= 2));
    assert!(robot.seen(|seen| seen.pose.x) < -0.2, "it is before the door");
    robot.put("crate", 20.0, 20.0);
    assert_eq!(task.wait(LONG).unwrap(), Outcome::Succeeded);
    assert!(robot.seen(|seen| seen.pose.x) > 1.0);
}

#[test]
fn a_lost_robot_finds_out_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let mut world = rooms();
    world.moving.clear();
    let map = map_of(&world, folder.path());
    let robot = Robot::start(world, &Pose::new(-2.0, 0.0, 0.0), &[format!("map:={}", map.display())]);
    // The pose, and the variance of x and y together.
    let believed = Arc::<Mutex<(Pose, f64)>>::default();
    let set = believed.clone();
    let _estimates = robot
        .node
        .subscription("amcl_pose")
        .qos(QoS::keep_last(1).transient_local())
        .callback(move |estimate: PoseWithCovarianceStamped| {
            let covariance = &estimate.pose.covariance;
            *set.lock().unwrap() =
                (saltus_nav_server::from_pose(&estimate.pose.pose).unwrap(), covariance[0] + covariance[7]);
        })
        .unwrap();
    let error = || believed.lock().unwrap().0.distance(&robot.seen(|seen| seen.pose));
    // There may be other places where it would see much the same.
    let is_sure = || believed.lock().unwrap().1 < 1.0;
    // It believes to be in the other room.
    robot.commander.set_initial_pose(&Pose::new(1.5, 0.5, 0.0)).unwrap();
    robot.until("it believes it", |seen| believed.lock().unwrap().0.distance(&seen.pose) >= 3.0);
    let end = Instant::now() + LONG;
    let anywhere: Client<Empty> = robot.node.client("reinitialize_global_localization").create().unwrap();
    while error() > 0.3 || !is_sure() {
        assert!(Instant::now() < end, "it is lost");
        if is_sure() {
            anywhere.call(&Empty_Request::default(), LONG).unwrap();
        }
        let mut turn = robot.commander.spin(std::f64::consts::TAU, LONG).unwrap();
        turn.wait(LONG).unwrap();
    }
    let goal = Pose::new(1.5, 0.5, 0.0);
    let mut task = robot.commander.go_to(&goal).unwrap();
    assert_eq!(task.wait(LONG).unwrap(), Outcome::Succeeded);
    assert!(robot.seen(|seen| seen.pose.distance(&goal)) < 0.5);
}

#[test]
fn a_robot_stops_without_scans_and_drives_with_them_again() {
    let folder = tempfile::tempdir().unwrap();
    let bundled = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../robot/nodes/saltus-nav-bringup/params/nav2_params.yaml"
    ));
    // The local costmap expects a scan each 0.6 s.
    let text = bundled.unwrap().replacen(
        "          topic: /scan\n",
        "          topic: /scan\n          expected_update_rate: 0.6\n",
        1,
    );
    let params = folder.path().join("params.yaml");
    fs::write(&params, text).unwrap();
    let robot = Robot::in_arena(&[&format!("params_file:={}", params.display())]);
    let mut task = robot.commander.go_to(&Pose::new(1.4, -1.6, 0.0)).unwrap();
    robot.until("it moves", |seen| seen.speed > 0.1);
    robot.watch.change(|seen| seen.is_blind = true);
    // No recovery helps against missing scans, so the goal fails, as with Nav2's tree.
    assert_eq!(task.wait(LONG).unwrap(), Outcome::Failed);
    assert_eq!(task.result().unwrap().error_code, 107);
    robot.until("it stands", |seen| seen.speed < 0.01);
    robot.watch.change(|seen| seen.is_blind = false);
    // The controller waits for a costmap for 0.3 s only.
    let known = robot.seen(|seen| seen.scans) + 5;
    robot.until("it sees again", |seen| seen.scans >= known);
    let mut again = robot.commander.go_to(&Pose::new(1.4, -1.6, 0.0)).unwrap();
    assert_eq!(again.wait(LONG).unwrap(), Outcome::Succeeded);
}

#[test]
fn a_robot_stops_when_its_planner_dies_and_drives_on_after_the_restart() {
    let robot = Robot::in_arena(&["container_type:=component_container_crash_isolated"]);
    let mut task = robot.commander.go_to(&Pose::new(1.4, -1.6, 0.0)).unwrap();
    robot.until("it moves", |seen| seen.speed > 0.1);
    let planners = robot.processes("planner_server");
    assert_eq!(planners.len(), 1);
    let killed = Instant::now();
    kill_process(Pid::from_raw(planners[0]).unwrap(), Signal::KILL).unwrap();
    robot.until("it is told to stop", |seen| seen.stopped.is_some_and(|stopped| stopped > killed));
    let stopped = robot.seen(|seen| seen.stopped).unwrap().duration_since(killed);
    eprintln!("told to stop {:.0} ms after the planner was killed", stopped.as_secs_f64() * 1e3);
    assert_ne!(task.wait(LONG).unwrap(), Outcome::Succeeded);
    // The lifecycle manager brings all nodes up again. A goal may come before it has noticed.
    let end = Instant::now() + LONG;
    let reaches = |mut task: Task<NavigateToPose>| task.wait(LONG).unwrap() == Outcome::Succeeded;
    while !robot.commander.go_to(&Pose::new(1.4, -1.6, 0.0)).is_ok_and(reaches) {
        assert!(Instant::now() < end, "it does not come up again");
        robot.commander.wait_until_active(LONG).unwrap();
    }
}
