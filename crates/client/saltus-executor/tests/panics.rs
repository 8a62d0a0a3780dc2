//! A callback of a server that panics: its client learns it at once.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use saltus_executor::{Executor, MultiThreadedExecutor, SingleThreadedExecutor};
use saltus_msgs::example_interfaces::srv::{AddTwoInts, AddTwoInts_Request};
use saltus_node::{CallError, Context, ContextOptions, Node};

const LONG: Duration = Duration::from_secs(20);

fn context(folder: &tempfile::TempDir) -> Context {
    let options = ContextOptions::default().folder(folder.path());
    options.handle_signals(false).install_logging(false).rosout(false).create().unwrap()
}

/// Spins a node until its callback has panicked. The node is open after that, so that only the callback can answer.
fn spin(node: &Node, is_multi_threaded: bool) {
    let context = node.context();
    let unwound = AssertUnwindSafe(|| {
        if is_multi_threaded {
            MultiThreadedExecutor::new(context).unwrap().spin_node(node).unwrap();
        } else {
            SingleThreadedExecutor::new(context).unwrap().spin_node(node).unwrap();
        }
    });
    catch_unwind(unwound).unwrap_err();
}

#[test]
fn a_call_ends_when_the_callback_of_the_server_panics() {
    for (is_deferred, is_multi_threaded) in [(false, false), (true, false), (false, true), (true, true)] {
        let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
        let (server, client) = (context(&folder), context(&folder));
        let node = server.node("server").create().unwrap();
        let service = node.service::<AddTwoInts>("add");
        let _service = match is_deferred {
            true => service.deferred(|_, _| panic!("in the callback")).unwrap(),
            false => service.callback(|_| panic!("in the callback")).unwrap(),
        };
        let spun = node.clone();
        let thread = std::thread::spawn(move || spin(&spun, is_multi_threaded));
        let client = client.node("client").create().unwrap().client::<AddTwoInts>("add").create().unwrap();
        assert!(client.wait_for_service(LONG));
        let error = client.call(&AddTwoInts_Request { a: 1, b: 1 }, LONG).unwrap_err();
        assert!(matches!(error, CallError::NotAnswered { .. }), "{is_deferred} {is_multi_threaded}: {error}");
        thread.join().unwrap();
    }
}
