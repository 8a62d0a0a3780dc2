//! The behaviour of the applications, seen from a node of the host. The same checks serve the applications on this host
//! and the firmware.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use saltus::{
    QoS,
    action::{ActionClient, CancelOutcome, GoalOptions, GoalStatus},
    msgs::{
        action_tutorials_interfaces::action::{Fibonacci, Fibonacci_Goal},
        builtin_interfaces::msg::Time,
        example_interfaces::srv::{AddTwoInts, AddTwoInts_Request, AddTwoInts_Response},
        lifecycle_msgs::{
            msg::{State, Transition},
            srv::{ChangeState, ChangeState_Request, GetState, GetState_Request},
        },
        rcl_interfaces::msg::ParameterEvent,
        std_msgs::msg::{Float64, Int32, Int64, String as Text},
    },
    param::{Parameter, ParameterClient, ParameterValue},
    time::system_now,
};

use super::{Host, LONG, has_node};

/// The number of messages with the device's time that are compared with the host's.
const SAMPLES: usize = 10;

/// Messages that a subscription has received.
pub(crate) struct Heard<T>(
    Arc<Mutex<Vec<T>>>,
    #[expect(dead_code, reason = "it keeps the subscription")] Box<dyn std::any::Any>,
);

impl<T: Clone> Heard<T> {
    pub(crate) fn all(&self) -> Vec<T> {
        self.0.lock().unwrap().clone()
    }
}

macro_rules! hear {
    ($host:expr, $type:ty, $topic:expr, $qos:expr, $map:expr) => {{
        let heard = Arc::<Mutex<Vec<_>>>::default();
        let into = heard.clone();
        let map = $map;
        let subscription = $host
            .node
            .subscription::<$type>($topic)
            .qos($qos)
            .callback(move |message: $type| into.lock().unwrap().push(map(message)))
            .unwrap();
        Heard(heard, Box::new(subscription))
    }};
}

/// Topics in both directions: the counter of the device, and its echo of texts.
pub(crate) fn check_topics(host: &Host) {
    host.wait_for("the node of the device", |graph| has_node(graph, "/mcu/talker"));
    let counts = hear!(host, Int32, "/mcu/counter", QoS::sensor_data(), |message: Int32| message.data);
    let echoes = hear!(host, Text, "/mcu/out", QoS::keep_last(20), |message: Text| message.data);
    let publisher = host.node.publisher::<Text>("/mcu/in").qos(QoS::keep_last(20)).create().unwrap();
    host.wait("the subscription of the device", || publisher.status().matched == 1);
    host.wait("the publisher of the device", || {
        host.context.graph().endpoints.iter().filter(|end| end.topic == "/mcu/out").count() == 2
    });
    let texts: Vec<String> =
        (0..10).map(|number| format!("text {number} {}", "x".repeat(number * 20))).collect();
    texts.iter().for_each(|text| publisher.publish(&Text { data: text.clone() }).unwrap());
    host.wait("the echoes", || echoes.all().len() >= texts.len());
    assert_eq!(echoes.all(), texts);
    host.wait("the counter", || counts.all().len() >= 5);
    let counts = counts.all();
    assert!(counts.is_sorted_by(|a, b| a < b), "{counts:?}");
}

/// Services in both directions.
pub(crate) fn check_services(host: &Host) {
    let sums = hear!(host, Int64, "/mcu/sum", QoS::keep_last(20), |message: Int64| message.data);
    let add = |request: AddTwoInts_Request| AddTwoInts_Response { sum: request.a.wrapping_add(request.b) };
    let _server = host.node.service::<AddTwoInts>("/host/add_two_ints").callback(add).unwrap();
    let client = host.node.client::<AddTwoInts>("/mcu/add_two_ints").create().unwrap();
    assert!(client.wait_for_service(LONG), "{:#?}", host.context.graph());
    for (a, b) in [(1, 2), (-5, 3), (i64::MAX, 1)] {
        let response = client.call(&AddTwoInts_Request { a, b }, LONG).unwrap();
        assert_eq!(response.sum, a.wrapping_add(b));
    }
    host.wait("the sums of the host's service", || sums.all().len() >= 3);
    let sums = sums.all();
    assert!(sums.iter().all(|sum| *sum > 1000) && sums.is_sorted_by(|a, b| a < b), "{sums:?}");
}

fn parameter(name: &str, value: ParameterValue) -> Parameter {
    Parameter { name: name.into(), value }
}

