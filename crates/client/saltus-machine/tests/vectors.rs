//! Tests of machines with the vectors that all languages share.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::VecDeque;

use saltus_machine::{Definition, Machine, TriggerError};
use saltus_yaml::Node;

/// Processes a trigger, and the `on_enter` triggers of the states that are entered.
fn process(machine: &mut Machine, trigger: &str) -> Result<(), TriggerError> {
    let mut queue = VecDeque::from([trigger.to_owned()]);
    while let Some(trigger) = queue.pop_front() {
        let step = machine.trigger(&trigger)?;
        let definition = machine.definition();
        queue.extend(step.entered.iter().flat_map(|state| definition.state(*state).on_enter.clone()));
    }
    Ok(())
}

fn text(node: &Node) -> &str {
    node.as_text().unwrap()
}

/// Returns the YAML of a node that was read from YAML.
fn to_yaml(node: &Node) -> String {
    if node.is_null() {
        return "null".into();
    }
    let list = |items: Vec<String>, open, close| format!("{open}{}{close}", items.join(", "));
    match (node.as_sequence(), node.as_mapping()) {
        (Some(items), _) => list(items.iter().map(to_yaml).collect(), '[', ']'),
        (_, Some(pairs)) => {
            list(pairs.iter().map(|(key, value)| format!("{key}: {}", to_yaml(value))).collect(), '{', '}')
        }
        _ => format!("'{}'", text(node)),
    }
}

#[test]
fn machines_give_the_states_of_the_vectors() {
    let vectors = saltus_yaml::parse(include_str!("vectors.yaml")).unwrap();
    let vectors = vectors.as_sequence().unwrap();
    assert!(!vectors.is_empty());
    for vector in vectors {
        let definition = Definition::from_yaml(&to_yaml(vector.get("machine").unwrap())).unwrap();
        let mut machine = Machine::new(definition);
        for step in vector.get("steps").unwrap().as_sequence().unwrap() {
            let [trigger, expected] = step.as_sequence().unwrap() else { panic!("{step:?}") };
            let before = machine.state().to_owned();
            let outcome = process(&mut machine, text(trigger));
            if text(expected) == "refused" {
                assert!(outcome.is_err() && machine.state() == before, "line {}", step.line);
            } else {
                assert_eq!((outcome, machine.state()), (Ok(()), text(expected)), "line {}", step.line);
            }
        }
    }
}
