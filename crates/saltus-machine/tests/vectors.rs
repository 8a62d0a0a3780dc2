//! Machines do what the shared vectors say.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::VecDeque;

use saltus_machine::{Definition, Machine, TriggerError};
use saltus_yaml::Node;

/// Pulls a trigger, and what the states that it enters pull.
fn pull(machine: &mut Machine, trigger: &str) -> Result<(), TriggerError> {
    let mut waiting = VecDeque::from([trigger.to_owned()]);
    while let Some(trigger) = waiting.pop_front() {
        let step = machine.trigger(&trigger)?;
        let definition = machine.definition();
        waiting.extend(step.entered.iter().flat_map(|state| definition.state(*state).on_enter.clone()));
    }
    Ok(())
}

fn text(node: &Node) -> &str {
    node.as_text().unwrap()
}

/// YAML of a node that was read from YAML.
fn written(node: &Node) -> String {
    if node.is_null() {
        return "null".into();
    }
    let list = |items: Vec<String>, open, close| format!("{open}{}{close}", items.join(", "));
    match (node.as_sequence(), node.as_mapping()) {
        (Some(items), _) => list(items.iter().map(written).collect(), '[', ']'),
        (_, Some(pairs)) => {
            list(pairs.iter().map(|(key, value)| format!("{key}: {}", written(value))).collect(), '{', '}')
        }
        _ => format!("'{}'", text(node)),
    }
}

#[test]
fn machines_do_what_the_vectors_say() {
    let vectors = saltus_yaml::parse(include_str!("vectors.yaml")).unwrap();
    let vectors = vectors.as_sequence().unwrap();
    assert!(!vectors.is_empty());
    for vector in vectors {
        let definition = Definition::from_yaml(&written(vector.get("machine").unwrap())).unwrap();
        let mut machine = Machine::new(definition);
        for step in vector.get("steps").unwrap().as_sequence().unwrap() {
            let [trigger, expected] = step.as_sequence().unwrap() else { panic!("{step:?}") };
            let before = machine.state().to_owned();
            let outcome = pull(&mut machine, text(trigger));
            if text(expected) == "refused" {
                assert!(outcome.is_err() && machine.state() == before, "line {}", step.line);
            } else {
                assert_eq!((outcome, machine.state()), (Ok(()), text(expected)), "line {}", step.line);
            }
        }
    }
}
