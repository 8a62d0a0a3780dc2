//! Maps are loaded, published, and saved again, by the nodes that do so in a system.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use saltus::{
    Context, Executor, Node, QoS, SingleThreadedExecutor, Time,
    component::{Component, NodeOptions},
    context::ContextOptions,
    executor::ExecutorHandle,
    graph::{EndpointInfo, EndpointKind},
    lifecycle::CallbackReturn,
    msgs::{
        nav_msgs::{
            msg::OccupancyGrid as GridMessage,
            srv::{GetMap, GetMap_Request},
        },
        nav2_msgs::srv::{LoadMap, LoadMap_Request, LoadMap_Response, SaveMap, SaveMap_Request},
    },
};
use saltus_map::{Format, Mode, OccupancyGrid, Thresholds};

use super::{message::to_message, *};

const LONG: Duration = Duration::from_secs(20);

/// A grid of 3 x 2 cells.
fn grid() -> OccupancyGrid {
    OccupancyGrid {
        width: 3,
        height: 2,
        resolution: 0.05,
        origin: [-1.0, -2.5, 0.25],
        cells: vec![0, 100, -1, 100, 0, 0],
    }
}

/// A folder with maps, and the graph of a test.
struct Scene {
    folder: tempfile::TempDir,
    context: Context,
    user: Node,
}

/// Ends a spin, also if a test fails meanwhile.
struct CancelOnDrop(ExecutorHandle);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = ContextOptions::default().folder(folder.path()).create().unwrap();
        let user = context.node("user").create().unwrap();
        Self { folder, context, user }
    }

    /// Waits until a topic is subscribed to.
    fn wait_for(&self, topic: &str) {
        let is_there = |end: &EndpointInfo| end.topic == topic && end.kind == EndpointKind::Subscription;
        assert!(self.context.wait_until(LONG, || self.context.graph().endpoints.iter().any(is_there)));
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Saves a map, and returns the path of its YAML file.
    fn map(&self, name: &str, grid: &OccupancyGrid) -> String {
        let options = SaveOptions {
            name: self.path(name),
            format: Format::Pgm,
            mode: Mode::Trinary,
            thresholds: Thresholds::default(),
        };
        save(grid, &options).unwrap().display().to_string()
    }

    /// Runs the callbacks of a node on another thread while `work` runs.
    fn with<T>(&self, node: &Node, work: impl FnOnce() -> T) -> T {
        let mut executor = SingleThreadedExecutor::new(&self.context).unwrap();
        executor.add_node(node);
        let cancel = CancelOnDrop(executor.handle());
        thread::scope(|scope| {
            let spinning = scope.spawn(move || executor.spin());
            let result = {
                let _cancel = cancel;
                work()
            };
            spinning.join().unwrap().unwrap();
            result
        })
    }

    fn server(&self, file: &str) -> MapServer {
        let words = ["--ros-args", "-p", &format!("yaml_filename:={file}"), "-p", "frame_id:=floor"];
        MapServer::new(&NodeOptions::new(&self.context).arguments(words).unwrap()).unwrap()
    }

    /// Returns a configured saver, which waits for a map for so many seconds.
    fn saver(&self, timeout: &str) -> MapSaver {
        let words = ["--ros-args", "-p", &format!("save_map_timeout:={timeout}")];
        let saver = MapSaver::new(&NodeOptions::new(&self.context).arguments(words).unwrap()).unwrap();
        assert_eq!(saver.lifecycle().configure(), Ok(CallbackReturn::Success));
        saver
    }
}

#[test]
fn a_configured_map_is_published_when_the_node_is_active() {
    let scene = Scene::new();
    let server = scene.server(&scene.map("room", &grid()));
    assert_eq!(server.lifecycle().configure(), Ok(CallbackReturn::Success));
    let client = scene.user.client::<GetMap>("map_server/map").create().unwrap();
    let get = || scene.with(server.node(), || client.call(&GetMap_Request::default(), LONG).unwrap().map);
    assert_eq!(get(), GridMessage::default());
    assert_eq!(server.lifecycle().activate(), Ok(CallbackReturn::Success));
    let map = receive(&scene.user, "map", true, LONG).unwrap();
    assert_eq!((&*map.header.frame_id, map.info.resolution), ("floor", 0.05));
    let received = from_message(map.clone()).unwrap();
    assert!((received.origin[2] - 0.25).abs() < 1e-12);
    assert_eq!(received, OccupancyGrid { origin: received.origin, ..grid() });
    assert_eq!(get(), map);
    assert_eq!(server.lifecycle().deactivate(), Ok(CallbackReturn::Success));
    assert_eq!(server.lifecycle().cleanup(), Ok(CallbackReturn::Success));
    assert_eq!(client.status().servers, 0);
}

