//! Services: the subject as a server and as a client.

use std::{sync::mpsc, time::Duration};

use saltus::{
    cdr::Service,
    generic::TypeId,
    msgs::example_interfaces::srv::{AddTwoInts, AddTwoInts_Request, AddTwoInts_Response},
    service::CallError,
};

use crate::case::{Case, Failure, LONG, Suite, expect};

pub(crate) const CASES: &[Case] = &[
    Case { rule: "a service answers each request", run: answers },
    Case {
        rule: "all requests are answered, even if they are more than fit into a queue",
        run: answers_bursts,
    },
    Case { rule: "a request may be answered later, from another thread", run: answers_later },
    Case { rule: "a client learns that the server dropped its request", run: reports_dropped_requests },
    Case { rule: "a call times out while the server keeps the request", run: times_out },
    Case {
        rule: "an unreadable request is not answered, but the next request is answered",
        run: survives_unreadable_requests,
    },
    Case { rule: "a service is in the graph with the name and the hash of its type", run: is_in_the_graph },
    Case { rule: "a client's call is answered", run: calls },
    Case { rule: "a client learns at once that there is no server", run: finds_no_server },
    Case { rule: "a client learns that its server was closed", run: learns_of_closed_server },
    Case { rule: "a client learns that its request was dropped", run: learns_of_no_answer },
    Case { rule: "a client's call times out", run: call_times_out },
    Case {
        rule: "with two servers, the first response counts, and either may be closed",
        run: calls_two_servers,
    },
];

fn request(a: i64, b: i64) -> AddTwoInts_Request {
    AddTwoInts_Request { a, b }
}

fn answers(suite: &Suite) -> Result<(), Failure> {
    for a in 0..100 {
        expect("the sum", suite.add.call(&request(a, 1), LONG)?.sum, a + 1)?;
    }
    Ok(())
}

fn answers_bursts(suite: &Suite) -> Result<(), Failure> {
    let calls: Vec<_> = (0..3000).map(|a| suite.add.call_async(&request(a, 1))).collect::<Result<_, _>>()?;
    for (a, mut call) in (0..).zip(calls) {
        expect("the sum", call.wait(LONG)?.sum, a + 1)?;
    }
    Ok(())
}

fn answers_later(suite: &Suite) -> Result<(), Failure> {
    expect("the answer", suite.hold.call(&request(7, 2), LONG)?.sum, 7)
}

fn reports_dropped_requests(suite: &Suite) -> Result<(), Failure> {
    match suite.hold.call(&request(1, 1), LONG) {
        Err(CallError::NotAnswered { .. }) => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

fn times_out(suite: &Suite) -> Result<(), Failure> {
    match suite.hold.call(&request(1, 0), Duration::from_millis(20)) {
        Err(CallError::Timeout { .. }) => answers(suite),
        other => Err(format!("{other:?}").into()),
    }
}

fn survives_unreadable_requests(suite: &Suite) -> Result<(), Failure> {
    let client = suite.node.generic_client("/subject/add", &TypeId::from(AddTwoInts::TYPE))?;
    client.wait_for_service(LONG);
    match client.call(&[0, 1, 0, 0, 9], LONG) {
        Err(CallError::NotAnswered { .. }) => answers(suite),
        other => Err(format!("{other:?}").into()),
    }
}

fn is_in_the_graph(suite: &Suite) -> Result<(), Failure> {
    let graph = suite.node.context().graph();
    let server = graph.servers.iter().find(|server| server.topic == "/subject/add");
    let server = server.ok_or("the server is not in the graph")?;
    expect("the type", &*server.type_name, "example_interfaces/srv/AddTwoInts")?;
    expect("the hash", server.type_hash, AddTwoInts::TYPE.hash)
}

fn calls(suite: &Suite) -> Result<(), Failure> {
    let name = suite.unique("add");
    let _server =
        suite.node.service::<AddTwoInts>(&name).callback(|r| AddTwoInts_Response { sum: r.a + r.b })?;
    expect("the outcome", suite.run_command(&["call", &name, "10"])?, (true, "42".into()))
}

fn finds_no_server(suite: &Suite) -> Result<(), Failure> {
    let name = suite.unique("nobody");
    expect("the outcome", suite.run_command(&["call", &name, "0.1"])?, (false, "no_server".into()))
}

fn learns_of_closed_server(suite: &Suite) -> Result<(), Failure> {
    let name = suite.unique("leaving");
    let (sender, asked) = mpsc::channel();
    let server = suite.node.service::<AddTwoInts>(&name).deferred(move |request, responder| {
        // The responder is kept. So the call can end only because the server is closed.
        let _ = sender.send((request, responder));
    })?;
    std::thread::scope(|scope| {
        let command = scope.spawn(|| suite.run_command(&["call", &name, "10"]).map_err(|e| e.to_string()));
        let kept = asked.recv_timeout(LONG)?;
        drop(server);
        let outcome = command.join().map_err(|_| "panicked")??;
        drop(kept);
        expect("the outcome", outcome, (false, "server_gone".into()))
    })
}

fn learns_of_no_answer(suite: &Suite) -> Result<(), Failure> {
    let name = suite.unique("silent");
    let _server = suite.node.service::<AddTwoInts>(&name).deferred(|_, _| {})?;
    expect("the outcome", suite.run_command(&["call", &name, "10"])?, (false, "not_answered".into()))
}

fn call_times_out(suite: &Suite) -> Result<(), Failure> {
    let name = suite.unique("slow");
    let mut kept = Vec::new();
    let _server = suite
        .node
        .service::<AddTwoInts>(&name)
        .deferred(move |request, responder| kept.push((request, responder)))?;
    expect("the outcome", suite.run_command(&["call", &name, "2"])?, (false, "timeout".into()))
}

fn calls_two_servers(suite: &Suite) -> Result<(), Failure> {
    let name = suite.unique("twice");
    let sum = |request: AddTwoInts_Request| AddTwoInts_Response { sum: request.a + request.b };
    let _first = suite.node.service::<AddTwoInts>(&name).callback(sum)?;
    let second = suite.node.service::<AddTwoInts>(&name).callback(sum)?;
    expect("with both servers", suite.run_command(&["call", &name, "10"])?, (true, "42".into()))?;
    drop(second);
    expect("with one server", suite.run_command(&["call", &name, "10"])?, (true, "42".into()))
}
