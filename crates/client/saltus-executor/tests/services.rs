//! Services: every kind of call, and every way in which a call can end.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use saltus_executor::{Executor, SingleThreadedExecutor};
use saltus_msgs::{
    example_interfaces::srv::{AddTwoInts, AddTwoInts_Request, AddTwoInts_Response},
    saltus_bench_msgs::srv::{Echo, Echo_Request, Echo_Response},
};
use saltus_node::{
    CallError, Client, Context, ContextOptions, GenericResponder, MAX_REQUESTS_IN_FLIGHT, Node, RespondError,
    Responder, Server, TypeId,
};

const LONG: Duration = Duration::from_secs(5);

/// A domain with its own folder.
struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        Self { folder: tempfile::TempDir::new_in("/dev/shm").unwrap() }
    }

    fn context(&self) -> Context {
        let options = ContextOptions::default().folder(self.folder.path());
        options.handle_signals(false).install_logging(false).rosout(false).create().unwrap()
    }

    /// Creates a client in its own context, and waits until it has found a server.
    fn client(&self) -> Client<AddTwoInts> {
        let node = self.context().node("client").create().unwrap();
        let client = node.client::<AddTwoInts>("add").create().unwrap();
        assert!(client.wait_for_service(LONG));
        client
    }

    /// Creates a server that sends its responders to a channel instead of responding.
    fn deferring_server(&self) -> ((Server<AddTwoInts>, Spun), mpsc::Receiver<Responder<AddTwoInts>>) {
        let spun = Spun::new(&self.context(), "server");
        let (sender, kept) = mpsc::channel();
        let keep = move |_, responder| drop(sender.send(responder));
        let server = spun.node.service::<AddTwoInts>("add").deferred(keep).unwrap();
        ((server, spun), kept)
    }
}

/// A node that a separate thread spins.
struct Spun {
    node: Node,
    thread: Option<thread::JoinHandle<()>>,
}

impl Spun {
    fn new(context: &Context, name: &str) -> Self {
        Self::of(context.node(name).create().unwrap())
    }

    fn of(node: Node) -> Self {
        let spun = node.clone();
        let thread = thread::spawn(move || {
            SingleThreadedExecutor::new(spun.context()).unwrap().spin_node(&spun).unwrap();
        });
        Self { node, thread: Some(thread) }
    }
}

impl Drop for Spun {
    fn drop(&mut self) {
        self.node.context().shut_down();
        self.thread.take().unwrap().join().unwrap();
    }
}

fn add(request: AddTwoInts_Request) -> AddTwoInts_Response {
    AddTwoInts_Response { sum: request.a + request.b }
}

#[test]
fn a_blocking_call_returns_the_response() {
    let scene = Scene::new();
    let server = Spun::new(&scene.context(), "server");
    let _service = server.node.service::<AddTwoInts>("add").callback(add).unwrap();
    let client = scene.client();
    for i in 0..1000 {
        let response = client.call(&AddTwoInts_Request { a: i, b: 1 }, LONG).unwrap();
        assert_eq!(response.sum, i + 1);
    }
    assert_eq!(
        (client.status().sent, client.status().received, client.status().outstanding),
        (1000, 1000, 0)
    );
}

/// A publisher has 512 holder bits. The publisher of a server's responses does not need one for each client.
#[test]
fn more_than_512_clients_of_a_server_are_answered() {
    let scene = Scene::new();
    let server = Spun::new(&scene.context(), "server");
    let _service = server.node.service::<AddTwoInts>("add").callback(add).unwrap();
    let node = scene.context().node("clients").create().unwrap();
    let clients: Vec<Client<AddTwoInts>> =
        (0..600).map(|_| node.client::<AddTwoInts>("add").create().unwrap()).collect();
    assert!(clients.iter().all(|client| client.wait_for_service(LONG)));
    for (a, client) in (0..).zip(clients.iter().rev()) {
        assert_eq!(client.call(&AddTwoInts_Request { a, b: 1 }, LONG).unwrap().sum, a + 1);
    }
    drop(clients);
    let late = node.client::<AddTwoInts>("add").create().unwrap();
    assert!(late.wait_for_service(LONG));
    assert_eq!(late.call(&AddTwoInts_Request { a: 1, b: 1 }, LONG).unwrap().sum, 2);
}

