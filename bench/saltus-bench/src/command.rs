//! The command line of `saltus bench`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use saltus_verb::{bundled, error::Error};

use crate::{
    crowd::run_crowd,
    goals::run_action,
    hosts::{HostsOptions, run_hosts},
    micro::{MicroOptions, MicroPart, run_micro},
    navigation::{Case, NavOptions, run_nav},
    options::{Options, Pace, Pin, SIZES, Scenario},
    priority::run_priority,
    ros2::Rmw,
    run::run_exchange,
    shown::run_graph,
    soak::run_soak,
    systems::{
        CompositionOptions, LaunchOptions, Middleware, TopologyOptions, Workload, run_composition,
        run_launch, run_topology,
    },
    timer::run_timer,
    transforms::run_transforms,
    whole::{run_count, run_idle, run_rosout, run_scale, run_start},
};

/// Reads a way to run the nodes of navigation.
fn case(name: &str) -> Result<Case, String> {
    let found = Case::ALL.into_iter().find(|case| case.name() == name);
    found.ok_or_else(|| format!("expected one of {}", Case::ALL.map(Case::name).join(", ")))
}

/// `saltus bench …`
#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Exchange messages between two processes (ping-pong), with Saltus and its peers
    #[command(after_help = "Example:\n  saltus bench topic --sizes 64,1048576 --iterations 2000 --pin apart")]
    Topic(ExchangeBench),
    /// Call a service of another process, with Saltus and its peers
    #[command(after_help = "Example:\n  saltus bench service --sizes 64,1048576 --runs 5")]
    Service(ExchangeBench),
    /// Send goals to an action server in another process: 200, 1,000 and 2,000 goals one by one, then 200, 400, 1,000
    /// and more at once; --iterations and --pace have no effect
    #[command(after_help = "Example:\n  saltus bench action --sizes 64,1048576 --runs 5")]
    Action(ExchangeBench),
    /// Exchange messages and call services between two Python programs, with the Python packages of Saltus and its
    /// peers
    #[command(after_help = "Example:\n  saltus bench python --sizes 64,1048576 --iterations 2000 --runs 5")]
    Python(ExchangeBench),
    /// Measure how precise the timers of nodes and the timeouts of a state machine are, with the one-shot timer test of
    /// ros_transitions, and compare them with clock_nanosleep
    #[command(after_help = "Example:\n  saltus bench timer --runs 5")]
    Timer(TimerBench),
    /// Measure the client for microcontrollers and the agent: memory and instructions on a Cortex-M4, latency,
    /// throughput, and up to 1,000 clients. It builds C programs, so it runs in the working tree of Saltus
    #[command(
        after_help = "Examples:\n  saltus bench micro --runs 3\n  saltus bench micro latency --iterations 2000"
    )]
    Micro {
        /// The parts that are measured
        #[arg(default_values_t = ["memory", "latency", "throughput", "scale"].map(str::to_owned),
            value_parser = ["memory", "latency", "throughput", "scale"])]
        parts: Vec<String>,
        /// The number of interleaved runs; medians over the runs are printed
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..1000))]
        runs: u64,
        /// The round trips of each row
        #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
        iterations: u64,
        /// The duration of each row of throughput and scale in seconds
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
        seconds: u64,
        /// Another agent with the same flags, which is measured in the same run
        #[arg(long, value_name = "PROGRAM")]
        other_agent: Option<PathBuf>,
        /// A folder for the tables and the figures
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
    },
    /// Check that memory use stays constant while 4 clients call a service
    #[command(after_help = "Example:\n  saltus bench soak --rate 10000 --seconds 600")]
    Soak {
        /// The calls per second of all clients together
        #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(4..))]
        rate: u64,
        /// The duration in seconds
        #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u64).range(20..))]
        seconds: u64,
    },
    /// Run a described system of nodes as one process and as many: late and lost messages, CPU time, memory
    #[command(after_help = TOPOLOGY_HELP)]
    Topology(TopologyBench),
    /// Run the same nodes in each way (processes, containers, compiled in): CPU time, memory, latency, start. It
    /// installs a package, so it runs in the working tree of Saltus
    #[command(
        after_help = "Examples:\n  saltus bench composition --runs 3\n  saltus bench composition --workloads idle --nodes 10"
    )]
    Composition(CompositionBench),
    /// Run a launch file of idle nodes with `saltus launch` and, if it is sourced, ROS 2's `ros2 launch`: time until all
    /// nodes are there, memory, time until all have ended. It installs a package, so it runs in the working tree of Saltus
    #[command(after_help = "Example:\n  saltus bench launch --nodes 50 --runs 5")]
    Launch {
        /// The number of nodes
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=200))]
        nodes: u64,
        /// The number of interleaved runs; medians over the runs are printed
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..1000))]
        runs: u64,
        /// The middlewares under ROS 2's launch, if ROS 2 and the package in bench/peers/ros2 are sourced: fastdds,
        /// fastdds-shm32, cyclonedds, cyclonedds-64k; separate several values by commas
        #[arg(long, value_delimiter = ',', default_value = "fastdds,cyclonedds")]
        rmw: Vec<Rmw>,
        /// A folder for the table
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
    },
    /// Repeat the published experiment on the composition of Nav2: a robot navigates in a simulated arena, and the CPU time and the
    /// memory of the ten nodes are sampled each second, as processes and in containers. The tables that were published are printed
    /// beside
    #[command(
        after_help = "Examples:\n  saltus bench nav --runs 10\n  saltus bench nav --runs 1 --cases separate,isolated"
    )]
    Nav {
        /// The ways to run the nodes; separate several values by commas
        #[arg(long, value_delimiter = ',', value_parser = case,
            default_value = "separate,isolated,isolated2,mt,manual,crash-isolated")]
        cases: Vec<Case>,
        /// The number of repetitions of each
        #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..1000))]
        runs: u64,
        /// A folder for the tables and the figures of all repetitions
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
    },
    /// Measure two hosts with a bridge each, beside zenoh alone on the same network: round trips, losses, a slow link, memory. The hosts are
    /// network namespaces, which need no root where users may make them
    #[command(
        after_help = "Examples:\n  saltus bench bridge --parts latency --sizes 64,1000\n  saltus bench bridge --parts soak --seconds 900"
    )]
    Bridge(HostsOptions),
    /// Measure the memory of one process and of ten processes, each with one idle node, and the CPU time of a node that
    /// has only a timer
    Idle,
    /// Measure the time from the start of a publisher and a subscriber to the first message
    Start,
    /// Measure a graph of 1,000 topics in 10 processes with 20 nodes each: time, memory, file descriptors,
    /// `topic list`
    Scale,
    /// Measure a graph with 20,000 publishers of another system, as a bridge shows them: CPU time of the process that shows
    /// them and of others, and the cost of one change
    Graph,
    /// Measure the memory that /rosout needs for 200 nodes in 10 processes
    Rosout,
    /// Measure the memory of 100 and of 200 processes, each with one node that publishes 15 types
    Crowd,
    /// Measure publish() on a real-time thread while another thread opens endpoints and commits memory
    Priority {
        /// Publish for this many seconds without the other thread, and for the same time with it
        #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
        seconds: u64,
    },
    /// Measure how fast transforms between coordinate frames are looked up while another thread sets them
    Tf {
        /// The duration of each run in seconds
        #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..))]
        seconds: u64,
        /// The number of runs; medians over the runs are printed
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..1000))]
        runs: u64,
    },
    /// Measure how much time it takes to record the latency of a message
    Count,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PinArgument {
    /// Each process on its own CPU
    Apart,
    /// Both processes on one CPU
    Together,
    /// The scheduler chooses the CPUs
    Free,
}

