//! Arguments that many verbs have.

/// `-s`, which ROS 2's verbs have everywhere. It has no effect where the clock of the verb's node is not used.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct UnusedClock {
    #[arg(short = 's', long, hide = true)]
    use_sim_time: bool,
}

/// `-s`, where it has an effect.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct ClockArguments {
    /// Use the simulated time of /clock
    #[arg(short = 's', long)]
    pub(crate) use_sim_time: bool,
}

/// The values of a message: on the command line, or from the standard input.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Values {
    /// The fields, as YAML; fields that are left out have their defaults
    #[arg(default_value = "{}", allow_hyphen_values = true)]
    values: String,
    /// Read the fields from the standard input
    #[arg(long, conflicts_with = "values")]
    stdin: bool,
}

impl Values {
    /// Returns the text of the values.
    pub(crate) fn text(&self) -> std::io::Result<String> {
        if self.stdin { std::io::read_to_string(std::io::stdin()) } else { Ok(self.values.clone()) }
    }
}
