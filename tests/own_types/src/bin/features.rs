//! Ten features of Saltus in a crate that depends only on `saltus`. Prints a line for each feature.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use saltus::{
    ActionClient, ActionServer, Context, Executor, MultiThreadedExecutor, Node, QoS, SingleThreadedExecutor,
    Time,
    executor::CallbackGroupKind,
    machine::{Definition, Machine},
    msgs::{
        builtin_interfaces,
        example_interfaces::{
            action::{Fibonacci, Fibonacci_Goal, Fibonacci_Result},
            srv::{AddTwoInts, AddTwoInts_Request, AddTwoInts_Response},
        },
        sensor_msgs::msg::Image,
        std_msgs::msg::{Header, String as Text},
    },
};

type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

const TIMEOUT: Duration = Duration::from_secs(20);

fn main() -> Result {
    let context = Context::from_args()?;
    let node = context.node("features").create()?;
    topic(&context, &node)?;
    in_place(&context, &node)?;
    quality_of_service(&node)?;
    service(&context)?;
    action(&context)?;
    parameters(&node)?;
    timer_and_groups(&context, &node)?;
    stamps()?;
    state_machine()?;
    graph_and_log(&context, &node);
    Ok(())
}

fn topic(context: &Context, node: &Node) -> Result {
    let publisher = node.publisher::<Text>("text").create()?;
    let received = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&received);
    let _subscription = node.subscription::<Text>("text").callback(move |text: Text| {
        *seen.lock().expect("no callback panics") = Some(text.data);
    })?;
    publisher.publish(&Text { data: "hello".into() })?;
    let mut executor = SingleThreadedExecutor::new(context)?;
    executor.add_node(node);
    while received.lock().expect("no callback panics").is_none() {
        executor.spin_once(Some(TIMEOUT))?;
    }
    println!("topic: {:?}", received.lock().expect("no callback panics"));
    Ok(())
}

fn in_place(context: &Context, node: &Node) -> Result {
    let publisher = node.publisher::<Image>("image").create()?;
    let subscription = node.subscription::<Image>("image").create()?;
    publisher
        .loan(Image::size_hint(12))?
        .header(|header| header.stamp(builtin_interfaces::msg::Time::default()).frame_id("camera"))
        .height(2)
        .width(2)
        .encoding("rgb8")
        .is_bigendian(0)
        .step(6)
        .data(12, |pixels| pixels.fill(7))
        .publish()?;
    context.wait_until(TIMEOUT, || subscription.has_message());
    let sample = subscription.take_sample().ok_or("no image")?;
    let image = saltus::cdr::view::<Image>(&sample)?;
    println!("in place: {} x {}, {:?}", image.width(), image.height(), &image.data()[..3]);
    Ok(())
}

fn quality_of_service(node: &Node) -> Result {
    let latched = node.publisher::<Text>("latched").qos(QoS::keep_last(1).transient_local()).create()?;
    latched.publish(&Text { data: "kept".into() })?;
    let late = node.subscription::<Text>("latched").qos(QoS::keep_last(1).transient_local()).create()?;
    let matched = late.wait_for_publishers(1, TIMEOUT);
    println!("quality of service: matched={matched}, lost={}", latched.status().losses.total());
    Ok(())
}

fn service(context: &Context) -> Result {
    let server = context.node("adder").create()?;
    let _server = server
        .service::<AddTwoInts>("add_two_ints")
        .callback(|request| AddTwoInts_Response { sum: request.a + request.b })?;
    let node = context.node("caller").create()?;
    let client = node.client::<AddTwoInts>("add_two_ints").create()?;
    let call = client.call_async(&AddTwoInts_Request { a: 2, b: 40 })?;
    let mut executor = SingleThreadedExecutor::new(context)?;
    executor.add_node(&server);
    executor.add_node(&node);
    let response = executor.spin_until_future_complete(call, Some(TIMEOUT))?.ok_or("no response")??;
    println!("service: {}", response.sum);
    Ok(())
}

fn action(context: &Context) -> Result {
    let node = context.node("counter").create()?;
    let _server = ActionServer::<Fibonacci>::on(&node, "fibonacci").execute(|goal| {
        if let Err(error) = goal.succeed(Fibonacci_Result { sequence: vec![0, 1, 1] }) {
            eprintln!("{error}");
        }
    })?;
    let client = ActionClient::<Fibonacci>::on(&node, "fibonacci").create()?;
    let sent = client.send_goal(&Fibonacci_Goal { order: 2 })?;
    let mut executor = SingleThreadedExecutor::new(context)?;
    executor.add_node(&node);
    let work = async { sent.await?.result()?.await };
    let result = executor.spin_until_future_complete(work, Some(TIMEOUT))?.ok_or("no result")??;
    println!("action: {} {:?}", result.status(), result.value()?.sequence);
    Ok(())
}

fn parameters(node: &Node) -> Result {
    let speed: f64 = node.parameter("speed").floating_point_range(0.0, 2.0, 0.0).declare(1.0)?;
    let refused = node.set_parameter("speed", 3.0).is_err();
    println!("parameters: speed={speed} refused={refused}");
    Ok(())
}

fn timer_and_groups(context: &Context, node: &Node) -> Result {
    let group = node.callback_group(CallbackGroupKind::Reentrant);
    let mut executor = MultiThreadedExecutor::new(context)?.threads(2);
    let handle = executor.handle();
    let _timer =
        node.wall_timer(Duration::from_millis(1)).callback_group(&group).callback(move || handle.cancel())?;
    executor.spin_node(node)?;
    println!("timer: the executor has ended");
    Ok(())
}

fn stamps() -> Result {
    let now = Time::from_nanos(1_500_000_000);
    let header = Header { stamp: now.into(), frame_id: "map".into() };
    println!("stamps: {} s {} ns", header.stamp.sec, header.stamp.nanosec);
    Ok(())
}

fn state_machine() -> Result {
    let blinker =
        Definition::builder("blinker").state("off").state("on").transition("switch", "off", "on").build()?;
    let mut machine = Machine::new(blinker);
    machine.trigger("switch")?;
    println!("state machine: {}", machine.state());
    Ok(())
}

fn graph_and_log(context: &Context, node: &Node) {
    let has_node = context.graph().nodes.iter().any(|one| one.name == "features");
    saltus::info!(node.logger(), "the node is in the graph: {has_node}");
    println!("graph and log: {has_node}");
}