#[test]
fn another_map_is_loaded_on_request_and_a_wrong_one_changes_nothing() {
    let scene = Scene::new();
    let server = scene.server("''");
    assert_eq!(server.lifecycle().configure(), Ok(CallbackReturn::Success));
    let client = scene.user.client::<LoadMap>("map_server/load_map").create().unwrap();
    let load = |path: &Path| {
        let request = LoadMap_Request { map_url: path.display().to_string() };
        scene.with(server.node(), || client.call(&request, LONG).unwrap())
    };
    let room = PathBuf::from(scene.map("room", &grid()));
    assert_eq!(load(&room).result, LoadMap_Response::RESULT_UNDEFINED_FAILURE);
    assert_eq!(server.lifecycle().activate(), Ok(CallbackReturn::Success));
    let loaded = load(&room);
    assert_eq!((loaded.result, loaded.map.data), (LoadMap_Response::RESULT_SUCCESS, grid().cells));
    let wrong = |name: &str, text: &str| {
        fs::write(scene.path(name), text).unwrap();
        load(&scene.path(name)).result
    };
    let text = fs::read_to_string(&room).unwrap();
    assert_eq!(load(&scene.path("none.yaml")).result, LoadMap_Response::RESULT_MAP_DOES_NOT_EXIST);
    assert_eq!(load(Path::new("/dev/zero")).result, LoadMap_Response::RESULT_INVALID_MAP_METADATA);
    // It says that it is empty, and has 256 GiB.
    assert_eq!(load(Path::new("/proc/self/pagemap")).result, LoadMap_Response::RESULT_INVALID_MAP_METADATA);
    assert_eq!(wrong("a.yaml", "image: [\n"), LoadMap_Response::RESULT_INVALID_MAP_METADATA);
    // Without a writer, opening a pipe would wait.
    let pipe = scene.path("pipe");
    let readable = rustix::fs::Mode::RUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, readable, 0).unwrap();
    assert_eq!(load(&pipe).result, LoadMap_Response::RESULT_INVALID_MAP_METADATA);
    let elsewhere = text.replace("room.pgm", "/dev/zero");
    assert_eq!(wrong("b.yaml", &elsewhere), LoadMap_Response::RESULT_INVALID_MAP_DATA);
    fs::write(scene.path("bad.pgm"), "P5 3").unwrap();
    assert_eq!(wrong("c.yaml", &text.replace("room", "bad")), LoadMap_Response::RESULT_INVALID_MAP_DATA);
    assert_eq!(receive(&scene.user, "map", true, LONG).unwrap().data, grid().cells);
}

#[test]
fn a_map_that_can_not_be_loaded_is_an_error_of_the_configuration() {
    let scene = Scene::new();
    let server = scene.server(&scene.path("none.yaml").display().to_string());
    assert_eq!(server.lifecycle().configure(), Ok(CallbackReturn::Error));
    assert_eq!(server.lifecycle().state(), saltus::lifecycle::State::Unconfigured);
}

