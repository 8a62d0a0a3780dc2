//! `saltus completions`

use std::io::{self, Write};

use clap_complete::env::Shells;

use saltus_verb::{
    complete::{Shell, VARIABLE},
    error::Error,
};

/// `saltus completions …`
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  \
    bash:  source <(saltus completions bash)                in ~/.bashrc\n  \
    zsh:   source <(saltus completions zsh)                 in ~/.zshrc, after compinit\n  \
    fish:  saltus completions fish | source                 in ~/.config/fish/config.fish\n\n\
    The script calls this command for each completion. So it also completes the names of topics, nodes, services,\n\
    actions and types of the running graph.")]
pub(crate) struct Completions {
    /// The shell to print a script for
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Result<(), Error> {
        let name = self.shell.name();
        let shell = Shells::builtins();
        let shell = shell.completer(name).ok_or_else(|| format!("the shell {name} is not supported"))?;
        let mut script = Vec::new();
        shell.write_registration(VARIABLE, "saltus", "saltus", "saltus", &mut script)?;
        Ok(io::stdout().write_all(&script)?)
    }
}
