//! One of several children.

use super::common::Outcome;
use crate::{
    port::Port,
    registry::Registry,
    status::{NodeKind, Status},
    tree::{Behavior, Tick},
};

/// Ticks the first child until it is done. Its status decides which of the others is ticked.
#[derive(Default)]
struct IfThenElse {
    chosen: Option<usize>,
}

fn check_count<C>(tick: &Tick<'_, C>, id: &str) -> Result<(), crate::TickError> {
    match tick.children() {
        2 | 3 => Ok(()),
        _ => Err(format!("{id} must have either 2 or 3 children").into()),
    }
}

impl<C> Behavior<C> for IfThenElse {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        check_count(tick, "IfThenElseNode")?;
        if self.chosen.is_none() {
            self.chosen = match tick.tick_child(0)? {
                Status::Running => return Ok(Status::Running),
                Status::Success => Some(1),
                Status::Failure if tick.children() == 3 => Some(2),
                Status::Failure => return Ok(Status::Failure),
                _ => return Err("Something unexpected happened in IfThenElseNode".into()),
            };
        }
        let status = tick.tick_child(self.chosen.unwrap_or(1))?;
        if status != Status::Running {
            tick.halt_children(0);
            self.chosen = None;
        }
        Ok(status)
    }

    fn halt(&mut self, _tick: &mut Tick<'_, C>) {
        self.chosen = None;
    }
}

/// Ticks the first child at each tick. Its status decides which of the others is ticked.
struct WhileDoElse;

impl<C> Behavior<C> for WhileDoElse {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        check_count(tick, "WhileDoElseNode")?;
        let has_else = tick.children() == 3;
        let status = match tick.tick_child(0)? {
            Status::Running => return Ok(Status::Running),
            Status::Success => {
                if has_else {
                    tick.halt_child(2);
                }
                tick.tick_child(1)?
            }
            Status::Failure => {
                tick.halt_child(1);
                if has_else { tick.tick_child(2)? } else { Status::Failure }
            }
            _ => return Err("the condition of WhileDoElseNode was skipped".into()),
        };
        if status != Status::Running {
            tick.halt_children(0);
        }
        Ok(status)
    }
}

/// Ticks the child whose case is equal to a variable, or the last one.
struct Switch {
    cases: &'static [&'static str],
    running: Option<usize>,
}

impl Switch {
    /// Whether two texts are equal, also as numbers.
    fn equal<C>(tick: &Tick<'_, C>, left: &str, right: &str) -> bool {
        let number = |text: &str| {
            let named = tick.named(text).map(|number| number as f64);
            named.or_else(|| text.parse().ok())
        };
        let are_near = |(left, right): (f64, f64)| (left - right).abs() <= f64::from(f32::EPSILON);
        left == right || number(left).zip(number(right)).is_some_and(are_near)
    }

    fn choose<C>(&self, tick: &Tick<'_, C>) -> usize {
        if let Ok(variable) = tick.input::<String>("variable") {
            for (child, case) in self.cases.iter().enumerate() {
                // A case that can't be read is skipped.
                if tick.input::<String>(case).is_ok_and(|case| Self::equal(tick, &variable, &case)) {
                    return child;
                }
            }
        }
        self.cases.len()
    }
}

impl<C> Behavior<C> for Switch {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        if tick.children() != self.cases.len() + 1 {
            return Err("Wrong number of children in SwitchNode; must be (num_cases + default)".into());
        }
        let chosen = self.choose(tick);
        if let Some(other) = self.running.take().filter(|running| *running != chosen) {
            tick.halt_child(other);
        }
        let status = tick.tick_child(chosen)?;
        match status {
            Status::Running => self.running = Some(chosen),
            Status::Skipped => {}
            _ => tick.halt_children(0),
        }
        Ok(status)
    }

    fn halt(&mut self, _tick: &mut Tick<'_, C>) {
        self.running = None;
    }
}

pub(super) fn register<C: 'static>(registry: &mut Registry<C>) {
    registry.register("IfThenElse", NodeKind::Control, [], |_| Ok(Box::new(IfThenElse::default())));
    registry.register("WhileDoElse", NodeKind::Control, [], |_| Ok(Box::new(WhileDoElse)));
    const CASES: &[&str] = &["case_1", "case_2", "case_3", "case_4", "case_5", "case_6"];
    const IDS: [&str; 5] = ["Switch2", "Switch3", "Switch4", "Switch5", "Switch6"];
    for (id, count) in IDS.into_iter().zip(2..) {
        let cases = &CASES[..count];
        let ports = ["variable"].iter().chain(cases).map(|name| Port::input(name));
        registry
            .register(id, NodeKind::Control, ports, move |_| Ok(Box::new(Switch { cases, running: None })));
    }
}