/// Parameters: listed, described, set, refused, and published as events.
pub(crate) fn check_parameters(host: &Host) {
    let events =
        hear!(host, ParameterEvent, "/parameter_events", QoS::keep_last(100), |event: ParameterEvent| {
            (event.node, event.changed_parameters.into_iter().map(|one| one.name).collect::<Vec<_>>())
        });
    let client = ParameterClient::new(&host.node, "/mcu/sensor", LONG);
    assert!(client.wait_for_service().unwrap());
    let listed = client.list(&[], 0).unwrap();
    assert_eq!(listed.names, ["offset", "sampling.period_ms", "sampling.label", "serial"]);
    assert_eq!(listed.prefixes, ["sampling"]);
    assert_eq!(client.list(&[], 1).unwrap().names, ["offset", "serial"]);
    assert_eq!(client.list(&["sampling".into()], 0).unwrap().names, ["sampling.period_ms", "sampling.label"]);
    let described = client.describe(&["sampling.period_ms".into()]).unwrap();
    let range = described[0].integer_range.expect("a range");
    assert_eq!((range.from_value, range.to_value), (10, 10_000));
    let results = client
        .set(vec![
            parameter("offset", ParameterValue::Double(1.5)),
            parameter("sampling.label", ParameterValue::String("motor".into())),
            parameter("sampling.period_ms", ParameterValue::Integer(5)),
            parameter("serial", ParameterValue::Integer(1)),
            parameter("offset", ParameterValue::Integer(1)),
            parameter("unknown", ParameterValue::Bool(true)),
            parameter("sampling.label", ParameterValue::String("x".repeat(40))),
        ])
        .unwrap();
    assert_eq!(
        results.iter().map(Result::is_ok).collect::<Vec<_>>(),
        [true, true, false, false, false, false, false]
    );
    let names: Vec<String> = listed.names.clone();
    let values = client.get(&names).unwrap();
    let expected = [
        ParameterValue::Double(1.5),
        ParameterValue::Integer(100),
        ParameterValue::String("motor".into()),
        ParameterValue::Integer(4711),
    ];
    assert_eq!(values, expected);
    let half_right = vec![
        parameter("offset", ParameterValue::Double(9.0)),
        parameter("serial", ParameterValue::Integer(1)),
    ];
    assert!(client.set_atomically(half_right).is_err());
    assert_eq!(client.get(&["offset".into()]).unwrap(), [ParameterValue::Double(1.5)]);
    client.set_atomically(vec![parameter("offset", ParameterValue::Double(0.5))]).unwrap();
    host.wait("the events", || events.all().len() >= 3);
    let changed: Vec<(String, Vec<String>)> = events.all();
    let of = |name: &str| ("/mcu/sensor".to_owned(), vec![name.to_owned()]);
    assert_eq!(changed, [of("offset"), of("sampling.label"), of("offset")]);
}

/// The lifecycle: the temperature is published while the node is active.
pub(crate) fn check_lifecycle(host: &Host) {
    let temperatures =
        hear!(host, Float64, "/mcu/temperature", QoS::keep_last(20), |message: Float64| message.data);
    let change = host.node.client::<ChangeState>("/mcu/sensor/change_state").create().unwrap();
    let get = host.node.client::<GetState>("/mcu/sensor/get_state").create().unwrap();
    assert!(change.wait_for_service(LONG) && get.wait_for_service(LONG));
    let state = || get.call(&GetState_Request {}, LONG).unwrap().current_state;
    let transition = |id, label: &str| {
        let transition = Transition { id, label: label.into() };
        change.call(&ChangeState_Request { transition }, LONG).unwrap().success
    };
    assert_eq!(state(), State { id: 1, label: "unconfigured".into() });
    assert!(!transition(Transition::TRANSITION_ACTIVATE, ""), "it is not configured yet");
    assert!(transition(Transition::TRANSITION_CONFIGURE, ""));
    assert!(temperatures.all().is_empty());
    assert!(transition(0, "activate"));
    assert_eq!(state(), State { id: 3, label: "active".into() });
    host.wait("temperatures", || temperatures.all().len() >= 3);
    assert!(transition(Transition::TRANSITION_DEACTIVATE, ""));
    assert!(transition(Transition::TRANSITION_CLEANUP, ""));
    assert_eq!(state().id, 1);
}

/// An action that ends, one that is canceled, and one that is rejected.
pub(crate) fn check_action(host: &Host) {
    let client = ActionClient::<Fibonacci>::on(&host.node, "/mcu/fibonacci").create().unwrap();
    assert!(client.wait_for_server(LONG), "{:#?}", host.context.graph());
    let feedback = Arc::<Mutex<Vec<usize>>>::default();
    let into = feedback.clone();
    let options = GoalOptions::<Fibonacci>::default()
        .on_feedback(move |feedback| into.lock().unwrap().push(feedback.partial_sequence.len()));
    let goal = client.send_goal_with(&Fibonacci_Goal { order: 6 }, options).unwrap().wait(LONG).unwrap();
    let result = goal.result().unwrap().wait(LONG).unwrap();
    assert_eq!(result.status(), GoalStatus::Succeeded);
    assert_eq!(result.value().unwrap().sequence, [0, 1, 1, 2, 3, 5, 8]);
    // Feedback and result come in two streams of the graph.
    host.wait("the feedback", || feedback.lock().unwrap().len() >= 5);
    assert_eq!(*feedback.lock().unwrap(), [3, 4, 5, 6, 7]);
    let goal = client.send_goal(&Fibonacci_Goal { order: 20 }).unwrap().wait(LONG).unwrap();
    let mut result = goal.result().unwrap();
    assert_eq!(goal.cancel(LONG).unwrap(), CancelOutcome::Canceling(vec![goal.id()]));
    assert_eq!(result.wait(LONG).unwrap().status(), GoalStatus::Canceled);
    assert!(
        client.send_goal(&Fibonacci_Goal { order: 21 }).unwrap().wait(LONG).is_err(),
        "the order is too large"
    );
    // The goal that was refused did not take the place of the one before: its result is still there.
    assert_eq!(goal.result().unwrap().wait(LONG).unwrap().status(), GoalStatus::Canceled);
}

/// The device knows the host's time, as seen from its messages: soon it is wrong by less than the tolerance.
pub(crate) fn check_time(host: &Host, tolerance: Duration) {
    let errors = hear!(host, Time, "/mcu/time", QoS::sensor_data(), |time: Time| {
        let now = system_now().as_nanos();
        now - (i64::from(time.sec) * 1_000_000_000 + i64::from(time.nanosec))
    });
    // The age of a message includes its way to the host, so the smallest age of some shows the clock's error best.
    let mut smallest = i64::MAX;
    host.wait("the time of the device", || {
        let all = errors.all();
        smallest = all.iter().rev().take(SAMPLES).min().copied().unwrap_or(i64::MAX);
        all.len() >= SAMPLES && smallest.unsigned_abs() <= tolerance.as_nanos() as u64
    });
    println!("a message with the device's time is {:.3} ms old at the host", smallest as f64 / 1e6);
}
