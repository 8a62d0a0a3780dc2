//! `saltus topic list`

use std::io::{self, Write};

use saltus::EndpointKind;

use crate::{error::Error, graph};

/// `saltus topic list`
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// Print the type of each topic too
    #[arg(short = 't', long)]
    show_types: bool,
    /// Print only how many there are
    #[arg(short, long)]
    count_topics: bool,
    /// Print who publishes and who subscribes, with types and numbers
    #[arg(short, long)]
    verbose: bool,
    /// Include hidden topics, those with a part that begins with `_`
    #[arg(short = 'a', long, alias = "all")]
    include_hidden_topics: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

impl List {
    pub(crate) fn run(self) -> Result<(), Error> {
        let graph = graph::observe()?;
        let topics = graph::topics(&graph, self.include_hidden_topics);
        let mut out = io::stdout().lock();
        if self.json {
            return Ok(writeln!(out, "{}", serde_json::to_string_pretty(&topics)?)?);
        }
        if self.count_topics {
            return Ok(writeln!(out, "{}", topics.len())?);
        }
        if self.verbose {
            let roles = [
                ("Published", EndpointKind::Publisher, "publisher"),
                ("Subscribed", EndpointKind::Subscription, "subscriber"),
            ];
            for (head, kind, word) in roles {
                writeln!(out, "{head} topics:")?;
                for (topic, types) in &topics {
                    let count = graph::endpoints(&graph, topic, kind).len();
                    let plural = if count == 1 { "" } else { "s" };
                    if count > 0 {
                        writeln!(out, " * {topic} [{}] {count} {word}{plural}", types.join(", "))?;
                    }
                }
                writeln!(out)?;
            }
            return Ok(());
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