/// `saltus bench topic`, `service`, `action` and `python`
#[derive(Debug, clap::Args)]
pub(crate) struct ExchangeBench {
    /// Where the processes run; separate several values by commas
    #[arg(long, value_delimiter = ',', default_value = "apart")]
    pin: Vec<PinArgument>,
    /// The sizes of the data in a message, in bytes, from 16 (two sequence numbers) to 256 MB
    #[arg(long, value_delimiter = ',', default_values_t = SIZES, value_parser = parse_size)]
    sizes: Vec<usize>,
    /// The number of round trips per row and run
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    iterations: u64,
    /// The number of interleaved runs; medians over the runs are printed
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..1000))]
    runs: u64,
    /// Measure only rows whose name contains one of these words, such as `saltus` or `fastdds default`
    #[arg(long, value_delimiter = ',')]
    peers: Vec<String>,
    /// The longest time that one measurement may take, in seconds
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// The number of round trips that start per second; `full` starts a round trip when the previous one has ended
    #[arg(long, value_delimiter = ',', default_value = "full", value_parser = parse_pace, value_name = "full|HZ")]
    pace: Vec<Pace>,
    /// Skip fan-out and the exchange within one process; only `topic` measures them
    #[arg(long)]
    no_extras: bool,
    /// First install the peers that are available in package registries (apt-get, with sudo unless you are root), and
    /// build them (cargo, make)
    #[arg(long)]
    install_peers: bool,
    /// Write the rows to this file, as JSON
    #[arg(long)]
    json: Option<PathBuf>,
    /// Write the table, CSV, JSON with raw histograms, and plots to this folder
    #[arg(long)]
    out: Option<PathBuf>,
    /// The folder of the sources and programs of the peers: bench/peers in the source tree of Saltus
    #[arg(long, default_value = "bench/peers")]
    peers_folder: PathBuf,
}