/// A server that takes no requests must not delay the other servers.
#[test]
fn a_server_with_a_full_queue_does_not_delay_the_others() {
    let scene = Scene::new();
    let stuck = scene.context().node("stuck").create().unwrap();
    let _never_spun = stuck.service::<AddTwoInts>("add").callback(add).unwrap();
    let server = Spun::new(&scene.context(), "server");
    let _service = server.node.service::<AddTwoInts>("add").callback(add).unwrap();
    let context = scene.context();
    let node = context.node("client").create().unwrap();
    let client = node.client::<AddTwoInts>("add").create().unwrap();
    assert!(context.wait_until(LONG, || client.status().servers == 2));
    for a in 0..3 * i64::from(MAX_REQUESTS_IN_FLIGHT) {
        assert_eq!(client.call(&AddTwoInts_Request { a, b: 1 }, LONG).unwrap().sum, a + 1);
    }
}

#[test]
fn a_blocking_call_in_a_callback_of_the_only_executor_returns_the_response() {
    let scene = Scene::new();
    let server = Spun::new(&scene.context(), "server");
    let _service = server.node.service::<AddTwoInts>("add").callback(add).unwrap();
    let context = scene.context();
    let node = context.node("client").create().unwrap();
    let client = node.client::<AddTwoInts>("add").create().unwrap();
    assert!(client.wait_for_service(LONG));
    let (sender, sums) = mpsc::channel();
    let inner = client.clone();
    let _timer = node
        .wall_timer(Duration::from_millis(1))
        .callback(move || {
            let _ = sender.send(inner.call(&AddTwoInts_Request { a: 2, b: 40 }, LONG));
        })
        .unwrap();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    while sums.try_recv().map(|sum| assert_eq!(sum.unwrap().sum, 42)).is_err() {
        executor.spin_once(Some(LONG)).unwrap();
    }
}

#[test]
fn calls_as_futures_and_with_callbacks_complete_while_the_node_is_spun() {
    let scene = Scene::new();
    let server = Spun::new(&scene.context(), "server");
    let _service = server.node.service::<AddTwoInts>("add").callback(add).unwrap();
    let context = scene.context();
    let node = context.node("client").create().unwrap();
    let client = node.client::<AddTwoInts>("add").create().unwrap();
    assert!(client.wait_for_service(LONG));
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    let call = client.call_async(&AddTwoInts_Request { a: 1, b: 2 }).unwrap();
    let response = executor.spin_until_future_complete(call, Some(LONG)).unwrap().unwrap();
    assert_eq!(response.unwrap().sum, 3);
    let sum = Arc::new(AtomicU64::new(0));
    let count = sum.clone();
    client
        .call_then(&AddTwoInts_Request { a: 3, b: 4 }, move |response| {
            count.store(response.unwrap().sum as u64, Ordering::Relaxed);
        })
        .unwrap();
    while sum.load(Ordering::Relaxed) == 0 {
        executor.spin_once(Some(LONG)).unwrap();
    }
    assert_eq!(sum.load(Ordering::Relaxed), 7);
}

#[test]
fn many_more_calls_than_a_queue_holds_are_all_answered() {
    let scene = Scene::new();
    let server = Spun::new(&scene.context(), "server");
    let _service = server.node.service::<AddTwoInts>("add").callback(add).unwrap();
    let client = scene.client();
    let count = i64::from(MAX_REQUESTS_IN_FLIGHT) * 5;
    let calls: Vec<_> =
        (0..count).map(|a| client.call_async(&AddTwoInts_Request { a, b: 1 }).unwrap()).collect();
    for (a, mut call) in (0..).zip(calls) {
        assert_eq!(call.wait(LONG).unwrap().sum, a + 1);
    }
    assert_eq!(client.status().outstanding, 0);
}

