//! Values on blackboards, and scripts.

use super::common::{Outcome, decorated};
use crate::{
    error::{NodeProblem, TickError},
    port::{Kind, Port},
    registry::{Registry, leaf},
    script::Script,
    status::{NodeKind, Status},
    tree::{Behavior, Tick},
};

/// A script of a port, which is read again if the text has changed.
#[derive(Default)]
struct Parsed {
    text: String,
    script: Option<Script>,
}

impl Parsed {
    fn script<C>(&mut self, tick: &Tick<'_, C>, port: &str) -> Result<&Script, TickError> {
        let text: String = tick.input(port)?;
        if self.text != text || self.script.is_none() {
            self.script = Some(Script::parse(&text).map_err(NodeProblem::Syntax)?);
            self.text = text;
        }
        self.script.as_ref().ok_or_else(|| "there is no script".into())
    }
}

/// Runs a script.
#[derive(Default)]
struct Run {
    parsed: Parsed,
    /// Whether the status depends on the result of the script.
    is_condition: bool,
}

impl<C> Behavior<C> for Run {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        let script = self.parsed.script(tick, "code")?;
        if self.is_condition {
            return Ok(if tick.is_true(script)? { Status::Success } else { Status::Failure });
        }
        tick.run(script)?;
        Ok(Status::Success)
    }
}

/// Ticks its child if a script is true.
#[derive(Default)]
struct Precondition {
    parsed: Parsed,
    is_open: bool,
}

impl<C> Behavior<C> for Precondition {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        if !self.is_open {
            let script = self.parsed.script(tick, "if")?;
            if !tick.is_true(script)? {
                return tick.input("else");
            }
        }
        let status = decorated(tick)?;
        self.is_open = !status.is_completed();
        Ok(status)
    }
}

/// Checks whether an entry was set since the last tick.
struct Updated {
    last: u64,
    /// The status if the entry was not set.
    otherwise: Status,
}

impl<C> Behavior<C> for Updated {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        let has_child = tick.children() > 0;
        if has_child && tick.child_status(0) == Status::Running {
            return decorated(tick);
        }
        let key =
            named_key(tick, "entry").map_err(|_| format!("Missing port 'entry' in {}", tick.info().name))?;
        let (boards, board) = tick.boards();
        let sequence = boards.sequence(board, &key).unwrap_or(0);
        let is_new = std::mem::replace(&mut self.last, sequence) != sequence;
        match (is_new, has_child) {
            (true, true) => decorated(tick),
            (true, false) => Ok(Status::Success),
            (false, _) => Ok(self.otherwise),
        }
    }
}

/// Returns the key that a port names: its text, or the text of the entry to which it points.
fn named_key<C>(tick: &Tick<'_, C>, port: &str) -> Result<String, TickError> {
    match tick.key(port) {
        Some(key) => Ok(key.to_owned()),
        None => tick.input(port),
    }
}

fn set_blackboard<C>(tick: &mut Tick<'_, C>) -> Outcome {
    let target = named_key(tick, "output_key")?;
    let value = match tick.key("value").map(str::to_owned) {
        Some(key) => {
            let (boards, board) = tick.boards();
            if !boards.contains(board, &key) {
                return Err(format!("Can't find the port referred by [{key}]").into());
            }
            let Some(value) = boards.get(board, &key).cloned() else { return Ok(Status::Failure) };
            value
        }
        None => {
            let text: String = tick.input("value")?;
            let (boards, board) = tick.boards();
            // The text is converted to the type of the entry.
            boards.kind(board, &target).read(&text)?
        }
    };
    let (boards, board) = tick.boards();
    boards.set(board, &target, value);
    Ok(Status::Success)
}

fn unset_blackboard<C>(tick: &mut Tick<'_, C>) -> Outcome {
    let key: String = tick.input("key")?;
    let (boards, board) = tick.boards();
    boards.remove(board, &key);
    Ok(Status::Success)
}

pub(super) fn register<C: 'static>(registry: &mut Registry<C>) {
    let code = || Port::input("code").of(Kind::Text).about("Piece of code that can be parsed");
    registry.register("Script", NodeKind::Action, [code()], |_| Ok(Box::new(Run::default())));
    registry.register("ScriptCondition", NodeKind::Condition, [code()], |_| {
        Ok(Box::new(Run { is_condition: true, ..Run::default() }))
    });
    let ports = [
        Port::input("if").of(Kind::Text),
        Port::input("else").of(Kind::Status).or("FAILURE").about("Return status if condition is false"),
    ];
    registry.register("Precondition", NodeKind::Decorator, ports, |_| Ok(Box::new(Precondition::default())));
    let kinds = [
        ("SkipUnlessUpdated", NodeKind::Decorator, Status::Skipped),
        ("WaitValueUpdate", NodeKind::Decorator, Status::Running),
        ("WasEntryUpdated", NodeKind::Action, Status::Failure),
    ];
    for (id, kind, otherwise) in kinds {
        let entry = Port::inout("entry").about("Entry to check");
        registry.register(id, kind, [entry], move |_| Ok(Box::new(Updated { last: 0, otherwise })));
    }
    let ports = [
        Port::input("value").about("Value to be written into the output_key"),
        Port::inout("output_key").about("Name of the blackboard entry where the value should be written"),
    ];
    registry.register("SetBlackboard", NodeKind::Action, ports, |_| Ok(leaf(set_blackboard)));
    let key = Port::input("key").of(Kind::Text).about("Key of the entry to remove");
    registry.register("UnsetBlackboard", NodeKind::Action, [key], |_| Ok(leaf(unset_blackboard)));
}
