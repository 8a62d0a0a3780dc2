//! `saltus completions`

use std::io;

use clap::Command;
use clap_complete::{Shell, generate};

use crate::error::Error;

/// `saltus completions …`
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  saltus completions bash > ~/.local/share/bash-completion/completions/saltus"
)]
pub(crate) struct Completions {
    /// Which shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, command: &mut Command) -> Result<(), Error> {
        let mut script = Vec::new();
        generate(self.shell, command, "saltus", &mut script);
        Ok(io::Write::write_all(&mut io::stdout(), &script)?)
    }
}