#[test]
fn bursts_of_several_clients_to_several_servers_are_all_answered() {
    let scene = Scene::new();
    let servers = [scene.context(), scene.context()].map(|context| context.node("server").create().unwrap());
    let open = |node: &Node| node.service::<AddTwoInts>("add").callback(add).unwrap();
    let services: Vec<_> = servers.iter().map(open).collect();
    let context = scene.context();
    let node = context.node("client").create().unwrap();
    let clients = [(); 3].map(|()| node.client::<AddTwoInts>("add").create().unwrap());
    let matched = || clients.iter().all(|client| client.status().servers == 2);
    assert!(context.wait_until(LONG, matched));
    let window = i64::from(MAX_REQUESTS_IN_FLIGHT);
    let calls: Vec<_> = clients
        .iter()
        .flat_map(|client| {
            (0..window).map(|a| (a, client.call_async(&AddTwoInts_Request { a, b: 1 }).unwrap()))
        })
        .collect();
    // The servers start only now. Each has `MAX_REQUESTS_IN_FLIGHT` requests of each client in its queue, and each client will get
    // `MAX_REQUESTS_IN_FLIGHT` responses of each server.
    let spun: Vec<Spun> = servers.into_iter().map(Spun::of).collect();
    for (a, mut call) in calls {
        assert_eq!(call.wait(LONG).unwrap().sum, a + 1);
    }
    drop((spun, services));
}

#[test]
fn a_client_and_a_server_with_profiles_compatible_in_one_direction_only_are_not_matched() {
    let scene = Scene::new();
    let server = Spun::new(&scene.context(), "server");
    let best_effort = saltus_types::QoS::default().best_effort();
    let _service = server.node.service::<AddTwoInts>("add").qos(best_effort).callback(add).unwrap();
    let context = scene.context();
    let node = context.node("client").create().unwrap();
    let compatible = node.client::<AddTwoInts>("add").qos(best_effort).create().unwrap();
    assert!(compatible.wait_for_service(LONG));
    let client = node.client::<AddTwoInts>("add").create().unwrap();
    let error = client.call(&AddTwoInts_Request { a: 1, b: 1 }, LONG).unwrap_err();
    assert!(matches!(error, CallError::NoServer { .. }), "{error}");
}

#[test]
fn a_call_may_be_waited_for_again_after_a_timeout() {
    let scene = Scene::new();
    let (_server, kept) = scene.deferring_server();
    let client = scene.client();
    let mut call = client.call_async(&AddTwoInts_Request { a: 1, b: 1 }).unwrap();
    for _ in 0..3 {
        assert!(matches!(call.wait(Duration::from_millis(1)), Err(CallError::Timeout { .. })));
    }
    kept.recv().unwrap().send(&AddTwoInts_Response { sum: 9 }).unwrap();
    assert_eq!(call.wait(LONG).unwrap().sum, 9);
    assert!(matches!(call.wait(LONG), Err(CallError::Taken { .. })));
}

#[test]
fn several_threads_may_wait_for_calls_of_one_client() {
    let scene = Scene::new();
    let server = Spun::new(&scene.context(), "server");
    let _service = server.node.service::<AddTwoInts>("add").callback(add).unwrap();
    let client = scene.client();
    thread::scope(|scope| {
        for b in 0..4 {
            let client = client.clone();
            scope.spawn(move || {
                for a in 0..500 {
                    assert_eq!(client.call(&AddTwoInts_Request { a, b }, LONG).unwrap().sum, a + b);
                }
            });
        }
    });
    assert_eq!((client.status().sent, client.status().outstanding), (2000, 0));
}

