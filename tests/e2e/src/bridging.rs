//! An actor that is a domain bridge.

use saltus_domain_bridge::{BridgeOptions, Config, DomainBridge, GraphId, Kind, Pattern, Rule};

use crate::stdio::{Error, at_end_of_stdin, ready};

/// Connects two domains. Passes all topics, services and actions on, in both directions.
pub(crate) fn run(from: &str, to: &str) -> Result<(), Error> {
    let (from, to): (GraphId, GraphId) = (from.parse()?, to.parse()?);
    let mut config = Config::default();
    for kind in [Kind::Topic, Kind::Service, Kind::Action] {
        config.add(&from, &to, true, &Rule::new(kind, Pattern::any()));
    }
    let bridge = DomainBridge::join(&config, &BridgeOptions::default())?;
    let stopper = bridge.stopper();
    at_end_of_stdin(move || stopper.stop());
    ready()?;
    Ok(bridge.run()?)
}
