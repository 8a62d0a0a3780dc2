//! Tests with connections that a browser would not open: hostile ones, slow ones, and too many.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::{Mutex, PoisonError},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use saltus::{
    Context, Executor, Node, QoS, SingleThreadedExecutor,
    cdr::Message as _,
    context::ContextOptions,
    executor::{ExecutorHandle, SpinError},
    generic::TypeId,
    msgs::{
        builtin_interfaces,
        geometry_msgs::msg::{PoseStamped, Twist},
        rosgraph_msgs::msg::Clock,
        std_msgs::msg::{String as Text, UInt8MultiArray},
    },
};
use saltus_view::{DEFAULT_PORT, Options, Server};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket, client::IntoClientRequest, stream::MaybeTlsStream};

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
    fn new(address: [u8; 4]) -> Self {
        Self::with(address, false)
    }

    fn with(address: [u8; 4], with_control: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = ContextOptions::default().folder(folder.path()).handle_signals(false).create().unwrap();
        let (robot, view) = (context.node("robot").create().unwrap(), context.node("view").create().unwrap());
        let server =
            Server::start(&view, &Options { address: address.into(), port: Some(0), with_control }).unwrap();
        let mut executor = SingleThreadedExecutor::new(&context).unwrap();
        executor.add_node(&view);
        let handle = executor.handle();
        let spinning = std::thread::spawn(move || {
            let _context: Context = context;
            executor.spin()
        });
        Self { _folder: folder, robot, server: Some(server), executor: handle, spinning: Some(spinning) }
    }

    fn url(&self) -> &str {
        self.server.as_ref().unwrap().url()
    }

    fn address(&self) -> SocketAddr {
        let rest = self.url().strip_prefix("http://").unwrap();
        let address: SocketAddr = rest.split('/').next().unwrap().parse().unwrap();
        ([127, 0, 0, 1], address.port()).into()
    }

    /// Sends bytes, and returns the first line of the answer, or an empty text if there is no answer.
    fn answer(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        // The server may close the connection before all bytes are sent.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned()
    }

    fn get(&self, path: &str, headers: &str) -> String {
        self.answer(format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{headers}\r\n", self.address()).as_bytes())
    }

    fn socket(&self) -> WebSocket<MaybeTlsStream<TcpStream>> {
        let (_, query) = self
            .url()
            .split_once("/?")
            .map_or((self.url(), String::new()), |(url, token)| (url, format!("?{token}")));
        let url = format!("ws://{}/socket{query}", self.address());
        let (socket, _) = tungstenite::connect(url.into_client_request().unwrap()).unwrap();
        stream(&socket).set_read_timeout(Some(LONG)).unwrap();
        socket
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        self.server = None;
        self.executor.cancel();
        self.spinning.take().unwrap().join().unwrap().unwrap();
    }
}

fn stream(socket: &WebSocket<MaybeTlsStream<TcpStream>>) -> &TcpStream {
    match socket.get_ref() {
        MaybeTlsStream::Plain(stream) => stream,
        _ => unreachable!("there is no TLS here"),
    }
}

/// A goal of a page has simulated time if `/clock` is published.
#[test]
fn a_goal_has_the_time_of_the_clock() {
    let scene = Scene::with([127, 0, 0, 1], true);
    let clock = scene.robot.publisher("/clock").create().unwrap();
    let goals = scene.robot.subscription::<PoseStamped>("goal_pose").create().unwrap();
    let context = scene.robot.context();
    let mut socket = scene.socket();
    let command =
        json!({"op": "goal", "topic": "/goal_pose", "frame": "map", "x": 1, "y": 2, "yaw": 0}).to_string();
    let deadline = Instant::now() + LONG;
    loop {
        // The page sends goals until one has simulated time.
        clock.publish(&Clock { clock: builtin_interfaces::msg::Time { sec: 5, nanosec: 0 } }).unwrap();
        socket.send(Message::text(command.clone())).unwrap();
        let mut goal = None;
        assert!(context.wait_until(LONG, || {
            goal = goals.take();
            goal.is_some()
        }));
        let (goal, _) = goal.unwrap().unwrap();
        if goal.header.stamp.sec == 5 {
            return;
        }
        assert!(Instant::now() < deadline, "{goal:?}");
    }
}

