//! Memory of a large graph: many processes, each with one node that publishes common types.

use std::time::Duration;

use saltus::{
    Context, Node,
    cdr::Message,
    msgs::{
        diagnostic_msgs::msg::DiagnosticArray,
        geometry_msgs::msg::{PoseStamped, PoseWithCovarianceStamped, Twist},
        nav_msgs::msg::{OccupancyGrid, Odometry, Path},
        sensor_msgs::msg::{BatteryState, CameraInfo, Image, Imu, JointState, LaserScan, PointCloud2},
        tf2_msgs::msg::TFMessage,
    },
    node::NodeError,
    time::monotonic_now,
};

use crate::{
    error::RunError,
    interrupt,
    machine::Machine,
    process::{Folder, Process, print_line, pss_of, shut_down_at_end_of_stdin},
    report::print,
};

type Error = Box<dyn std::error::Error>;

/// The two sizes of the graph that are compared.
const SIZES: [usize; 2] = [100, 200];
/// The longest time that the processes may need to discover each other.
const LONG: Duration = Duration::from_secs(120);
/// The discovery has ended when all processes together use at most `QUIET` ticks of CPU time in `WINDOW` nanoseconds.
const WINDOW: u64 = 500_000_000;
const QUIET: u64 = 3;

/// Prints the memory of 100 and of 200 processes. Each process has one node with 15 publishers of 15 types.
pub(crate) fn run_crowd() -> Result<(), RunError> {
    interrupt::install_handler()?;
    print(&format!("{}\n", Machine::describe().one_line()))?;
    let measured = measure();
    interrupt::check().and(measured)
}

fn measure() -> Result<(), RunError> {
    let mut sums = Vec::new();
    for size in SIZES {
        let sum = memory_of(size)?;
        print(&format!(
            "{size} processes of one node with 15 types each: {:.1} MB PSS together, {:.2} MB each\n",
            sum as f64 / 1e3,
            sum as f64 / 1e3 / size as f64
        ))?;
        sums.push(sum as f64);
    }
    let growth = sums[1] / sums[0] / (SIZES[1] as f64 / SIZES[0] as f64);
    print(&format!("growth from {} to {}: {growth:.3} times linear\n", SIZES[0], SIZES[1]))
}

/// Returns the memory in KB of `size` processes that have all discovered each other.
fn memory_of(size: usize) -> Result<u64, RunError> {
    let folder = Folder::new()?;
    let start = |me: usize| Process::spawn_in("crowd", &[me.to_string()], Some(folder.path()));
    let processes = (0..size).map(start).collect::<Result<Vec<_>, _>>()?;
    let ready = |process: Process| process.wait_until_ready("crowd");
    let processes = processes.into_iter().map(ready).collect::<Result<Vec<_>, _>>()?;
    settle(&processes)?;
    let sum = pss_of(&processes);
    processes.into_iter().try_for_each(Process::end)?;
    sum
}

/// Waits until the processes have discovered each other. After that, they use almost no CPU time.
fn settle(processes: &[Process]) -> Result<(), RunError> {
    let end = monotonic_now() + LONG.as_nanos() as u64;
    let mut before = cpu_ticks(processes);
    while monotonic_now() < end {
        // The CPU time within this time is measured.
        interrupt::sleep_until(monotonic_now() + WINDOW)?;
        let now = cpu_ticks(processes);
        if now - before <= QUIET {
            return Ok(());
        }
        before = now;
    }
    Err(RunError::Failed("crowd".into(), format!("the processes were still busy after {LONG:?}")))
}

/// Returns the CPU time of all processes together, in ticks of 10 ms.
fn cpu_ticks(processes: &[Process]) -> u64 {
    let ticks = |process: &Process| {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.id())).ok()?;
        // The name of the command is in parentheses and may contain any character. User and system time are fields 14
        // and 15.
        let (_, rest) = stat.rsplit_once(')')?;
        let mut fields = rest.split_whitespace().skip(11).map_while(|field| field.parse::<u64>().ok());
        Some(fields.next()? + fields.next()?)
    };
    processes.iter().filter_map(ticks).sum()
}

/// Runs one of the processes. It discovers the others, but requests no details about them.
pub(crate) fn run_role(name: &str, words: &[String]) -> Result<(), Error> {
    let ("crowd", [me]) = (name, words) else { return Err(format!("no role is named {name}").into()) };
    let context = Context::new()?;
    shut_down_at_end_of_stdin(&context);
    let node = context.node(&format!("member_{me}")).create()?;
    let _publishers = publishers(&node)?;
    print_line("ready")?;
    Ok(saltus::spin(&node)?)
}

/// Creates a publisher of each of 15 types that many robots use.
fn publishers(node: &Node) -> Result<Vec<Box<dyn std::any::Any>>, NodeError> {
    Ok(vec![
        publisher::<BatteryState>(node, "battery")?,
        publisher::<CameraInfo>(node, "camera_info")?,
        publisher::<DiagnosticArray>(node, "diagnostics")?,
        publisher::<Image>(node, "image")?,
        publisher::<Imu>(node, "imu")?,
        publisher::<JointState>(node, "joint_states")?,
        publisher::<LaserScan>(node, "scan")?,
        publisher::<OccupancyGrid>(node, "map")?,
        publisher::<Odometry>(node, "odom")?,
        publisher::<Path>(node, "plan")?,
        publisher::<PointCloud2>(node, "points")?,
        publisher::<PoseStamped>(node, "goal")?,
        publisher::<PoseWithCovarianceStamped>(node, "pose")?,
        publisher::<TFMessage>(node, "tf")?,
        publisher::<Twist>(node, "cmd_vel")?,
    ])
}

fn publisher<M: Message + 'static>(node: &Node, name: &str) -> Result<Box<dyn std::any::Any>, NodeError> {
    Ok(Box::new(node.publisher::<M>(&format!("~/{name}")).create()?))
}
