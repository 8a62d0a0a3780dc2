//! `saltus demo nav`

use std::{
    net::Ipv4Addr,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use saltus::{Context, Executor, SingleThreadedExecutor};
use saltus_commander::{CommandError, Commander, Outcome};
use saltus_motion::Pose;
use saltus_sim_node::{Factor, Options, load_world, run};
use saltus_view::Server;

use super::common::{ShutDownOnDrop, factor};
use saltus_verb::{error::Error, output::tell, programs::Program};

/// `saltus demo nav …`
#[derive(Debug, clap::Args)]
pub(crate) struct Nav {
    /// Without a page: the robot drives to three goals
    #[arg(long)]
    headless: bool,
    /// The port of the page; 0 is any free one [default: 8765, or any free one if that is in use]
    #[arg(long)]
    port: Option<u16>,
    /// So many times as fast as real time
    #[arg(long, default_value_t = 1.0, value_parser = factor)]
    factor: f64,
    /// Each node in a process of its own, and not all in a container
    #[arg(long)]
    processes: bool,
    /// Print what the nodes log
    #[arg(long)]
    verbose: bool,
}

/// Where the robot starts.
const START: Pose = Pose::new(-2.0, -0.5, 0.0);
/// Where the robot drives to without a page.
const GOALS: [Pose; 3] = [Pose::new(1.4, -1.6, 0.0), Pose::new(0.5, 0.55, 1.57), Pose::new(-2.0, -0.5, 0.0)];
/// The longest times that the stack may need to be ready, and the robot to reach a goal.
const READY: Duration = Duration::from_secs(60);
const GOAL: Duration = Duration::from_secs(180);
/// The rate at which `/clock` is published, in Hz, so that timers are on time.
const CLOCK: f64 = 100.0;
/// The longest time that the stack may need to end before it is killed.
const END: Duration = Duration::from_secs(10);

/// The stack of navigation in processes of its own. They end with it.
struct Stack(Child);

impl Stack {
    fn start(nav: &Nav) -> Result<Self, Error> {
        let mut command = Program::Saltus.command()?;
        command.args(["launch", saltus_nav_bringup::PACKAGE, "bringup.launch.yaml", "use_sim_time:=true"]);
        command.arg(format!("use_composition:={}", !nav.processes)).stdin(Stdio::null());
        if !nav.verbose {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        Ok(Self(command.spawn()?))
    }

    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(pid) = i32::try_from(self.0.id()).ok().and_then(rustix::process::Pid::from_raw) {
            // It may have ended.
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        self.signal(rustix::process::Signal::INT);
        let end = Instant::now() + END;
        while matches!(self.0.try_wait(), Ok(None)) && Instant::now() < end {
            thread::park_timeout(Duration::from_millis(10));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the simulator, the stack, and the page or a commander.
pub(super) fn run_demo(nav: &Nav) -> Result<(), Error> {
    let context = Context::new()?;
    let mut world = load_world("turtlebot3_world")?;
    world.clock_rate = CLOCK;
    let node = context.node("demo").create()?;
    node.use_sim_time(true)?;
    let mut executor = SingleThreadedExecutor::new(&context)?;
    executor.add_node(&node);
    let view = context.node("view").create()?;
    let options =
        saltus_view::Options { address: Ipv4Addr::LOCALHOST.into(), port: nav.port, with_control: true };
    let server = if nav.headless { None } else { Some(Server::start(&view, &options)?) };
    executor.add_node(&view);
    let commander = Commander::new(&node)?;
    let simulated = Options { factor: Factor::Times(nav.factor), ..Options::default() };
    thread::scope(|scope| {
        let _ended = ShutDownOnDrop(&context);
        let simulating = scope.spawn(|| {
            let _ended = ShutDownOnDrop(&context);
            run(&context, &world, &simulated).map(drop).map_err(|error| error.to_string())
        });
        let spinning = scope.spawn(|| {
            let _ended = ShutDownOnDrop(&context);
            executor.spin().map_err(|error| error.to_string())
        });
        let navigated =
            navigate(&context, &commander, nav, server.as_ref()).map_err(|error| error.to_string());
        context.shut_down();
        let join = |result: thread::Result<Result<(), String>>| {
            result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        let results = [navigated, join(simulating.join()), join(spinning.join())];
        results.into_iter().find_map(Result::err).map_or(Ok(()), |error| Err(error.into()))
    })
}

/// Starts the stack, and sends the robot to its goals or lets a person do it. Ctrl-C is no error.
fn navigate(
    context: &Context,
    commander: &Commander,
    nav: &Nav,
    server: Option<&Server>,
) -> Result<(), Error> {
    let _stack = Stack::start(nav)?;
    let ended = |error: CommandError| match error {
        CommandError::Interrupted => Ok(()),
        error => Err(Error::from(error)),
    };
    tell!("Starting the simulator and the nodes of navigation...");
    if let Err(error) = commander.wait_until_found(&START, READY) {
        return ended(error);
    }
    match server {
        Some(server) => {
            tell!(
                "Open {} in a browser. Choose `goal`, press where the robot is to go, and drag to where it is to look. \
                 Ctrl-C ends.",
                server.url()
            );
            while !context.is_shut_down() {
                context.wait_until(Duration::from_secs(1), || false);
            }
            Ok(())
        }
        None => drive(commander).or_else(ended),
    }
}

/// Sends the robot to all goals.
fn drive(commander: &Commander) -> Result<(), CommandError> {
    for (index, goal) in GOALS.iter().enumerate() {
        tell!("Goal {} of {}: x = {:.2} m, y = {:.2} m", index + 1, GOALS.len(), goal.x, goal.y);
        let begin = Instant::now();
        let mut task = commander.go_to(goal)?;
        match task.wait(GOAL)? {
            Outcome::Succeeded => tell!("reached after {:.1} s", begin.elapsed().as_secs_f64()),
            outcome => {
                let code = task.result().map_or(0, |result| result.error_code);
                let what = format!("goal {} ({outcome:?}, error code {code})", index + 1);
                return Err(CommandError::Timeout { what, seconds: begin.elapsed().as_secs_f64() });
            }
        }
    }
    Ok(())
}
