//! `saltus topic list`

use std::collections::BTreeMap;

use saltus::graph::{EndpointKind, Graph};

use saltus_verb::{arguments::UnusedClock, error::Error, graph, output::print_lines};

/// `saltus topic list`
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// Also print the type of each topic
    #[arg(short = 't', long)]
    show_types: bool,
    /// Print only the number of topics
    #[arg(short, long)]
    count_topics: bool,
    /// Print published and subscribed topics in two lists, with their types and the number of publishers or
    /// subscriptions
    #[arg(short, long)]
    verbose: bool,
    /// Also print hidden topics (a part of their names begins with `_`)
    #[arg(short = 'a', long, alias = "all")]
    include_hidden_topics: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    _clock: UnusedClock,
}

impl List {
    pub(crate) fn run(self, include_hidden: bool) -> Result<(), Error> {
        let graph = graph::observe()?;
        let topics = graph::topics(&graph, self.include_hidden_topics || include_hidden);
        if self.json {
            return print_lines([serde_json::to_string_pretty(&topics)?]);
        }
        if self.count_topics {
            return print_lines([topics.len()]);
        }
        if topics.is_empty() {
            graph::hint_at_other_graphs();
        }
        if self.verbose {
            return print_lines(verbose_lines(&graph, &topics));
        }
        if self.show_types {
            return print_lines(
                topics.iter().map(|(topic, types)| format!("{topic} [{}]", types.join(", "))),
            );
        }
        print_lines(topics.keys())
    }
}

/// Returns the lines about topics that have publishers, then about topics that have subscriptions.
fn verbose_lines(graph: &Graph, topics: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let roles = [
        ("Published", EndpointKind::Publisher, "publisher"),
        ("Subscribed", EndpointKind::Subscription, "subscriber"),
    ];
    let mut lines = Vec::new();
    if topics.is_empty() {
        return lines;
    }
    for (head, kind, word) in roles {
        lines.push(format!("{head} topics:"));
        for (topic, types) in topics {
            let count = graph::endpoints(graph, topic, kind).len();
            let plural = if count == 1 { "" } else { "s" };
            if count > 0 {
                lines.push(format!(" * {topic} [{}] {count} {word}{plural}", types.join(", ")));
            }
        }
        lines.push(String::new());
    }
    lines
}
