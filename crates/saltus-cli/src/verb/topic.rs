//! `saltus topic`

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use clap::Subcommand;
use saltus::{ContextOptions, Graph};

type Error = Box<dyn std::error::Error>;

/// `saltus topic …`
#[derive(Debug, Subcommand)]
pub(crate) enum Topic {
    /// Print the names of all topics
    #[command(after_help = "Example:\n  saltus topic list -t")]
    List {
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
    },
}

impl Topic {
    pub(crate) fn run(self) -> Result<(), Error> {
        let Self::List { show_types, count_topics, include_hidden_topics, json } = self;
        let domain = ContextOptions::default().domain_id()?;
        let folder = domain.folder.display().to_string();
        let unusable =
            |e| format!("can't look into {folder}: {e}; SALTUS_SHM_DIR must name the nodes' folder");
        let graph = Graph::observe(domain).map_err(unusable)?;
        let topics = topics(&graph, include_hidden_topics);
        let mut out = io::stdout().lock();
        if json {
            return Ok(writeln!(out, "{}", serde_json::to_string_pretty(&topics)?)?);
        }
        if count_topics {
            return Ok(writeln!(out, "{}", topics.len())?);
        }
        for (topic, types) in &topics {
            if show_types {
                writeln!(out, "{topic} [{}]", types.join(", "))?;
            } else {
                writeln!(out, "{topic}")?;
            }
        }
        Ok(())
    }
}

/// Every topic with its types, both sorted.
fn topics(graph: &Graph, hidden: bool) -> BTreeMap<String, Vec<String>> {
    let mut topics = BTreeMap::<String, Vec<String>>::new();
    for endpoint in &graph.endpoints {
        if hidden || !endpoint.topic.contains("/_") {
            topics.entry(endpoint.topic.clone()).or_default().push(endpoint.type_name.clone());
        }
    }
    for types in topics.values_mut() {
        types.sort();
        types.dedup();
    }
    topics
}
