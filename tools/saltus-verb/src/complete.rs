//! The words that a shell completes from the graph: the names of topics, nodes, services, actions and types.

use std::collections::BTreeSet;

use clap::builder::PossibleValue;
use clap_complete::{ArgValueCandidates, CompletionCandidate};

use crate::{
    actions::Actions,
    catalog::is_public,
    graph::{self, full_name, services},
};

/// The environment variable with which the script of a shell requests completions.
pub const VARIABLE: &str = "SALTUS_COMPLETE";

/// Returns the names of the topics. If the graph can't be read, there are none.
pub fn topics() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        candidates(graph::observe().map(|graph| graph::topics(&graph, false).into_keys()))
    })
}

/// Returns the names of the nodes.
pub fn nodes() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let nodes = graph::observe().map(|graph| graph.nodes.iter().map(full_name).collect::<BTreeSet<_>>());
        candidates(nodes)
    })
}

/// Returns the names of the services.
pub fn service_names() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(graph::observe().map(|graph| services(&graph, false).into_keys())))
}

/// Returns the names of the actions.
pub fn action_names() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(graph::observe().map(|graph| Actions::of(graph).names())))
}

/// Returns the message types that are known here.
pub fn message_types() -> ArgValueCandidates {
    ArgValueCandidates::new(|| types(&["msg"]))
}

/// Returns the service types that are known here.
pub fn service_types() -> ArgValueCandidates {
    ArgValueCandidates::new(|| types(&["srv"]))
}

/// Returns the action types that are known here.
pub fn action_types() -> ArgValueCandidates {
    ArgValueCandidates::new(|| types(&["action"]))
}

/// Returns all types that are known here.
pub fn all_types() -> ArgValueCandidates {
    ArgValueCandidates::new(|| types(&["msg", "srv", "action"]))
}

/// Returns the packages that contain types.
pub fn packages() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let (catalog, _) = saltus_catalog::Catalog::from_environment();
        let public = catalog.list().into_iter().filter(is_public);
        let packages: BTreeSet<String> = public.map(|listed| listed.package).collect();
        packages.into_iter().map(CompletionCandidate::new).collect()
    })
}

/// Returns the names of the installed packages.
pub fn installed() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let path = saltus_package::PackagePath::from_environment();
        let bundled = crate::bundled::PROGRAMS.iter().map(|bundled| bundled.package.to_owned());
        let names: std::collections::BTreeSet<String> = path.packages().into_keys().chain(bundled).collect();
        names.into_iter().map(CompletionCandidate::new).collect()
    })
}

fn types(kinds: &[&str]) -> Vec<CompletionCandidate> {
    let (catalog, _) = saltus_catalog::Catalog::from_environment();
    let public = catalog.list().into_iter().filter(is_public);
    let of_kind = public.filter(|listed| kinds.contains(&listed.kind));
    of_kind.map(|listed| CompletionCandidate::new(listed.full_name())).collect()
}

fn candidates(
    names: Result<impl IntoIterator<Item = String>, crate::error::Error>,
) -> Vec<CompletionCandidate> {
    names.map_or_else(|_| Vec::new(), |names| names.into_iter().map(CompletionCandidate::new).collect())
}

/// The shells that are supported.
#[derive(Clone, Copy, Debug)]
pub struct Shell(&'static str);

impl Shell {
    const ALL: [Self; 5] = [Self("bash"), Self("elvish"), Self("fish"), Self("powershell"), Self("zsh")];

    /// Returns the name of the shell.
    pub fn name(self) -> &'static str {
        self.0
    }
}

impl clap::ValueEnum for Shell {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0))
    }
}
