//! Loops over the values of a queue.

use std::collections::VecDeque;

use super::common::{Outcome, decorated};
use crate::{
    port::{Kind, Port},
    registry::Registry,
    status::{NodeKind, Status},
    tree::{Behavior, Tick},
    value::{FromValue, Value},
};

/// Ticks its child for each value of a queue: texts with `;` between them.
struct Loop {
    kind: Kind,
    /// The rest of a queue that is written in XML.
    left: Option<VecDeque<String>>,
}

fn split(text: &str) -> VecDeque<String> {
    text.split(';').filter(|part| !part.is_empty()).map(Into::into).collect()
}

impl Loop {
    /// Takes the next value.
    fn next<C>(&mut self, tick: &mut Tick<'_, C>) -> Result<Option<Value>, crate::TickError> {
        let next = match tick.key("queue").map(str::to_owned) {
            Some(key) => {
                let (boards, board) = tick.boards();
                let Some(value) = boards.get(board, &key) else { return Ok(None) };
                let mut queue = split(&String::from_value(value)?);
                let next = queue.pop_front();
                let left = queue.into_iter().collect::<Vec<_>>().join(";");
                boards.set(board, &key, Value::from(left));
                next
            }
            None => {
                if self.left.is_none() {
                    self.left = Some(split(&tick.input::<String>("queue")?));
                }
                self.left.as_mut().and_then(VecDeque::pop_front)
            }
        };
        Ok(next.map(|text| self.kind.read(&text)).transpose()?)
    }
}

impl<C> Behavior<C> for Loop {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        if tick.child_status(0) != Status::Running {
            match self.next(tick)? {
                Some(value) => tick.output("value", value),
                None => {
                    self.left = None;
                    return tick.input("if_empty");
                }
            }
        }
        let status = decorated(tick)?;
        if status == Status::Failure {
            self.left = None;
            return Ok(Status::Failure);
        }
        Ok(Status::Running)
    }

    fn halt(&mut self, _tick: &mut Tick<'_, C>) {
        self.left = None;
    }
}

pub(super) fn register<C: 'static>(registry: &mut Registry<C>) {
    let kinds = [
        ("LoopInt", Kind::Integer),
        ("LoopBool", Kind::Bool),
        ("LoopDouble", Kind::Double),
        ("LoopString", Kind::Text),
    ];
    for (id, kind) in kinds {
        let ports = [
            Port::inout("queue"),
            Port::input("if_empty")
                .of(Kind::Status)
                .or("SUCCESS")
                .about("Status to return if queue is empty"),
            Port::output("value"),
        ];
        registry.register(id, NodeKind::Decorator, ports, move |_| Ok(Box::new(Loop { kind, left: None })));
    }
}
