//! `saltus demo`

mod common;
mod nav;

use std::{
    io::{self, IsTerminal},
    net::Ipv4Addr,
    thread,
};

use clap::Subcommand;
use saltus::{Context, Executor, SingleThreadedExecutor};
use saltus_sim_node::{Factor, Options, load_world, run};
use saltus_view::Server;

use self::{
    common::{ShutDownOnDrop, factor},
    nav::Nav,
};
use super::teleop::{self, Speeds};
use saltus_verb::error::Error;

/// `saltus demo …`
#[derive(Debug, Subcommand)]
pub(crate) enum Demo {
    /// A robot in a simulated arena, which you drive with the keyboard and see in a browser
    #[command(
        after_help = "Example:\n  saltus demo drive\n\nThe arrow keys drive, in this terminal and in the page."
    )]
    Drive {
        /// The port of the page; 0 is any free one [default: 8765, or any free one if that is in use]
        #[arg(long)]
        port: Option<u16>,
        /// So many times as fast as real time
        #[arg(long, default_value_t = 1.0, value_parser = factor)]
        factor: f64,
    },
    /// A robot in a simulated arena that navigates to where you click in a browser
    #[command(
        after_help = "Examples:\n  saltus demo nav\n  saltus demo nav --headless --factor 3\n\nThe nodes are those of `saltus \
        launch nav bringup.launch.yaml`."
    )]
    Nav(Nav),
}

impl Demo {
    pub(crate) fn run(self) -> Result<(), Error> {
        match self {
            Self::Drive { port, factor } => drive(port, factor),
            Self::Nav(nav) => nav::run_demo(&nav),
        }
    }
}

/// Runs the simulator, the page and the keyboard in one process.
fn drive(port: Option<u16>, factor: f64) -> Result<(), Error> {
    let context = Context::new()?;
    let world = load_world("turtlebot3_world")?;
    let view = context.node("view").create()?;
    let options = saltus_view::Options { address: Ipv4Addr::LOCALHOST.into(), port, with_control: true };
    let server = Server::start(&view, &options)?;
    let mut executor = SingleThreadedExecutor::new(&context)?;
    executor.add_node(&view);
    let velocities = view.publisher("cmd_vel").create()?;
    saltus_verb::output::tell!(
        "Open {} in a browser: the arrow keys drive there, too. Ctrl-C ends.",
        server.url()
    );
    let simulated = Options { factor: Factor::Times(factor), ..Options::default() };
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
        let driven = match io::stdin().is_terminal() {
            true => teleop::drive(&context, &velocities, Speeds { forward: 0.2, turn: 0.8 }),
            false => Ok(()),
        };
        if io::stdin().is_terminal() {
            context.shut_down();
        }
        let driven = driven.map_err(|error| error.to_string());
        let join = |result: thread::Result<Result<(), String>>| {
            result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        let results = [driven, join(simulating.join()), join(spinning.join())];
        results.into_iter().find_map(Result::err).map_or(Ok(()), |error| Err(error.into()))
    })
}
