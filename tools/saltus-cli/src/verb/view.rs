//! `saltus view`

use std::net::IpAddr;

use saltus::{Context, Executor, SingleThreadedExecutor};
use saltus_view::{Options, Server};

use saltus_verb::{error::Error, ros_args};

/// `saltus view …`
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  saltus view\n  saltus view --control --port 8080\n  saltus view --bind 0.0.0.0\n\n\
    Without --control, the page only shows. If the server is not only for this machine, the address of the page has a token."
)]
pub(crate) struct View {
    /// Let the page send goals, initial poses and velocities
    #[arg(long)]
    control: bool,
    /// The address on which the server listens; 0.0.0.0 is each address of this machine
    #[arg(long, default_value = "127.0.0.1")]
    bind: IpAddr,
    /// The port of the server; 0 is any free one [default: 8765, or any free one if that is in use]
    #[arg(long)]
    port: Option<u16>,
    /// The arguments for the node, from --ros-args on
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ROS_ARGS")]
    ros_args: Vec<String>,
}

impl View {
    pub(crate) fn run(self) -> Result<(), Error> {
        ros_args::check(&self.ros_args)?;
        let context = Context::from_args()?;
        let node = context.node("view").create()?;
        let options = Options { address: self.bind, port: self.port, with_control: self.control };
        let server = Server::start(&node, &options)?;
        saltus_verb::output::tell!("Open {} in a browser. Ctrl-C ends.", server.url());
        Ok(SingleThreadedExecutor::new(&context)?.spin_node(&node)?)
    }
}
