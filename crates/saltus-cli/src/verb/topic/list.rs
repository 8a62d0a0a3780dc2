//! `saltus topic list`

use std::io::{self, Write};

use crate::{Error, graph};

/// `saltus topic list`
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// Print the type of each topic too
    #[arg(short = 't', long)]
    show_types: bool,
    /// Print only how many there are
    #[arg(short, long)]
    count_topics: bool,
    /// Include hidden topics, those with a part that begins with `_`
    #[arg(long)]
    include_hidden_topics: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

impl List {
    pub(crate) fn run(self) -> Result<(), Error> {
        let topics = graph::topics(&graph::observe()?, self.include_hidden_topics);
        let mut out = io::stdout().lock();
        if self.json {
            return Ok(writeln!(out, "{}", serde_json::to_string_pretty(&topics)?)?);
        }
        if self.count_topics {
            return Ok(writeln!(out, "{}", topics.len())?);
        }
        for (topic, types) in &topics {
            if self.show_types {
                writeln!(out, "{topic} [{}]", types.join(", "))?;
            } else {
                writeln!(out, "{topic}")?;
            }
        }
        Ok(())
    }
}