#[test]
fn a_waiting_thread_is_woken_although_an_executor_takes_its_response() {
    let scene = Scene::new();
    let server = Spun::new(&scene.context(), "server");
    let _service = server.node.service::<AddTwoInts>("add").callback(add).unwrap();
    let caller = Spun::new(&scene.context(), "client");
    let client = caller.node.client::<AddTwoInts>("add").create().unwrap();
    assert!(client.wait_for_service(LONG));
    for a in 0..3000 {
        let mut call = client.call_async(&AddTwoInts_Request { a, b: 1 }).unwrap();
        assert_eq!(call.wait(LONG).unwrap().sum, a + 1);
    }
}

#[test]
fn a_request_may_be_kept_and_answered_from_another_thread() {
    let scene = Scene::new();
    let server = Spun::new(&scene.context(), "server");
    let (sender, kept) = mpsc::channel();
    let _service = server
        .node
        .service::<AddTwoInts>("add")
        .deferred(move |request, responder| drop(sender.send((request, responder))))
        .unwrap();
    let client = scene.client();
    let calls: Vec<_> =
        (0..3).map(|a| client.call_async(&AddTwoInts_Request { a, b: 10 }).unwrap()).collect();
    let mut requests: Vec<_> = (0..3).map(|_| kept.recv().unwrap()).collect();
    // The responses are sent in another order than the requests came.
    requests.reverse();
    for (request, responder) in requests {
        responder.send(&add(request.value().unwrap())).unwrap();
    }
    let sums: Vec<i64> = calls.into_iter().map(|mut call| call.wait(LONG).unwrap().sum).collect();
    assert_eq!(sums, [10, 11, 12]);
}

#[test]
fn requests_and_responses_of_any_size_are_read_and_built_in_place() {
    let scene = Scene::new();
    let server = Spun::new(&scene.context(), "server");
    let _service = server
        .node
        .service::<Echo>("echo")
        .view(|request, responder: Responder<Echo>| {
            let data = request.data();
            let built = responder
                .loan(Echo_Response::size_hint(data.len()))?
                .data(data.len(), |bytes| bytes.copy_from_slice(data));
            built.publish().map_err(|error| match error {
                saltus_cdr::BuildError::Room(error) => error,
                other => panic!("{other}"),
            })
        })
        .unwrap();
    let context = scene.context();
    let node = context.node("client").create().unwrap();
    let client = node.client::<Echo>("echo").create().unwrap();
    assert!(client.wait_for_service(LONG));
    for size in [0, 1, 1000, 1 << 20, 16 << 20] {
        let data: Vec<u8> = (0..size).map(|i| i as u8).collect();
        let reply = client.call_in_place(&Echo_Request { data: data.clone() }, LONG).unwrap();
        assert!(*reply.view().unwrap().data() == data[..], "{size} bytes");
    }
}

#[test]
fn without_a_server_a_call_fails_at_once() {
    let scene = Scene::new();
    let context = scene.context();
    let node = context.node("client").create().unwrap();
    let client = node.client::<AddTwoInts>("add").create().unwrap();
    let error = client.call(&AddTwoInts_Request { a: 1, b: 1 }, LONG).unwrap_err();
    assert!(matches!(error, CallError::NoServer { .. }), "{error}");
    assert!(!client.wait_for_service(Duration::from_millis(1)));
    assert_eq!(client.status().outstanding, 0);
}

