//! `saltus tf`

mod echo;
mod listening;
mod monitor;
mod statics;
mod tree;

use std::time::Duration;

use clap::Subcommand;
use saltus_verb::{error::Error, reading::seconds};

pub(crate) use statics::with_names;

/// `saltus tf …`
#[derive(Debug, Subcommand)]
pub(crate) enum Tf {
    /// Print the position and orientation of a frame in another one, as ROS 2's `tf2_echo` does
    #[command(after_help = "Example:\n  saltus tf echo map base_link 10")]
    Echo {
        /// The frame in which the position is given
        source_frame: String,
        /// The frame whose position is given
        target_frame: String,
        /// The rate at which it is printed, in Hz
        #[arg(default_value_t = 1.0, value_parser = rate)]
        echo_rate: f64,
        /// Print it once
        #[arg(long)]
        once: bool,
    },
    /// Print the delays of all frames, or of those between two frames, and the rates of their publishers
    #[command(after_help = "Examples:\n  saltus tf monitor\n  saltus tf monitor map base_link --once")]
    Monitor {
        /// Two frames; without them, all frames
        #[arg(num_args = 2, value_names = ["SOURCE_FRAME", "TARGET_FRAME"])]
        frames: Vec<String>,
        /// The time for which data is gathered before results are printed, in seconds
        #[arg(long, default_value = "10", value_parser = seconds)]
        period: Duration,
        /// Print results once
        #[arg(long)]
        once: bool,
    },
    /// Print the tree of frames: the rate, the age and the publisher of each transform
    #[command(after_help = "Examples:\n  saltus tf tree\n  saltus tf tree --output frames.svg")]
    Tree {
        /// The time for which data is gathered, in seconds
        #[arg(long, default_value = "5", value_parser = seconds)]
        period: Duration,
        /// Draw the tree into this file, in SVG
        #[arg(short, long, value_name = "FILE")]
        output: Option<std::path::PathBuf>,
    },
    /// Publish a transform that never changes, as ROS 2's `static_transform_publisher` does, until Ctrl-C
    #[command(
        after_help = "Examples:\n  saltus tf static --x 0.1 --yaw 1.57 --frame-id base_link --child-frame-id laser\n  saltus tf static 0.1 0 0 1.57 0 0 base_link laser   (x y z yaw pitch roll, or a quaternion: deprecated)"
    )]
    Static(statics::Static),
}

impl Tf {
    pub(crate) fn run(self) -> Result<(), Error> {
        match self {
            Self::Echo { source_frame, target_frame, echo_rate, once } => {
                echo::run((&source_frame, &target_frame), echo_rate, once)
            }
            Self::Monitor { frames, period, once } => monitor::run(&frames, period, once),
            Self::Tree { period, output } => tree::run(period, output.as_deref()),
            Self::Static(statics) => statics.run(),
        }
    }
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok();
    let rate = rate.filter(|rate: &f64| *rate > 0.0 && Duration::try_from_secs_f64(1.0 / rate).is_ok());
    rate.ok_or_else(|| format!("expected a number of times per second, found `{text}`"))
}
