//! Arguments that many verbs have.

/// `-s`, which many of ROS 2's verbs accept. It has no effect in verbs that do not use the clock of their node.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct UnusedClock {
    #[arg(short = 's', long, hide = true)]
    use_sim_time: bool,
}

/// `-s` in verbs in which it has an effect.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct ClockArguments {
    /// Use the simulated time of /clock instead of system time
    #[arg(short = 's', long)]
    pub use_sim_time: bool,
}

/// The values of the fields of a message, from the command line or from the standard input.
#[derive(Clone, Debug, clap::Args)]
pub struct Values {
    /// The values of the fields, as YAML; fields that are not given have their defaults
    #[arg(default_value = "{}", allow_hyphen_values = true)]
    values: String,
    /// Read the values of the fields from the standard input
    #[arg(long, conflicts_with = "values")]
    stdin: bool,
}

impl Values {
    /// Returns the text of the values.
    pub fn text(&self) -> std::io::Result<String> {
        if self.stdin { std::io::read_to_string(std::io::stdin()) } else { Ok(self.values.clone()) }
    }
}