/// Reads messages until a text with this operation comes, and returns it.
fn text(socket: &mut WebSocket<MaybeTlsStream<TcpStream>>, op: &str) -> Value {
    loop {
        let Message::Text(text) = socket.read().unwrap() else { continue };
        let value: Value = serde_json::from_str(&text).unwrap();
        if value["op"] == op {
            return value;
        }
    }
}

#[test]
fn the_page_is_served_and_foreign_origins_are_refused() {
    let scene = Scene::new([127, 0, 0, 1]);
    assert_eq!(scene.get("/", ""), "HTTP/1.1 200 OK");
    assert_eq!(scene.get("/secret", ""), "HTTP/1.1 404 Not Found");
    assert_eq!(scene.get("/", "Origin: http://evil.example\r\n"), "HTTP/1.1 403 Forbidden");
    let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n";
    assert_eq!(
        scene.get("/socket", &format!("{upgrade}Origin: http://evil.example\r\n")),
        "HTTP/1.1 403 Forbidden"
    );
    assert_eq!(scene.answer(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), "HTTP/1.1 403 Forbidden");
    assert!(scene.url().ends_with('/'), "{}", scene.url());
}

#[test]
fn a_server_for_other_machines_needs_its_token() {
    let scene = Scene::new([0, 0, 0, 0]);
    // Other machines can't open the address 0.0.0.0.
    assert!(!scene.url().contains("0.0.0.0"), "{}", scene.url());
    let (_, token) = scene.url().split_once("/?").unwrap();
    assert_eq!(scene.get("/", ""), "HTTP/1.1 401 Unauthorized");
    assert_eq!(scene.get("/?token=0123456789abcdef0123456789abcdef", ""), "HTTP/1.1 401 Unauthorized");
    assert_eq!(scene.get(&format!("/?{token}"), ""), "HTTP/1.1 200 OK");
    assert!(tungstenite::connect(format!("ws://{}/socket", scene.address())).is_err());
    assert!(tungstenite::connect(format!("ws://{}/socket?{token}", scene.address())).is_ok());
}

#[test]
fn bytes_that_are_no_request_are_refused() {
    let scene = Scene::new([127, 0, 0, 1]);
    for bytes in [&b"\x16\x03\x01\x02\x00\x01\x00"[..], b"POST / HTTP/1.1\r\n\r\n", &[b'a'; 20_000]] {
        let answer = scene.answer(bytes);
        assert!(answer.is_empty() || answer == "HTTP/1.1 400 Bad Request", "{answer}");
    }
    assert_eq!(scene.get("/", ""), "HTTP/1.1 200 OK");
}

#[test]
fn hostile_frames_end_only_their_connection() {
    let scene = Scene::new([127, 0, 0, 1]);
    let mut good = scene.socket();
    text(&mut good, "hello");
    let frames: [Vec<u8>; 6] = [
        // A client must mask its frames.
        b"\x81\x05hello".to_vec(),
        // A text that is not UTF-8.
        b"\x81\x82\0\0\0\0\xff\xfe".to_vec(),
        // A kind of frame that does not exist, and reserved bits.
        b"\x8f\x80\0\0\0\0".to_vec(),
        b"\xf1\x80\0\0\0\0".to_vec(),
        // A frame that says that it has 2^63 bytes, and one that is just too large.
        [&b"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff"[..], &[0; 100]].concat(),
        [&b"\x81\xff\0\0\0\0\0\x10\0\0"[..], &[0; 1 << 20]].concat(),
    ];
    for frame in frames {
        let mut hostile = scene.socket();
        text(&mut hostile, "hello");
        let mut raw = stream(&hostile);
        let _ = raw.write_all(&frame);
        let deadline = Instant::now() + LONG;
        while hostile.read().is_ok() {
            assert!(Instant::now() < deadline, "the connection is not closed");
        }
    }
    // A text that is not a command is answered with an error, and the connection stays open.
    for wrong in ["", "{", "[[[[", "{\"op\": \"subscribe\", \"topic\": \"/nothing\"}", "{\"op\": \"goal\"}"] {
        good.send(Message::text(wrong)).unwrap();
        text(&mut good, "error");
    }
}

#[test]
fn there_is_a_limit_of_pages() {
    let scene = Scene::new([127, 0, 0, 1]);
    let mut pages: Vec<_> = (0..32).map(|_| scene.socket()).collect();
    assert_eq!(scene.get("/", ""), "HTTP/1.1 503 Service Unavailable");
    pages.pop();
    let deadline = Instant::now() + LONG;
    while scene.get("/", "") != "HTTP/1.1 200 OK" {
        assert!(Instant::now() < deadline);
    }
}

