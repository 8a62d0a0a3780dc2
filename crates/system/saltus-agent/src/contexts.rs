//! The contexts of an agent, which its workers share.

use std::{
    collections::HashMap,
    env::{self, VarError},
    path::PathBuf,
    sync::{Arc, Mutex},
};

use saltus_node::{Context, ContextError, ContextOptions, MAX_DOMAIN};
use saltus_types::lock;

/// The variable with the domain of nodes whose devices leave the choice to the agent. The widespread agent has it, too.
const OVERRIDE: &str = "XRCE_DOMAIN_ID_OVERRIDE";

/// Why the domain is not known of a node whose device leaves the choice to the agent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChosenDomainError {
    #[error("expected {OVERRIDE} to be a number from 0 to {MAX_DOMAIN}, found `{0}`")]
    Override(String),
    #[error(transparent)]
    Context(#[from] ContextError),
}

/// The contexts of an agent: one for each domain, whichever worker uses it.
#[derive(Clone, Debug)]
pub(crate) struct Contexts(Arc<ContextsState>);

#[derive(Debug)]
struct ContextsState {
    folder: Option<PathBuf>,
    handle_signals: bool,
    contexts: Mutex<HashMap<u32, Context>>,
}

impl Contexts {
    pub(crate) fn new(folder: Option<PathBuf>, handle_signals: bool) -> Self {
        Self(Arc::new(ContextsState { folder, handle_signals, contexts: Mutex::default() }))
    }

    /// Returns the context of a domain, and creates it if there is none.
    pub(crate) fn get(&self, number: u32) -> Result<Context, ContextError> {
        let mut contexts = lock(&self.0.contexts);
        if let Some(context) = contexts.get(&number) {
            return Ok(context.clone());
        }
        let options = ContextOptions::default().domain(number).rosout(false);
        let mut options = options.handle_signals(self.0.handle_signals);
        if let Some(folder) = &self.0.folder {
            options = options.folder(folder);
        }
        let context = options.create()?;
        contexts.insert(number, context.clone());
        Ok(context)
    }

    /// Returns the number of the domain that the environment names.
    pub(crate) fn default_domain(&self) -> Result<u32, ContextError> {
        Ok(ContextOptions::default().domain_id()?.number)
    }

    /// Returns the number of the domain for nodes whose devices leave the choice to the agent: that of the variable
    /// `XRCE_DOMAIN_ID_OVERRIDE`, or the agent's own domain.
    pub(crate) fn chosen_domain(&self) -> Result<u32, ChosenDomainError> {
        match env::var(OVERRIDE) {
            Ok(text) if !text.is_empty() => {
                let number = text.trim().parse().ok().filter(|number| *number <= MAX_DOMAIN);
                number.ok_or(ChosenDomainError::Override(text))
            }
            Err(VarError::NotUnicode(text)) => {
                Err(ChosenDomainError::Override(text.to_string_lossy().into_owned()))
            }
            Ok(_) | Err(VarError::NotPresent) => Ok(self.default_domain()?),
        }
    }

    /// Ends all workers.
    pub(crate) fn shut_down(&self) {
        lock(&self.0.contexts).values().for_each(Context::shut_down);
    }
}