#[test]
fn a_call_ends_when_its_server_is_dropped_and_another_server_answers_the_next() {
    let scene = Scene::new();
    let context = scene.context();
    let node = context.node("client").create().unwrap();
    let client = node.client::<AddTwoInts>("add").create().unwrap();
    let kept = Arc::new(Mutex::new(Vec::new()));
    let first = Spun::new(&scene.context(), "first");
    let keep = kept.clone();
    let service = first
        .node
        .service::<AddTwoInts>("add")
        .deferred(move |_, responder| keep.lock().unwrap().push(responder))
        .unwrap();
    assert!(client.wait_for_service(LONG));
    let mut call = client.call_async(&AddTwoInts_Request { a: 1, b: 1 }).unwrap();
    drop(service);
    let error = call.wait(LONG).unwrap_err();
    assert!(matches!(error, CallError::ServerGone { .. }), "{error}");
    let second = Spun::new(&scene.context(), "second");
    let _service = second.node.service::<AddTwoInts>("add").callback(add).unwrap();
    assert!(client.wait_for_service(LONG));
    assert_eq!(client.call(&AddTwoInts_Request { a: 1, b: 1 }, LONG).unwrap().sum, 2);
}

#[test]
fn if_one_of_two_servers_is_dropped_the_other_responds() {
    let scene = Scene::new();
    let context = scene.context();
    let node = context.node("client").create().unwrap();
    let client = node.client::<AddTwoInts>("add").create().unwrap();
    let silent = Spun::new(&scene.context(), "silent");
    let kept = Arc::new(Mutex::new(Vec::new()));
    let keep = kept.clone();
    let service = silent
        .node
        .service::<AddTwoInts>("add")
        .deferred(move |_, responder| keep.lock().unwrap().push(responder))
        .unwrap();
    assert!(client.wait_for_service(LONG));
    let other = Spun::new(&scene.context(), "other");
    let (sender, requests) = mpsc::channel();
    let _service = other
        .node
        .service::<AddTwoInts>("add")
        .deferred(move |request, responder| drop(sender.send((request, responder))))
        .unwrap();
    assert!(context.wait_until(LONG, || client.status().servers == 2));
    let mut call = client.call_async(&AddTwoInts_Request { a: 20, b: 22 }).unwrap();
    drop(service);
    let (request, responder) = requests.recv().unwrap();
    assert!(context.wait_until(LONG, || client.status().servers == 1));
    responder.send(&add(request.value().unwrap())).unwrap();
    assert_eq!(call.wait(LONG).unwrap().sum, 42);
}

#[test]
fn a_call_ends_when_the_server_drops_its_request() {
    let scene = Scene::new();
    let server = Spun::new(&scene.context(), "server");
    let _service = server.node.service::<AddTwoInts>("add").deferred(|_, _| {}).unwrap();
    let client = scene.client();
    let error = client.call(&AddTwoInts_Request { a: 1, b: 1 }, LONG).unwrap_err();
    assert!(matches!(error, CallError::NotAnswered { .. }), "{error}");
}

#[test]
fn a_response_to_a_client_that_has_gone_is_an_error() {
    let scene = Scene::new();
    let server = Spun::new(&scene.context(), "server");
    let (sender, kept) = mpsc::channel();
    let service = server
        .node
        .service::<AddTwoInts>("add")
        .deferred(move |request, responder| drop(sender.send((request, responder))))
        .unwrap();
    let context = scene.context();
    let node = context.node("client").create().unwrap();
    let client = node.client::<AddTwoInts>("add").create().unwrap();
    assert!(client.wait_for_service(LONG));
    let call = client.call_async(&AddTwoInts_Request { a: 1, b: 1 }).unwrap();
    let (request, responder) = kept.recv().unwrap();
    // The server has 0 clients too before the client has attached to the queue of its responses.
    assert!(server.node.context().wait_until(LONG, || service.status().clients == 1));
    drop((call, client, node, context));
    assert!(server.node.context().wait_until(LONG, || service.status().clients == 0));
    let error = responder.send(&add(request.value().unwrap())).unwrap_err();
    assert!(matches!(error, RespondError::ClientGone), "{error}");
}

