//! `saltus sim`

use std::{str::FromStr, time::Duration};

use rustix::time::{ClockId, clock_gettime};
use saltus::Context;
use saltus_sim::{Pose, RobotSpec, World};
use saltus_sim_node::{BUILT_IN, Factor, Options, Summary, load_model, load_world, run};

use saltus_verb::{error::Error, output::print_text, reading::seconds, ros_args};

/// `saltus sim …`
#[derive(Debug, clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "Examples:\n  saltus sim turtlebot3_world\n  saltus sim hall.sdf --robot waffle --pose 1,2,0.5\n  \
    saltus sim room.yaml --robot waffle --factor 10\n  saltus sim turtlebot3_world --factor max --duration 60 --digest\n\n\
    Built-in worlds are turtlebot3_world and twenty_robots, and the built-in robot is waffle."
)]
pub(crate) struct Sim {
    /// A file in YAML or SDF, the YAML file of a map, or a built-in world
    #[arg(add = built_in())]
    world: String,
    /// So many times as fast as real time, or max: as fast as possible
    #[arg(long, value_parser = factor, default_value = "1")]
    factor: FactorArgument,
    /// Wait for a request before the start (services set_simulation_state and step_simulation)
    #[arg(long)]
    paused: bool,
    /// The number of threads that cast the rays of a lidar; each one casts 1000 or more
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// The number from which the noise of all sensors comes [default: that of the world]
    #[arg(long)]
    seed: Option<u64>,
    /// End after so many seconds of simulated time
    #[arg(long, value_parser = seconds)]
    duration: Option<Duration>,
    /// Print the SHA-256 of all messages at the end
    #[arg(long)]
    digest: bool,
    /// Do not publish the descriptions of robots and the frames of their sensors, as robot_state_publisher does
    #[arg(long)]
    no_description: bool,
    /// Add a robot to those of the world: a file in YAML, or waffle
    #[arg(long, value_name = "MODEL")]
    robot: Option<String>,
    /// Where the robot is at the start: x and y in metres, and the heading in radians
    #[arg(long, value_name = "X,Y,YAW", requires = "robot", value_parser = pose, default_value = "0,0,0")]
    pose: PoseArgument,
    /// The arguments for the node, from --ros-args on
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ROS_ARGS")]
    ros_args: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
struct FactorArgument(Factor);

#[derive(Clone, Copy, Debug)]
struct PoseArgument(Pose);

fn built_in() -> clap_complete::ArgValueCandidates {
    clap_complete::ArgValueCandidates::new(|| {
        BUILT_IN.map(|(name, _)| clap_complete::CompletionCandidate::new(name)).into()
    })
}

fn factor(text: &str) -> Result<FactorArgument, String> {
    if text == "max" {
        return Ok(FactorArgument(Factor::Max));
    }
    let factor = f64::from_str(text).ok().filter(|factor| (1e-3..=1e6).contains(factor));
    let factor = factor.ok_or("expected a number from 0.001 to 1000000, or max")?;
    Ok(FactorArgument(Factor::Times(factor)))
}

fn pose(text: &str) -> Result<PoseArgument, String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some([x, y, yaw]) if [x, y, yaw].iter().all(|number| number.is_finite()) => {
            Ok(PoseArgument(Pose::new(*x, *y, *yaw)))
        }
        _ => Err("expected three numbers, such as 1.0,-2.5,0".into()),
    }
}

impl Sim {
    pub(crate) fn run(self) -> Result<(), Error> {
        ros_args::check(&self.ros_args)?;
        let mut world = load_world(&self.world)?;
        if let Some(seed) = self.seed {
            world.seed = seed;
        }
        if let Some(name) = &self.robot {
            add(&mut world, name, self.pose.0)?;
        }
        let options = Options {
            factor: self.factor.0,
            is_paused: self.paused,
            threads: self.threads.into(),
            duration: self.duration,
            with_digest: self.digest,
            with_descriptions: !self.no_description,
        };
        let context = Context::from_args()?;
        let robots: Vec<String> = world.robots.iter().map(with_namespace).collect();
        saltus_verb::output::tell!(
            "Simulating {} with {} obstacles and the robots: {}",
            world.name,
            world.obstacles.len() + world.moving.len(),
            if robots.is_empty() { "none".into() } else { robots.join(", ") }
        );
        let before = cpu_time();
        let summary = run(&context, &world, &options)?;
        print_text(&text(&summary, cpu_time().saturating_sub(before)))
    }
}

fn with_namespace(robot: &RobotSpec) -> String {
    match robot.namespace.trim_matches('/') {
        "" => robot.name.clone(),
        namespace => format!("{} in /{namespace}", robot.name),
    }
}

/// Adds a robot to a world. Its name is that of its model, or has a number behind it.
fn add(world: &mut World, model: &str, pose: Pose) -> Result<(), Error> {
    let stem = std::path::Path::new(model).file_stem().map_or(model.into(), |stem| stem.to_string_lossy());
    // It may become a namespace.
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let base = format!("robot_{}", stem.chars().map(letter).collect::<String>());
    let base = base
        .strip_prefix("robot_")
        .filter(|name| !name.starts_with(|c: char| c.is_ascii_digit()))
        .unwrap_or(&base);
    let is_free = |name: &String| {
        !world.robots.iter().any(|robot| robot.name == *name)
            && !world.moving.iter().any(|moving| moving.name == *name)
    };
    let numbered = (2..).map(|number| format!("{base}_{number}"));
    let name = std::iter::once(base.to_owned()).chain(numbered).find(is_free).unwrap_or_default();
    let namespace = if world.robots.is_empty() { String::new() } else { name.clone() };
    world.robots.push(RobotSpec { name, namespace, model: load_model(model)?, pose, commands: Vec::new() });
    Ok(())
}

/// Returns the CPU time of this process.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.try_into().unwrap_or(0))
}

fn text(summary: &Summary, cpu: Duration) -> String {
    let (simulated, took) = (summary.simulated.as_secs_f64(), summary.took.as_secs_f64());
    let digest = summary.digest.as_ref().map(|digest| format!("SHA-256 of all messages: {digest}\n"));
    format!(
        "Simulated {simulated:.3} s in {took:.3} s: real-time factor {:.1}, {:.1} % of a CPU\n{}",
        simulated / took,
        cpu.as_secs_f64() / took * 100.0,
        digest.unwrap_or_default()
    )
}
