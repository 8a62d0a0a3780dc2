//! Nodes of ros2-client, one role for each process: `ros2-client-peer ROLE`. They print what they receive, a line for each.
//!
//! `ZENOH_CONFIG_OVERRIDE` says where they connect.

use std::{collections::BTreeMap, thread::sleep, time::Duration};

use ros2_client::{
    ActionServer, ActionTypeName, Context, GoalId, MessageTypeName, Name, Node, NodeName, NodeOptions,
    Parameter, ParameterValue, Publisher, QosProfile, RmwRequestId, ServiceTypeName, Subscription,
    action_msgs::{CancelGoalResponseEnum, GoalInfo, GoalStatus, GoalStatusEnum},
    builtin_interfaces::Time,
    qos::History,
    ros2::LogLevel,
    rosout,
    unique_identifier_msgs::UUID,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

type Error = Box<dyn std::error::Error>;

/// The length of the data of an image.
const MEGABYTE: usize = 1_000_000;
/// The time between two messages.
const PERIOD: Duration = Duration::from_millis(100);
/// The time after which a program looks again whether something has come. The calls of ros2-client that take something do not wait.
const SOON: Duration = Duration::from_millis(10);

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Header {
    stamp: (i32, u32),
    frame_id: String,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Twist {
    linear: (f64, f64, f64),
    angular: (f64, f64, f64),
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct LaserScan {
    header: Header,
    angles_times_and_ranges: [f32; 7],
    ranges: Vec<f32>,
    intensities: Vec<f32>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Image {
    header: Header,
    height: u32,
    width: u32,
    encoding: String,
    is_bigendian: u8,
    step: u32,
    data: Vec<u8>,
}

#[derive(Deserialize, Serialize)]
struct Summands {
    a: i64,
    b: i64,
}

#[derive(Deserialize, Serialize)]
struct Sum {
    sum: i64,
}

#[derive(Clone, Deserialize, Serialize)]
struct Order {
    order: i32,
}

#[derive(Clone, Deserialize, Serialize)]
struct Sequence {
    sequence: Vec<i32>,
}

fn main() -> Result<(), Error> {
    let role = std::env::args().nth(1).ok_or("expected a role")?;
    let context = Context::new()?;
    let speed = ParameterValue::Double(1.0);
    let options = NodeOptions::new().enable_rosout(role == "log").declare_parameter("speed", speed);
    let node =
        context.new_node(NodeName::new("/", &format!("client_{}", role.replace('-', "_")))?, options)?;
    match role.as_str() {
        "publisher" => publish(&node),
        "subscription" => subscribe(&node),
        "server" => serve(&node),
        "client" => call(&node),
        "action-server" => execute_goals(&node),
        "action-client" => send_goal(&node, false),
        "canceling-client" => send_goal(&node, true),
        "parameters" => have_parameters(&node),
        "parameter-client" => set_parameters(&node),
        "log" => log(&node),
        "graph" => list(&context),
        other => Err(format!("unknown role `{other}`").into()),
    }
}

/// The profile of all topics: reliable, with a queue of five messages.
fn reliable() -> QosProfile {
    QosProfile::publisher_default().history(History::KeepLast { depth: 5 })
}

fn publisher<M: Serialize>(node: &Node, name: &str, ty: (&str, &str)) -> Result<Publisher<M>, Error> {
    let topic =
        node.create_topic(&Name::new("/client", name)?, MessageTypeName::new(ty.0, ty.1), &reliable());
    Ok(node.create_publisher(&topic, None)?)
}

fn subscription<M>(node: &Node, name: &str, ty: (&str, &str)) -> Result<Subscription<M>, Error>
where
    M: DeserializeOwned + 'static,
{
    let topic =
        node.create_topic(&Name::new("/saltus", name)?, MessageTypeName::new(ty.0, ty.1), &reliable());
    Ok(node.create_subscription(&topic, None)?)
}

const TEXT: (&str, &str) = ("std_msgs", "String");
const TWIST: (&str, &str) = ("geometry_msgs", "Twist");
const SCAN: (&str, &str) = ("sensor_msgs", "LaserScan");
const IMAGE: (&str, &str) = ("sensor_msgs", "Image");

/// Publishes messages of four types.
fn publish(node: &Node) -> Result<(), Error> {
    let text = publisher(node, "text", TEXT)?;
    let twist = publisher(node, "twist", TWIST)?;
    let scan = publisher(node, "scan", SCAN)?;
    let image = publisher(node, "image", IMAGE)?;
    loop {
        text.publish("from ros2-client".to_owned())?;
        twist.publish(Twist { linear: (0.5, 0.0, 0.0), ..Twist::default() })?;
        scan.publish(LaserScan { ranges: vec![1.5; 360], ..LaserScan::default() })?;
        let data = vec![7; MEGABYTE];
        image.publish(Image { height: 1000, width: 1000, step: 1000, data, ..Image::default() })?;
        sleep(PERIOD); // the rate of the messages
    }
}

/// Prints messages of four types.
fn subscribe(node: &Node) -> Result<(), Error> {
    let text: Subscription<String> = subscription(node, "text", TEXT)?;
    let twist: Subscription<Twist> = subscription(node, "twist", TWIST)?;
    let scan: Subscription<LaserScan> = subscription(node, "scan", SCAN)?;
    let image: Subscription<Image> = subscription(node, "image", IMAGE)?;
    loop {
        if let Some((text, _)) = text.try_take()? {
            println!("text {text}");
        }
        if let Some((twist, _)) = twist.try_take()? {
            println!("twist {}", twist.linear.0);
        }
        if let Some((scan, _)) = scan.try_take()? {
            println!("scan {} {}", scan.ranges.len(), scan.ranges[0]);
        }
        if let Some((image, _)) = image.try_take()? {
            let sum: u64 = image.data.iter().map(|byte| u64::from(*byte)).sum();
            println!("image {} {sum}", image.width);
        }
        sleep(SOON); // until something may have come
    }
}

/// Adds numbers.
fn serve(node: &Node) -> Result<(), Error> {
    let ty = ServiceTypeName::new("example_interfaces", "AddTwoInts");
    let server = node.create_server::<Summands, Sum>(&Name::new("/client", "add")?, &ty)?;
    println!("ready");
    loop {
        if let Some((id, Summands { a, b })) = server.try_receive_request()? {
            server.send_response(id, Sum { sum: a + b })?;
        }
        sleep(SOON); // until a request may have come
    }
}

/// Repeats something until it has a value. Servers may not be announced yet.
fn repeat<T, E: std::fmt::Display>(mut call: impl FnMut() -> Result<T, E>) -> T {
    loop {
        match call() {
            Ok(value) => return value,
            Err(error) => println!("no answer: {error}"),
        }
        sleep(PERIOD); // until the server may be there
    }
}

/// Calls a server until it answers.
fn call(node: &Node) -> Result<(), Error> {
    let ty = ServiceTypeName::new("example_interfaces", "AddTwoInts");
    let client = node.create_client::<Summands, Sum>(&Name::new("/", "add_two_ints")?, &ty)?;
    let response = repeat(|| client.call(Summands { a: 2, b: 40 }));
    println!("sum {}", response.sum);
    Ok(())
}

fn fibonacci() -> ActionTypeName {
    ActionTypeName::new("action_tutorials_interfaces", "Fibonacci")
}

/// A goal that is executed.
struct Goal {
    order: usize,
    sequence: Vec<i32>,
    status: GoalStatusEnum,
}

type Goals = BTreeMap<GoalId, Goal>;
type FibonacciServer = ActionServer<Order, Sequence, Sequence>;

/// Executes goals: one number of each in a period.
fn execute_goals(node: &Node) -> Result<(), Error> {
    let server: FibonacciServer =
        node.create_action_server(&Name::new("/client", "fibonacci")?, &fibonacci())?;
    let mut goals = Goals::new();
    let mut waiting: Vec<(RmwRequestId, GoalId)> = Vec::new();
    println!("ready");
    loop {
        while let Some((id, goal, Order { order })) = server.try_receive_goal() {
            let order = usize::try_from(order)?;
            goals.insert(goal, Goal { order, sequence: vec![0, 1], status: GoalStatusEnum::Executing });
            server.respond_goal(id, true)?;
        }
        while let Some((id, goal)) = server.try_receive_cancel() {
            cancel(&server, id, goal, &mut goals)?;
        }
        for (id, goal) in &mut goals {
            execute(&server, *id, goal)?;
        }
        waiting.extend(std::iter::from_fn(|| server.try_receive_result_request()));
        answer(&server, &goals, &mut waiting)?;
        server.publish_status(goals.iter().map(|(id, goal)| status(*id, goal)).collect())?;
        sleep(PERIOD); // the time that one number takes
    }
}

/// Computes the next number of a goal.
fn execute(server: &FibonacciServer, id: GoalId, goal: &mut Goal) -> Result<(), Error> {
    if goal.status == GoalStatusEnum::Executing {
        let last = goal.sequence.len() - 1;
        goal.sequence.push(goal.sequence[last] + goal.sequence[last - 1]);
        let feedback = Sequence { sequence: goal.sequence.clone() };
        server.publish_feedback(id, feedback).map_err(|_| "can't send feedback")?;
        if goal.sequence.len() > goal.order {
            goal.status = GoalStatusEnum::Succeeded;
        }
    }
    Ok(())
}

/// Answers those who wait for the result of a goal that has ended.
fn answer(
    server: &FibonacciServer,
    goals: &Goals,
    waiting: &mut Vec<(RmwRequestId, GoalId)>,
) -> Result<(), Error> {
    let has_ended = |id: &GoalId| goals.get(id).is_some_and(|goal| goal.status != GoalStatusEnum::Executing);
    for (request, id) in waiting.extract_if(.., |(_, id)| has_ended(id)) {
        let goal = &goals[&id];
        server.respond_result(request, goal.status as i8, Sequence { sequence: goal.sequence.clone() })?;
    }
    Ok(())
}

fn info(goal_id: GoalId) -> GoalInfo {
    GoalInfo { goal_id, stamp: Time::ZERO }
}

fn status(id: GoalId, goal: &Goal) -> GoalStatus {
    GoalStatus { goal_info: info(id), status: goal.status }
}

/// Cancels a goal, or all.
fn cancel(
    server: &FibonacciServer,
    request: RmwRequestId,
    id: GoalId,
    goals: &mut Goals,
) -> Result<(), Error> {
    let mut canceled = Vec::new();
    for (goal, state) in goals.iter_mut() {
        if (id == UUID::ZERO || *goal == id) && state.status == GoalStatusEnum::Executing {
            state.status = GoalStatusEnum::Canceled;
            canceled.push(info(*goal));
        }
    }
    let code =
        if canceled.is_empty() { CancelGoalResponseEnum::UnknownGoal } else { CancelGoalResponseEnum::None };
    Ok(server.respond_cancel(request, code, canceled)?)
}

/// Sends a goal, and may cancel it.
fn send_goal(node: &Node, is_canceled: bool) -> Result<(), Error> {
    let name = Name::new("/", "fibonacci")?;
    let client = node.create_action_client::<Order, Sequence, Sequence>(&name, &fibonacci())?;
    let order = if is_canceled { 40 } else { 5 };
    let (id, is_accepted) = repeat(|| client.send_goal(Order { order }));
    println!("accepted {is_accepted}");
    let canceled = is_canceled.then(|| client.cancel_goal(id)).transpose()?;
    if let Some(response) = canceled {
        println!("canceling {}", response.goals_canceling.len());
    }
    let (status, result) = repeat(|| client.get_result(id));
    while let Some((_, feedback)) = client.take_feedback() {
        println!("feedback {:?}", feedback.sequence);
    }
    println!("status {status} result {:?}", result.sequence);
    Ok(())
}

/// Has a parameter.
fn have_parameters(node: &Node) -> Result<(), Error> {
    let server = node.parameter_server().ok_or("no server of parameters")?;
    println!("ready");
    server.spin(SOON, || false);
    Ok(())
}

/// Reads and sets a parameter of another node.
fn set_parameters(node: &Node) -> Result<(), Error> {
    let client = node.create_parameter_client(&NodeName::new("/", "holder")?)?;
    println!("speed {:?}", repeat(|| client.get_parameters(&["speed"])));
    let speed = Parameter { name: "speed".into(), value: ParameterValue::Integer(80) };
    let set = client.set_parameters([speed])?;
    println!("set {}", set.iter().all(Result::is_ok));
    println!("speed {:?}", client.get_parameters(&["speed"])?);
    Ok(())
}

/// Writes a line of the log in each period.
fn log(node: &Node) -> Result<(), Error> {
    let logger = node.logger().ok_or("no logger")?;
    loop {
        rosout!(logger, LogLevel::Info, "a line of ros2-client");
        sleep(PERIOD); // the rate of the lines
    }
}

/// Prints what it sees, in each period.
fn list(context: &Context) -> Result<(), Error> {
    loop {
        for name in context.node_names() {
            println!("node {name}");
        }
        println!("publishers of /saltus/scan {}", context.publisher_count("/saltus/scan"));
        sleep(PERIOD); // until the graph may have changed
    }
}