/// `saltus bench timer`
#[derive(Debug, clap::Args)]
pub(crate) struct TimerBench {
    /// The number of interleaved runs; medians over the runs are printed
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..1000))]
    runs: u64,
    /// The maximum number of timeouts per test; the published tests have 1000 timeouts of 5 ms, 1000 of 10 ms, and 200
    /// of 100 ms
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1000))]
    count: u64,
    /// Measure only rows whose name contains one of these words, such as `clock_nanosleep` or `saltus Rust`
    #[arg(long, value_delimiter = ',')]
    peers: Vec<String>,
    /// First install the Python environment of the peers, and build the peers
    #[arg(long)]
    install_peers: bool,
    /// Write the rows to this file, as JSON
    #[arg(long)]
    json: Option<PathBuf>,
    /// Write the table, CSV and JSON with raw histograms to this folder
    #[arg(long)]
    out: Option<PathBuf>,
    /// The folder of the sources and programs of the peers: bench/peers in the source tree of Saltus
    #[arg(long, default_value = "bench/peers")]
    peers_folder: PathBuf,
}

impl TimerBench {
    fn options(self) -> Options {
        Options {
            scenario: Scenario::Timer,
            pins: Vec::new(),
            sizes: Vec::new(),
            iterations: self.count,
            runs: self.runs as usize,
            peers: self.peers,
            seconds: 0,
            paces: vec![Pace::FullSpeed],
            extras: false,
            install_peers: self.install_peers,
            json: self.json,
            out: self.out,
            peers_folder: self.peers_folder,
        }
    }
}

const TOPOLOGY_HELP: &str = "\
Examples:
  saltus bench topology sierra_nevada mont_blanc --runs 5
  saltus bench topology robot.yaml --wait block --in-place

A file is YAML or JSON:
  nodes:
    - name: camera
      publish: [{topic: image, bytes: 100000, hz: 30}]
    - name: detector
      forward: [{inputs: [image], work: 1000, topic: objects, bytes: 500}]
    - name: tracker
      forward: [{when: all, inputs: [objects, odometry], topic: tracks, bytes: 500}]
    - name: base
      publish: [{topic: odometry, bytes: 700, hz: 50}]
      subscribe: [tracks]
  ends: [base]
`work` counts the primes up to this number. `ends` are the nodes at which the time since the source is measured.
`depth` is that of all queues (10 by default).