#[test]
fn a_published_map_is_saved_and_loads_as_the_same() {
    let scene = Scene::new();
    let saver = scene.saver("20.0");
    let maps = scene.user.publisher("floor").qos(QoS::keep_last(1).transient_local()).create().unwrap();
    let mut all = OccupancyGrid { cells: vec![0, 100, -1, 42, 65, 25], ..grid() };
    maps.publish(&to_message(all.clone(), "map", scene.user.clock().now())).unwrap();
    let client = scene.user.client::<SaveMap>("map_saver/save_map").create().unwrap();
    let save = |name: &str, mode: &str, format: &str| {
        let request = SaveMap_Request {
            map_topic: "floor".into(),
            map_url: scene.path(name).display().to_string(),
            image_format: format.into(),
            map_mode: mode.into(),
            ..SaveMap_Request::default()
        };
        scene.with(saver.node(), || client.call(&request, LONG).unwrap().result)
    };
    assert!(save("raw", "RAW", "png"));
    let raw = load(&scene.path("raw.yaml")).unwrap();
    assert!((raw.origin[2] - all.origin[2]).abs() < 1e-9);
    assert_eq!(raw, OccupancyGrid { origin: raw.origin, ..all.clone() });
    assert!(save("three", "trinary", ""));
    all.cells = vec![0, 100, -1, -1, 100, 0];
    assert_eq!(load(&scene.path("three.yaml")).unwrap().cells, all.cells);
    assert!(!save("three", "scale", "pgm"));
    assert!(!save("three", "trinary", "gif"));
    assert!(!save("no/such/folder/map", "trinary", ""));
    assert_eq!(load(&scene.path("three.yaml")).unwrap().cells, all.cells);
    let left: Vec<_> =
        fs::read_dir(scene.folder.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains(".map-")), "{left:?}");
}

#[test]
fn a_map_that_is_not_published_is_not_saved() {
    let scene = Scene::new();
    let saver = scene.saver("0.1");
    let client = scene.user.client::<SaveMap>("map_saver/save_map").create().unwrap();
    let request = SaveMap_Request { map_topic: "nothing".into(), ..SaveMap_Request::default() };
    assert!(!scene.with(saver.node(), || client.call(&request, LONG).unwrap().result));
}

#[test]
fn requests_wait_for_their_turn_and_too_many_are_refused() {
    let scene = Scene::new();
    let saver = scene.saver("100.0");
    let client = scene.user.client::<SaveMap>("map_saver/save_map").create().unwrap();
    let request = |topic: &str, name: &str| SaveMap_Request {
        map_topic: topic.into(),
        map_url: scene.path(name).display().to_string(),
        ..SaveMap_Request::default()
    };
    let maps = scene.user.publisher("floor").qos(QoS::keep_last(1).transient_local()).create().unwrap();
    maps.publish(&to_message(grid(), "map", scene.user.clock().now())).unwrap();
    let results = scene.with(saver.node(), || {
        let names = ["one", "two", "three"];
        let calls: Vec<_> = names.map(|name| client.call_async(&request("floor", name)).unwrap()).into();
        calls.into_iter().map(|mut call| call.wait(LONG).unwrap().result).collect::<Vec<_>>()
    });
    assert_eq!(results, [true; 3]);
    assert_eq!(load(&scene.path("three.yaml")).unwrap().cells, grid().cells);
    // The first one waits for a map, and the next 16 for their turn.
    scene.with(saver.node(), || {
        let nothing = request("nothing", "four");
        let mut calls = vec![client.call_async(&nothing).unwrap()];
        scene.wait_for("/nothing");
        calls.extend((0..16).map(|_| client.call_async(&nothing).unwrap()));
        assert!(!client.call(&nothing, LONG).unwrap().result);
        assert_eq!(saver.lifecycle().cleanup(), Ok(CallbackReturn::Success));
        assert!(calls.into_iter().all(|mut call| call.wait(LONG).is_err()));
    });
}

#[test]
fn requests_of_a_node_that_was_cleaned_up_are_not_fulfilled() {
    let scene = Scene::new();
    let saver = scene.saver("20.0");
    let client = scene.user.client::<SaveMap>("map_saver/save_map").create().unwrap();
    let request = |name: &str| SaveMap_Request {
        map_topic: "floor".into(),
        map_url: scene.path(name).display().to_string(),
        ..SaveMap_Request::default()
    };
    scene.with(saver.node(), || {
        let calls = ["one", "two"].map(|name| client.call_async(&request(name)).unwrap());
        scene.wait_for("/floor");
        assert_eq!(saver.lifecycle().cleanup(), Ok(CallbackReturn::Success));
        for mut call in calls {
            assert!(call.wait(LONG).is_err());
        }
    });
    // Now the map is there. The next request waits until the others are over.
    let maps = scene.user.publisher("floor").qos(QoS::keep_last(1).transient_local()).create().unwrap();
    maps.publish(&to_message(grid(), "map", scene.user.clock().now())).unwrap();
    assert_eq!(saver.lifecycle().configure(), Ok(CallbackReturn::Success));
    let client = scene.user.client::<SaveMap>("map_saver/save_map").create().unwrap();
    assert!(scene.with(saver.node(), || client.call(&request("three"), LONG).unwrap().result));
    for name in ["one.yaml", "two.yaml"] {
        assert!(!fs::exists(scene.path(name)).unwrap(), "{name}");
    }
}

