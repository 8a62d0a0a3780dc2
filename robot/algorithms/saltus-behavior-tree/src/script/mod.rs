//! The language of conditions and assignments.
//!
//! A script is a list of expressions with `;` between them. Its value is that of the last one. Arithmetic and comparisons have numbers,
//! logical operators truth values, and `+` and `..` join texts.

mod parse;
mod run;
mod token;

pub(crate) use run::{Names, Scope};

use crate::{
    error::{NodeProblem, ScriptError},
    value::Value,
};

/// The largest length of a script, in bytes. Each node that has it holds a copy.
const LONGEST: usize = 10_000;

/// A script.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    source: String,
    statements: Vec<parse::Expression>,
}

impl Script {
    /// Reads a script.
    pub(crate) fn parse(source: &str) -> Result<Self, ScriptError> {
        if source.len() > LONGEST {
            return Err(ScriptError::Length(LONGEST));
        }
        let statements = parse::statements(source)?;
        Ok(Self { source: source.into(), statements })
    }

    /// Runs it, and returns the value of the last expression.
    pub(crate) fn run(&self, scope: &mut Scope<'_>) -> Result<Value, NodeProblem> {
        let mut value = Value::Integer(0);
        for statement in &self.statements {
            let result = scope.run(statement);
            value = result.map_err(|error| self.failed(error))?;
        }
        Ok(value)
    }

    /// Runs it, and returns whether the value of the last expression is true.
    pub(crate) fn is_true(&self, scope: &mut Scope<'_>) -> Result<bool, NodeProblem> {
        let value = self.run(scope)?;
        run::truth(&value).ok_or_else(|| self.failed(ScriptError::Truth(format!("{value:?}"))))
    }

    fn failed(&self, error: ScriptError) -> NodeProblem {
        NodeProblem::Script { script: self.source.clone(), error }
    }
}