A message is late after 20 % of the period of its publisher or 5 ms, and too late after the period or 50 ms.";

/// `saltus bench topology`
#[derive(Debug, clap::Args)]
pub(crate) struct TopologyBench {
    /// Files, or bundled systems: sierra_nevada, mont_blanc, autoware, robot, pipeline_1khz, pipeline_30hz,
    /// pipeline_full_speed
    #[arg(default_values_t = ["sierra_nevada", "mont_blanc", "autoware"].map(str::to_owned))]
    systems: Vec<String>,
    /// The duration of each run in seconds
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// The number of interleaved runs; medians over the runs are printed
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..1000))]
    runs: u64,
    /// The wait strategies of the threads; separate several values by commas
    #[arg(long, value_delimiter = ',', default_values_t = ["adaptive", "block"].map(str::to_owned),
        value_parser = ["adaptive", "block", "spin"])]
    wait: Vec<String>,
    /// Write and read the messages in place, in shared memory
    #[arg(long)]
    in_place: bool,
    /// What rclcpp runs on: saltus, after `make bench-cpp`, and, if ROS 2 and the package in bench/peers/ros2 are sourced,
    /// fastdds, fastdds-shm32, cyclonedds, cyclonedds-64k; separate several values by commas
    #[arg(long, value_delimiter = ',', default_value = "saltus,fastdds,cyclonedds")]
    rmw: Vec<Middleware>,
    /// A folder for the table
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

impl TopologyBench {
    fn options(self) -> TopologyOptions {
        let Self { systems, seconds, runs, wait, in_place, rmw, out } = self;
        let (seconds, runs) = (seconds as f64, runs as usize);
        TopologyOptions { systems, seconds, runs, waits: wait, in_place, middlewares: rmw, out }
    }
}

/// `saltus bench composition`
#[derive(Debug, clap::Args)]
pub(crate) struct CompositionBench {
    /// The work of the nodes; separate several values by commas
    #[arg(long, value_delimiter = ',', default_value = "idle,pipeline,robot")]
    workloads: Vec<WorkloadArgument>,
    /// The numbers of idle nodes; separate several values by commas
    #[arg(long, value_delimiter = ',', default_values_t = [1, 10, 50],
        value_parser = clap::value_parser!(u64).range(1..=200))]
    nodes: Vec<u64>,
    /// The duration of each run in seconds
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// The number of interleaved runs; medians over the runs are printed
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..1000))]
    runs: u64,
    /// What rclcpp runs on: saltus, after `make bench-cpp`, and, if ROS 2 and the package in bench/peers/ros2 are sourced,
    /// fastdds, fastdds-shm32, cyclonedds, cyclonedds-64k; separate several values by commas
    #[arg(long, value_delimiter = ',', default_value = "saltus,fastdds,cyclonedds")]
    rmw: Vec<Middleware>,
    /// A folder for the table
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum WorkloadArgument {
    /// Nothing
    Idle,
    /// Eight stages that pass messages on
    Pipeline,
    /// The messages of Nav2
    Robot,
}

impl CompositionBench {
    fn options(self) -> CompositionOptions {
        let workload = |workload: &WorkloadArgument| match workload {
            WorkloadArgument::Idle => Workload::Idle,
            WorkloadArgument::Pipeline => Workload::Pipeline,
            WorkloadArgument::Robot => Workload::Robot,
        };
        CompositionOptions {
            workloads: self.workloads.iter().map(workload).collect(),
            nodes: self.nodes.iter().map(|count| *count as usize).collect(),
            seconds: self.seconds as f64,
            runs: self.runs as usize,
            middlewares: self.rmw,
            out: self.out,
        }
    }
}