#[test]
fn a_topic_is_listed_with_the_hosts_that_it_comes_from() {
    let scene = Scene::new([127, 0, 0, 1]);
    let ty = TypeId { name: Text::TYPE_NAME.into(), hash: Text::TYPE_HASH, description: None };
    let publish = |origin| scene.robot.generic_endpoint("chatter", &ty).origin(origin, None).publisher();
    let _publishers = ["host robot2", "host robot1", "host robot1"].map(|origin| publish(origin).unwrap());
    let mut socket = scene.socket();
    let topics = text(&mut socket, "topics");
    let expected = json!(["/chatter", "std_msgs/msg/String", ["host robot1", "host robot2"]]);
    assert!(topics["topics"].as_array().unwrap().contains(&expected), "{topics}");
}

#[test]
fn a_message_comes_with_the_description_of_its_type() {
    let scene = Scene::new([127, 0, 0, 1]);
    let publisher = scene.robot.publisher::<Text>("chatter").create().unwrap();
    let mut socket = scene.socket();
    assert_eq!(text(&mut socket, "hello")["control"], false);
    let topics = text(&mut socket, "topics");
    assert!(
        topics["topics"].as_array().unwrap().contains(&json!(["/chatter", "std_msgs/msg/String", []])),
        "{topics}"
    );
    socket.send(Message::text(r#"{"op": "subscribe", "topic": "/chatter"}"#)).unwrap();
    let channel = text(&mut socket, "channel");
    let description: Value = serde_json::from_str(channel["description"].as_str().unwrap()).unwrap();
    assert_eq!(description["type_description"]["fields"][0]["name"], "data");
    assert!(publisher.wait_for_subscriptions(1, LONG));
    publisher.publish(&Text { data: "hi".into() }).unwrap();
    let bytes = loop {
        if let Message::Binary(bytes) = socket.read().unwrap() {
            break bytes;
        }
    };
    assert_eq!(bytes[..4], u32::try_from(channel["channel"].as_u64().unwrap()).unwrap().to_le_bytes());
    assert_eq!(bytes[4..], *b"\0\x01\0\0\x03\0\0\0hi\0");
    socket.send(Message::text(r#"{"op": "unsubscribe", "topic": "/chatter"}"#)).unwrap();
    assert!(scene.robot.context().wait_until(LONG, || publisher.subscription_count() == 0));
}

/// A lock for tests that need much memory, because one of them measures the memory of this process.
static MUCH_MEMORY: Mutex<()> = Mutex::new(());

/// Returns the memory of this process, in bytes.
fn memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[test]
fn a_page_that_stops_reading_costs_no_memory_and_then_gets_the_newest_message() {
    let _alone = MUCH_MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    let scene = Scene::new([127, 0, 0, 1]);
    let publisher = scene.robot.publisher::<UInt8MultiArray>("large").create().unwrap();
    let mut socket = scene.socket();
    text(&mut socket, "hello");
    text(&mut socket, "topics");
    socket.send(Message::text(r#"{"op": "subscribe", "topic": "/large"}"#)).unwrap();
    text(&mut socket, "channel");
    assert!(publisher.wait_for_subscriptions(1, LONG));
    // The page reads nothing of these 500 MB.
    const SIZE: usize = 1 << 20;
    let message = |number: u8| UInt8MultiArray { data: vec![number; SIZE], ..UInt8MultiArray::default() };
    publisher.publish(&message(0)).unwrap();
    let before = memory();
    for number in 0..500_u32 {
        let message = message((number % 250) as u8);
        publisher.publish(&message).unwrap();
    }
    let last = message(255);
    publisher.publish(&last).unwrap();
    // Many messages were put into the mailbox of the page, and replaced there.
    let deadline = Instant::now() + LONG;
    while scene.server.as_ref().unwrap().replaced() < 100 {
        assert!(Instant::now() < deadline, "nothing was replaced");
        publisher.publish(&last).unwrap();
    }
    let grown = memory().saturating_sub(before);
    assert!(grown < 64 << 20, "{grown} bytes more");
    loop {
        let Message::Binary(bytes) = socket.read().unwrap() else { continue };
        if bytes[bytes.len() - 1] == 255 {
            break;
        }
    }
}

#[test]
fn a_page_that_sends_pings_and_does_not_read_is_closed() {
    let _alone = MUCH_MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    let scene = Scene::new([127, 0, 0, 1]);
    let publisher = scene.robot.publisher::<UInt8MultiArray>("large").create().unwrap();
    let mut socket = scene.socket();
    text(&mut socket, "topics");
    socket.send(Message::text(r#"{"op": "subscribe", "topic": "/large"}"#)).unwrap();
    text(&mut socket, "channel");
    assert!(publisher.wait_for_subscriptions(1, LONG));
    let large = UInt8MultiArray { data: vec![1; 32 << 20], ..UInt8MultiArray::default() };
    publisher.publish(&large).unwrap();
    let mut raw = stream(&socket);
    let ping = b"\x89\x80\0\0\0\0";
    let deadline = Instant::now() + LONG;
    // When the server has closed the connection, a write fails.
    while raw.write_all(ping).is_ok() {
        assert!(Instant::now() < deadline, "the connection is not closed");
    }
}

#[test]
fn a_topic_whose_publisher_comes_back_with_another_qos_and_type_is_shown_again() {
    let scene = Scene::new([127, 0, 0, 1]);
    let first =
        scene.robot.publisher::<Text>("news").qos(QoS::keep_last(1).transient_local()).create().unwrap();
    let mut socket = scene.socket();
    text(&mut socket, "topics");
    socket.send(Message::text(r#"{"op": "subscribe", "topic": "/news"}"#)).unwrap();
    let channel = text(&mut socket, "channel");
    drop(first);
    let second = scene
        .robot
        .publisher::<UInt8MultiArray>("news")
        .qos(QoS::keep_last(1).best_effort())
        .create()
        .unwrap();
    let again = text(&mut socket, "channel");
    assert_ne!(again["channel"], channel["channel"]);
    assert_eq!(again["type"], "std_msgs/msg/UInt8MultiArray");
    assert!(second.wait_for_subscriptions(1, LONG));
    second.publish(&UInt8MultiArray { data: vec![7], ..UInt8MultiArray::default() }).unwrap();
    while !matches!(socket.read().unwrap(), Message::Binary(bytes) if bytes[bytes.len() - 1] == 7) {}
}

#[test]
fn a_robot_that_a_page_drives_is_stopped_when_the_server_ends() {
    let mut scene = Scene::with([127, 0, 0, 1], true);
    let twists = scene.robot.subscription::<Twist>("cmd_vel").create().unwrap();
    let mut socket = scene.socket();
    assert_eq!(text(&mut socket, "hello")["control"], true);
    let drive = r#"{"op": "drive", "topic": "/cmd_vel", "forward": 1, "left": 0, "turn": 0}"#;
    socket.send(Message::text(drive)).unwrap();
    let speed = |twist: Result<(Twist, _), _>| twist.unwrap().0.linear.x;
    let deadline = Instant::now() + LONG;
    let mut received = None;
    while received.is_none() {
        assert!(Instant::now() < deadline);
        received = twists.take().map(speed);
        // The first message may be sent before the publisher knows the subscription.
        socket.send(Message::text(drive)).unwrap();
        text(&mut socket, "frames");
    }
    assert_eq!(received, Some(1.0));
    // The executor ends first, as after Ctrl-C.
    scene.executor.cancel();
    scene.server = None;
    let last = std::iter::from_fn(|| twists.take().map(speed)).last();
    assert_eq!(last, Some(0.0));
}

/// Only this test uses the default port.
#[test]
fn a_second_server_takes_a_free_port_unless_its_user_has_chosen_one() {
    let folder = tempfile::tempdir().unwrap();
    let context = ContextOptions::default().folder(folder.path()).handle_signals(false).create().unwrap();
    let node = context.node("view").create().unwrap();
    let options = Options { address: [127, 0, 0, 1].into(), port: None, with_control: false };
    let servers = [(); 2].map(|()| Server::start(&node, &options).unwrap());
    assert_ne!(servers[0].url(), servers[1].url());
    let chosen = Options { port: Some(DEFAULT_PORT), ..options };
    let error = Server::start(&node, &chosen).unwrap_err().to_string();
    assert!(error.contains("--port selects another port"), "{error}");
}