#[test]
fn after_a_timeout_and_a_cancellation_the_next_call_is_answered() {
    let scene = Scene::new();
    let server = Spun::new(&scene.context(), "server");
    let responds = Arc::new(AtomicBool::new(false));
    let (sender, kept) = mpsc::channel();
    let may_respond = responds.clone();
    let _service = server
        .node
        .service::<AddTwoInts>("add")
        .deferred(move |request, responder| {
            if may_respond.load(Ordering::Relaxed) {
                responder.send(&add(request.value().unwrap())).unwrap();
            } else {
                sender.send(responder).unwrap();
            }
        })
        .unwrap();
    let client = scene.client();
    let error = client.call(&AddTwoInts_Request { a: 1, b: 1 }, Duration::from_millis(1)).unwrap_err();
    assert!(matches!(error, CallError::Timeout { .. }), "{error}");
    drop(client.call_async(&AddTwoInts_Request { a: 1, b: 1 }).unwrap());
    let late: Vec<_> = (0..2).map(|_| kept.recv().unwrap()).collect();
    assert_eq!(client.status().outstanding, 2, "their responses may still come");
    responds.store(true, Ordering::Relaxed);
    for responder in late {
        responder.send(&AddTwoInts_Response { sum: -1 }).unwrap();
    }
    let response = client.call(&AddTwoInts_Request { a: 1, b: 2 }, LONG).unwrap();
    assert_eq!((response.sum, client.status().outstanding), (3, 0));
}

#[test]
fn a_shutdown_ends_a_call() {
    let scene = Scene::new();
    let (_server, kept) = scene.deferring_server();
    let context = scene.context();
    let node = context.node("client").create().unwrap();
    let client = node.client::<AddTwoInts>("add").create().unwrap();
    assert!(client.wait_for_service(LONG));
    let called = thread::spawn(move || client.call(&AddTwoInts_Request { a: 1, b: 1 }, LONG));
    let _kept = kept.recv().unwrap();
    context.shut_down();
    let error = called.join().unwrap().unwrap_err();
    assert!(matches!(error, CallError::ShutDown { .. }), "{error}");
}

#[test]
fn a_client_and_a_server_of_different_types_are_not_matched() {
    let scene = Scene::new();
    let server = Spun::new(&scene.context(), "server");
    let _service = server.node.service::<AddTwoInts>("add").callback(add).unwrap();
    let context = scene.context();
    let node = context.node("client").create().unwrap();
    let right = node.client::<AddTwoInts>("add").create().unwrap();
    let wrong = node.client::<Echo>("add").create().unwrap();
    assert!(right.wait_for_service(LONG));
    assert!(!wrong.service_is_ready());
    let error = wrong.call(&Echo_Request::default(), LONG).unwrap_err();
    assert!(matches!(error, CallError::NoServer { .. }), "{error}");
}

#[test]
fn a_request_that_can_not_be_decoded_is_counted_and_ends_the_call() {
    let scene = Scene::new();
    let server = Spun::new(&scene.context(), "server");
    let service = server.node.service::<AddTwoInts>("add").callback(add).unwrap();
    let context = scene.context();
    let node = context.node("client").create().unwrap();
    let ty = <AddTwoInts as saltus_cdr::Service>::TYPE;
    let ty = TypeId::from(ty);
    let client = node.generic_client("add", &ty).unwrap();
    assert!(client.wait_for_service(LONG));
    let error = client.call(&[0, 1, 0, 0, 7], LONG).unwrap_err();
    assert!(matches!(error, CallError::NotAnswered { .. }), "{error}");
    assert_eq!(service.status().received, 1);
}

#[test]
fn types_known_only_at_run_time_can_be_served_and_called() {
    let scene = Scene::new();
    let server = Spun::new(&scene.context(), "server");
    let ty = <AddTwoInts as saltus_cdr::Service>::TYPE;
    let ty = TypeId::from(ty);
    let echo =
        |request: saltus_node::Sample, responder: GenericResponder| responder.send(&request[..12]).unwrap();
    let _service = server.node.generic_service("add", &ty, echo).unwrap();
    let client = scene.client();
    assert_eq!(client.call(&AddTwoInts_Request { a: 5, b: 6 }, LONG).unwrap().sum, 5);
}