impl Bench {
    pub(crate) fn run(self) -> Result<(), Error> {
        match self {
            Self::Topic(bench) => Ok(run_exchange(&bench.options(Scenario::Topic))?),
            Self::Service(bench) => Ok(run_exchange(&bench.options(Scenario::Service))?),
            Self::Action(bench) => Ok(run_action(&bench.options(Scenario::Action))?),
            Self::Python(bench) => Ok(run_exchange(&bench.options(Scenario::Python))?),
            Self::Timer(bench) => Ok(run_timer(&bench.options())?),
            Self::Micro { parts, runs, iterations, seconds, other_agent, out } => {
                let parts = parts.iter().map(|part| micro_part(part)).collect();
                Ok(run_micro(&MicroOptions {
                    parts,
                    runs: runs as usize,
                    iterations,
                    seconds,
                    other_agent,
                    out,
                })?)
            }
            Self::Soak { rate, seconds } => Ok(run_soak(rate, seconds)?),
            Self::Topology(bench) => Ok(run_topology(&bench.options())?),
            Self::Composition(bench) => Ok(run_composition(&bench.options())?),
            Self::Nav { cases, runs, out } => {
                let prefix =
                    bundled::prefix().ok_or("the files of the package nav are missing, see above")?;
                let share = prefix.share(saltus_nav_bringup::PACKAGE);
                let (params, map) =
                    (share.join("params/experiment.yaml"), share.join("maps/turtlebot3_world.yaml"));
                let runs = usize::try_from(runs)?;
                Ok(run_nav(&NavOptions { cases, runs, params, map, out })?)
            }
            Self::Launch { nodes, runs, rmw, out } => {
                let (nodes, runs) = (nodes as usize, runs as usize);
                Ok(run_launch(&LaunchOptions { nodes, runs, rmws: rmw, out })?)
            }
            Self::Idle => Ok(run_idle()?),
            Self::Start => Ok(run_start()?),
            Self::Scale => Ok(run_scale()?),
            Self::Bridge(options) => Ok(run_hosts(&options)?),
            Self::Graph => Ok(run_graph()?),
            Self::Rosout => Ok(run_rosout()?),
            Self::Crowd => Ok(run_crowd()?),
            Self::Priority { seconds } => Ok(run_priority(seconds)?),
            Self::Tf { seconds, runs } => Ok(run_transforms(seconds, runs as usize)?),
            Self::Count => Ok(run_count()?),
        }
    }
}

const MAX_SIZE: usize = 256 << 20;

fn parse_size(text: &str) -> Result<usize, String> {
    let size = text.parse().map_err(|_| format!("expected a number of bytes, found `{text}`"))?;
    if (16..=MAX_SIZE).contains(&size) { Ok(size) } else { Err(format!("expected 16 to {MAX_SIZE}")) }
}

fn parse_pace(text: &str) -> Result<Pace, String> {
    match text.parse() {
        _ if text == "full" => Ok(Pace::FullSpeed),
        Ok(rate @ 1..=1_000_000) => Ok(Pace::Hertz(rate)),
        _ => Err(format!("expected `full` or 1 to 1000000 round trips per second, found `{text}`")),
    }
}

impl ExchangeBench {
    fn options(self, scenario: Scenario) -> Options {
        let bench = self;
        let pin = |pin: &PinArgument| match pin {
            PinArgument::Apart => Pin::Apart,
            PinArgument::Together => Pin::Together,
            PinArgument::Free => Pin::Free,
        };
        Options {
            scenario,
            pins: bench.pin.iter().map(pin).collect(),
            sizes: bench.sizes,
            iterations: bench.iterations,
            runs: bench.runs as usize,
            peers: bench.peers,
            seconds: bench.seconds,
            paces: bench.pace,
            extras: !bench.no_extras && scenario == Scenario::Topic,
            install_peers: bench.install_peers,
            json: bench.json,
            out: bench.out,
            peers_folder: bench.peers_folder,
        }
    }
}

/// Returns a part of the benchmark of microcontrollers. The parser accepts no other names.
fn micro_part(name: &str) -> MicroPart {
    match name {
        "memory" => MicroPart::Memory,
        "latency" => MicroPart::Latency,
        "throughput" => MicroPart::Throughput,
        _ => MicroPart::Scale,
    }
}
