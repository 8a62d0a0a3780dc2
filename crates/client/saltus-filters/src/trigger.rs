//! Trigger rules: the cases in which a function of several inputs runs.

/// The case in which a function of several inputs runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TriggerRule {
    /// Each input has a new message.
    All,
    /// Any input has a new message.
    Any,
    /// This input has a new message.
    Input(usize),
}

/// Keeps the latest message of each input, and decides by a rule when a function runs with them.
///
/// No rule holds before each input has had a message.
#[derive(Clone, Debug)]
pub struct Trigger<T> {
    rule: TriggerRule,
    latest: Vec<Option<T>>,
    is_new: Vec<bool>,
    overwritten: u64,
}

impl<T> Trigger<T> {
    /// Returns a trigger for a number of inputs.
    ///
    /// # Panics
    ///
    /// Panics if there is no input, or if the rule names an input that does not exist.
    pub fn new(inputs: usize, rule: TriggerRule) -> Self {
        assert!(inputs > 0, "expected at least one input");
        if let TriggerRule::Input(input) = rule {
            assert!(input < inputs, "expected an input below {inputs}, found {input}");
        }
        Self {
            rule,
            latest: (0..inputs).map(|_| None).collect(),
            is_new: vec![false; inputs],
            overwritten: 0,
        }
    }

    /// Adds a message. Returns the latest message of each input if the function runs now.
    ///
    /// # Panics
    ///
    /// Panics if there is no such input.
    pub fn add(&mut self, input: usize, message: T) -> Option<impl Iterator<Item = &T>> {
        self.latest[input] = Some(message);
        self.overwritten += u64::from(self.is_new[input]);
        self.is_new[input] = true;
        let holds = match self.rule {
            TriggerRule::All => self.is_new.iter().all(|is_new| *is_new),
            TriggerRule::Any => true,
            TriggerRule::Input(main) => input == main,
        };
        if !holds || self.latest.iter().any(Option::is_none) {
            return None;
        }
        self.is_new.fill(false);
        Some(self.latest.iter().flatten())
    }

    /// Drops all messages. The rule holds again when each input has had a new one.
    pub fn clear(&mut self) {
        self.latest.fill_with(|| None);
        self.is_new.fill(false);
    }

    /// Returns the number of inputs.
    pub fn inputs(&self) -> usize {
        self.latest.len()
    }

    /// Returns the number of messages that were overwritten by a later message of their input before the function ran.
    pub fn overwritten(&self) -> u64 {
        self.overwritten
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds messages `(input, message)`. Returns the sets with which the function runs.
    fn run(rule: TriggerRule, messages: &[(usize, char)]) -> (Vec<String>, u64) {
        let mut trigger = Trigger::new(2, rule);
        let sets =
            messages.iter().filter_map(|(input, message)| Some(trigger.add(*input, *message)?.collect()));
        let sets = sets.collect();
        (sets, trigger.overwritten())
    }

    const MESSAGES: [(usize, char); 6] = [(0, 'a'), (0, 'b'), (1, 'A'), (1, 'B'), (0, 'c'), (1, 'C')];

    #[test]
    fn all_waits_for_a_new_message_of_each_input() {
        assert_eq!(run(TriggerRule::All, &MESSAGES), (vec!["bA".into(), "cB".into()], 1));
    }

    #[test]
    fn any_runs_with_each_message_once_all_inputs_have_one() {
        let expected = ["bA", "bB", "cB", "cC"].map(String::from).to_vec();
        assert_eq!(run(TriggerRule::Any, &MESSAGES), (expected, 1));
    }

    #[test]
    fn an_input_runs_with_the_latest_of_the_others() {
        assert_eq!(run(TriggerRule::Input(0), &MESSAGES), (vec!["cB".into()], 3));
        assert_eq!(run(TriggerRule::Input(1), &MESSAGES).0, ["bA", "bB", "cC"]);
    }
}