#[test]
fn links_and_permissions_of_replaced_files_stay() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::new();
    fs::create_dir(scene.path("store")).unwrap();
    let target = scene.path("store/real.yaml");
    fs::write(&target, "old").unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink(&target, scene.path("room.yaml")).unwrap();
    let saved = scene.map("room", &grid());
    assert!(fs::symlink_metadata(saved).unwrap().is_symlink());
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::read_to_string(&target).unwrap().starts_with("image: room.pgm\n"));
    // A link to a device or a pipe must not replace it.
    let pipe = scene.path("store/pipe");
    let readable = rustix::fs::Mode::RUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, readable, 0).unwrap();
    std::os::unix::fs::symlink(&pipe, scene.path("hall.pgm")).unwrap();
    let options = SaveOptions {
        name: scene.path("hall"),
        format: Format::Pgm,
        mode: Mode::Trinary,
        thresholds: Thresholds::default(),
    };
    let error = save(&grid(), &options).unwrap_err().to_string();
    assert!(error.ends_with("hall.pgm: not a file"), "{error}");
    assert!(!fs::metadata(&pipe).unwrap().is_file());
}

#[test]
fn the_end_of_the_context_ends_the_wait() {
    let scene = Scene::new();
    scene.context.shut_down();
    let error = receive(&scene.user, "map", true, LONG).unwrap_err().to_string();
    assert_eq!(error, "interrupted before a map was published on `map`");
}

#[test]
fn what_is_saved_is_checked() {
    let scene = Scene::new();
    let options = |name: PathBuf| SaveOptions {
        name,
        format: Format::Pgm,
        mode: Mode::Trinary,
        thresholds: Thresholds::default(),
    };
    let error = save(&grid(), &options("/".into())).unwrap_err().to_string();
    assert_eq!(error, "can't write /: not the name of a file");
    let short = OccupancyGrid { cells: vec![0; 5], ..grid() };
    let error = save(&short, &options(scene.path("short"))).unwrap_err().to_string();
    assert_eq!(error, "a grid of 3 x 2 has 5 cells");
    let mut turned = to_message(grid(), "map", Time::default());
    turned.info.origin.orientation.w = 7.0;
    let error = from_message(turned).unwrap_err().to_string();
    assert_eq!(error, "the quaternion of the transform does not have the length 1");
}

/// Each of the nodes has a bond with its lifecycle manager while it is active.
#[test]
fn active_nodes_have_a_bond() {
    let scene = Scene::new();
    let (saver, server) = (scene.saver("1.0"), scene.server(&scene.map("room", &grid())));
    assert_eq!(server.lifecycle().configure(), Ok(CallbackReturn::Success));
    let bonds = || {
        let graph = scene.context.graph();
        let is_bond = |end: &&EndpointInfo| end.topic == "/bond" && end.kind == EndpointKind::Publisher;
        graph.endpoints.iter().filter(is_bond).count()
    };
    for (node, count) in [(saver.lifecycle(), 1), (server.lifecycle(), 2)] {
        assert_eq!(node.activate(), Ok(CallbackReturn::Success));
        assert!(scene.context.wait_until(LONG, || bonds() == count));
    }
    for (node, count) in [(saver.lifecycle(), 1), (server.lifecycle(), 0)] {
        assert_eq!(node.deactivate(), Ok(CallbackReturn::Success));
        assert!(scene.context.wait_until(LONG, || bonds() == count));
    }
}
