//! `saltus domain-bridge`

use std::{
    io::{self, Write},
    path::PathBuf,
};

use clap::ValueEnum;
use saltus::executor::WaitStrategy;
use saltus_domain_bridge::{BridgeOptions, Config, DomainBridge as Bridge, Kind, Pattern, Place, Rule};

use crate::error::Error;

/// `saltus domain-bridge`
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    saltus domain-bridge --from 0 --to 3 --topic chatter --topic 'camera/*'\n  \
    saltus domain-bridge --from 0 --to 3@robots --all --bidirectional\n  \
    saltus domain-bridge --from 0 --to 3 --service add_two_ints --remap add_two_ints:=robot1/add\n  \
    saltus domain-bridge bridge.yaml\n\n\
    The server of a named service or action can be called from the other domain. What is passed on appears there\n\
    with its origin, and other bridges do not pass it on again: each pair of domains needs its own bridge.")]
pub(crate) struct DomainBridge {
    /// A file that says what to pass on, in the YAML form of ROS 2's domain_bridge
    config: Option<PathBuf>,
    /// The domain whose topics, services and actions are passed on: a number, or NUMBER@GROUP for the graph of a
    /// group of users
    #[arg(long, value_name = "DOMAIN")]
    from: Option<Place>,
    /// The domain to which they are passed on
    #[arg(long, value_name = "DOMAIN")]
    to: Option<Place>,
    /// Pass on topics with this name, in which one `*` stands for any text
    #[arg(long = "topic", value_name = "NAME")]
    topics: Vec<String>,
    /// Pass on services with this name
    #[arg(long = "service", value_name = "NAME")]
    services: Vec<String>,
    /// Pass on actions with this name
    #[arg(long = "action", value_name = "NAME")]
    actions: Vec<String>,
    /// Pass on everything
    #[arg(long)]
    all: bool,
    /// Pass on what is named FROM under the name TO
    #[arg(long = "remap", value_name = "FROM:=TO")]
    remaps: Vec<String>,
    /// Pass on in both directions
    #[arg(long)]
    bidirectional: bool,
    /// How the bridge waits for messages
    #[arg(long, default_value = "adaptive")]
    wait: Wait,
}

/// The values of `--wait`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Wait {
    /// Sleep at once
    Block,
    /// Poll for a while first, where that is likely to help
    Adaptive,
    /// Never sleep
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

    /// Adds the rules that the flags ask for.
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
            return Err("expected --from and --to, the domains that are to be joined".into());
        };
        if from == to {
            return Err(format!("{from} can't be joined with itself").into());
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
                return Err(format!("--remap {from_name}: nothing that is passed on has that name").into());
            }
        }
        for (kind, name) in named {
            // Names that are remapped come first, so that a wider pattern does not match them.
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
