//! `saltus domain-bridge`

use std::{
    io::{self, Write},
    path::PathBuf,
};

use clap::ValueEnum;
use saltus::executor::WaitStrategy;
use saltus_domain_bridge::{BridgeOptions, Config, DomainBridge as Bridge, GraphId, Kind, Pattern, Rule};

use saltus_verb::error::Error;

/// `saltus domain-bridge`
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    saltus domain-bridge --from 0 --to 3 --topic chatter --topic 'camera/*'\n  \
    saltus domain-bridge --from 0 --to 3@robots --all --bidirectional\n  \
    saltus domain-bridge --from 0 --to 3 --service add_two_ints --remap add_two_ints:=robot1/add\n  \
    saltus domain-bridge bridge.yaml\n\n\
    --service and --action forward calls: a client in the domain --to can call the server in the domain --from.\n\
    Nodes of one domain are shown in the other domain with their origin. A message or call passes through at most one\n\
    bridge, so each pair of domains needs its own bridge.")]
pub(crate) struct DomainBridge {
    /// A file with the rules for forwarding, in the YAML form of ROS 2's domain_bridge
    config: Option<PathBuf>,
    /// The domain whose topics, services and actions are forwarded: a number, or NUMBER@GROUP for the graph of a group
    /// of users
    #[arg(long, value_name = "DOMAIN")]
    from: Option<GraphId>,
    /// The domain that they are forwarded to: a number, or NUMBER@GROUP
    #[arg(long, value_name = "DOMAIN")]
    to: Option<GraphId>,
    /// Forward topics with this name; one `*` in it stands for any text
    #[arg(long = "topic", value_name = "NAME")]
    topics: Vec<String>,
    /// Forward services with this name; one `*` in it stands for any text
    #[arg(long = "service", value_name = "NAME")]
    services: Vec<String>,
    /// Forward actions with this name; one `*` in it stands for any text
    #[arg(long = "action", value_name = "NAME")]
    actions: Vec<String>,
    /// Forward all topics, services and actions
    #[arg(long)]
    all: bool,
    /// Forward the topic, service or action FROM under the name TO
    #[arg(long = "remap", value_name = "FROM:=TO")]
    remaps: Vec<String>,
    /// Forward in both directions
    #[arg(long)]
    bidirectional: bool,
    /// The strategy with which the bridge waits for messages
    #[arg(long, default_value = "adaptive")]
    wait: Wait,
}

/// The strategy with which the bridge waits for messages.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Wait {
    /// Park immediately
    Block,
    /// Poll for a short time if a message is expected soon, then park
    Adaptive,
    /// Poll, and never park
    Spin,
}

impl From<Wait> for WaitStrategy {
    fn from(wait: Wait) -> Self {
        match wait {
            Wait::Block => Self::Block,
            Wait::Adaptive => Self::Adaptive,
            Wait::Spin => Self::Spin,
        }
    }
}

impl DomainBridge {
    pub(crate) fn run(self) -> Result<(), Error> {
        let mut config = match &self.config {
            Some(path) => Config::read(path, self.from.as_ref(), self.to.as_ref())?,
            None => Config::default(),
        };
        self.add_flags(&mut config)?;
        let bridge =
            Bridge::join(&config, &BridgeOptions { wait: self.wait.into(), ..BridgeOptions::default() })?;
        for link in config.links() {
            writeln!(io::stdout(), "{} -> {}", link.from, link.to)?;
        }
        Ok(bridge.run()?)
    }

    /// Adds the rules of the flags to the configuration.
    fn add_flags(&self, config: &mut Config) -> Result<(), Error> {
        let mut named: Vec<(Kind, &str)> = Vec::new();
        for (kind, names) in
            [(Kind::Topic, &self.topics), (Kind::Service, &self.services), (Kind::Action, &self.actions)]
        {
            named.extend(names.iter().map(|name| (kind, &**name)));
            named.extend(self.all.then_some((kind, "*")));
        }
        if named.is_empty() {
            let without = [("--remap", !self.remaps.is_empty()), ("--bidirectional", self.bidirectional)];
            return match without.iter().find(|(_, is_given)| *is_given) {
                Some((flag, _)) => {
                    Err(format!("{flag} also needs --topic, --service, --action or --all").into())
                }
                None => Ok(()),
            };
        }
        let (Some(from), Some(to)) = (&self.from, &self.to) else {
            return Err("expected --from and --to, the two domains to connect".into());
        };
        if from == to {
            return Err(format!("{from} can't be connected with itself").into());
        }
        let remaps = self.remaps.iter().map(|remap| {
            let sides = remap.split_once(":=");
            sides.ok_or_else(|| format!("expected FROM:=TO after --remap, found `{remap}`"))
        });
        let remaps: Vec<(&str, &str)> = remaps.collect::<Result<_, _>>()?;
        let patterns = named.iter().map(|(_, name)| Pattern::parse(name)).collect::<Result<Vec<_>, _>>()?;
        for (from_name, _) in &remaps {
            let from_name = Pattern::parse(from_name)?.to_string();
            if !patterns.iter().any(|pattern| pattern.text_in(&from_name).is_some()) {
                return Err(format!("--remap {from_name}: nothing that is forwarded has that name").into());
            }
        }
        for (kind, name) in named {
            // Rules for remapped names are added first, so that a wider pattern does not match these names.
            let covered = Pattern::parse(name)?;
            for (from_name, to_name) in &remaps {
                let from_name = Pattern::parse(from_name)?;
                if covered.text_in(&from_name.to_string()).is_some() {
                    let rule = Rule::new(kind, from_name).remap(Pattern::parse(to_name)?)?;
                    config.add(from, to, self.bidirectional, &rule);
                }
            }
            config.add(from, to, self.bidirectional, &Rule::new(kind, covered));
        }
        Ok(())
    }
}
