//! What is declared once more for each other hash of a type.
//!
//! The hash of a type is a part of its keys. Nodes that know no hashes, such as those of Humble and of microcontrollers, use keys without
//! one, or with zeros. So what they exchange with nodes that know the hash has more than one key.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use saltus_host::EndpointInfo;
use saltus_node::Logger;
use saltus_relay::ShowError;
use saltus_types::{TypeHash, lock};

/// The most other hashes. An endpoint that knows no hash itself could be declared for any number of invented ones.
const MAX: usize = 8;

/// Declarations of one endpoint under the keys of other hashes than its own.
pub(crate) struct ByHash<T> {
    /// The name of the endpoint's topic or service.
    name: String,
    logger: Logger,
    own: TypeHash,
    others: Mutex<Vec<(TypeHash, Arc<T>)>>,
}

impl<T> ByHash<T> {
    /// Creates the declarations of an endpoint. There are none yet.
    pub(crate) fn new(end: &EndpointInfo, logger: &Logger) -> Self {
        let (name, logger) = (end.topic.clone(), logger.clone());
        Self { name, logger, own: end.type_hash, others: Mutex::default() }
    }

    /// Declares the endpoint for each of the hashes that may be of the same type, but for at most eight, and ends all other
    /// declarations. Logs that hashes were left out.
    pub(crate) fn reach(
        &self,
        hashes: &[TypeHash],
        mut declare: impl FnMut(TypeHash) -> Result<T, ShowError>,
    ) -> Result<(), ShowError> {
        let mut others = lock(&self.others);
        others.retain(|(hash, _)| hashes.contains(hash));
        for hash in hashes {
            let is_declared = *hash == self.own || others.iter().any(|(known, _)| known == hash);
            if is_declared || !hash.may_equal(self.own) {
                continue;
            }
            if others.len() == MAX {
                let (name, period) = (&self.name, Duration::from_secs(60));
                saltus_node::warn_throttle!(
                    self.logger,
                    period,
                    "'{name}' has more than {MAX} other definitions of its type in the network; the rest is left out"
                );
                break;
            }
            others.push((*hash, Arc::new(declare(*hash)?)));
        }
        Ok(())
    }

    /// Calls a function with each declaration. It may wait for a link: others can declare meanwhile.
    pub(crate) fn for_each(&self, mut call: impl FnMut(&T)) {
        let others = lock(&self.others);
        if others.is_empty() {
            return;
        }
        let all: Vec<Arc<T>> = others.iter().map(|(_, one)| one.clone()).collect();
        drop(others);
        all.iter().for_each(|one| call(one));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_hash(own: TypeHash) -> ByHash<TypeHash> {
        ByHash { name: "/chatter".into(), logger: Logger::new("test"), own, others: Mutex::default() }
    }

    #[test]
    fn only_hashes_of_the_same_type_are_declared_and_only_while_they_are_wanted() {
        let [own, other] = [1, 2].map(|byte| TypeHash::from_digest([byte; 32]));
        let declared = |by_hash: &ByHash<TypeHash>| {
            let mut all = Vec::new();
            by_hash.for_each(|hash| all.push(*hash));
            all
        };
        let known = by_hash(own);
        known.reach(&[own, other, TypeHash::UNKNOWN], Ok).unwrap();
        assert_eq!(declared(&known), [TypeHash::UNKNOWN]);
        known.reach(&[own], Ok).unwrap();
        assert!(declared(&known).is_empty());
        let unknown = by_hash(TypeHash::UNKNOWN);
        unknown.reach(&[own, other], Ok).unwrap();
        unknown.reach(&[other, TypeHash::UNKNOWN], Ok).unwrap();
        assert_eq!(declared(&unknown), [other]);
        let many: Vec<TypeHash> = (0..100).map(|byte| TypeHash::from_digest([byte + 1; 32])).collect();
        unknown.reach(&many, Ok).unwrap();
        assert_eq!(declared(&unknown).len(), MAX);
        let failing = |_| Err(ShowError::Other("no".into()));
        assert!(known.reach(&[TypeHash::UNKNOWN], failing).is_err());
        known.reach(&[TypeHash::UNKNOWN], Ok).unwrap();
        assert_eq!(declared(&known), [TypeHash::UNKNOWN], "it is tried again");
    }
}
