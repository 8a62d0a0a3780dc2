//! Shows a machine: as a live picture of its states on a terminal, and otherwise as one line per change.

use std::{
    collections::VecDeque,
    io::{self, IsTerminal, Write},
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::Duration,
};

use saltus::{
    Context,
    machine::{Machine, StateId},
    time::system_now,
};

/// The period at which the remaining time is drawn.
const REFRESH: Duration = Duration::from_millis(100);
/// The number of changes that stay visible.
const KEPT: usize = 8;
/// The time for which changes are collected before they are shown, in nanoseconds. Events and states arrive on separate
/// topics. They are shown in the order in which they were sent.
const SETTLING: i64 = 50_000_000;

/// A change of a machine.
#[derive(Debug)]
pub(super) struct Change {
    /// The time, by the system clock in nanoseconds.
    pub(super) at: i64,
    /// The change.
    pub(super) kind: ChangeKind,
}

/// The kinds of changes.
#[derive(Debug)]
pub(super) enum ChangeKind {
    /// This trigger was processed.
    Event(String),
    /// The machine is in this state.
    State(String),
    /// A trigger was rejected for this reason.
    Refused(String),
}

/// The known state of a machine.
struct View {
    title: String,
    machine: Machine,
    /// When this view began, by the system clock in nanoseconds.
    begun: i64,
    /// When each active state was entered; `None` if it was entered before this view began.
    entered: Vec<(StateId, Option<i64>)>,
    /// The trigger that leads to the next state, and the states that it leaves.
    event: Option<(String, Vec<StateId>)>,
    changes: VecDeque<String>,
    /// The number of lines that are drawn on the terminal.
    drawn: usize,
}

/// Shows a machine until all senders are dropped. If the output is closed, shuts the context down.
pub(super) fn show(
    title: &str,
    (machine, begins): (Machine, bool),
    receiver: &Receiver<Change>,
    context: &Context,
) -> io::Result<()> {
    let now = system_now().as_nanos();
    let mut view = View::new(title, machine, now, begins.then_some(now));
    let shown = view.follow(receiver, is_watched());
    if shown.is_err() {
        context.shut_down();
    }
    shown
}

impl View {
    fn new(title: &str, machine: Machine, now: i64, since: Option<i64>) -> Self {
        let entered = machine.active_states().into_iter().map(|state| (state, since)).collect();
        let (title, changes) = (title.to_owned(), VecDeque::new());
        Self { title, machine, begun: now, entered, event: None, changes, drawn: 0 }
    }

    fn follow(&mut self, receiver: &Receiver<Change>, watched: bool) -> io::Result<()> {
        let mut out = io::stdout();
        if !watched {
            writeln!(out, "{}: {}", self.title, self.machine.state())?;
        }
        let (mut waiting, mut is_over) = (Vec::new(), false);
        while !is_over {
            if watched {
                let picture = self.picture(system_now().as_nanos());
                self.draw(&picture, &mut out)?;
            }
            let refresh = if waiting.is_empty() { REFRESH } else { Duration::from_nanos(SETTLING as u64) };
            match receiver.recv_timeout(refresh) {
                Err(RecvTimeoutError::Disconnected) => is_over = true,
                next => waiting.extend(next.ok()),
            }
            waiting.extend(receiver.try_iter());
            let settled = if is_over { i64::MAX } else { system_now().as_nanos() - SETTLING };
            for line in self.take_until(settled, &mut waiting) {
                if !watched {
                    writeln!(out, "{line}")?;
                }
            }
        }
        Ok(())
    }

    /// Applies the changes until a time, in order. Returns the lines about them.
    fn take_until(&mut self, settled: i64, waiting: &mut Vec<Change>) -> Vec<String> {
        // The sort is stable: changes with the same time keep the order in which they arrived.
        waiting.sort_by_key(|change| change.at);
        let count = waiting.partition_point(|change| change.at <= settled);
        waiting.drain(..count).collect::<Vec<_>>().into_iter().filter_map(|one| self.take(one)).collect()
    }

    /// Applies a change, and returns a line about it. Returns no line for a trigger that leads to another state,
    /// because the change to that state has a line.
    fn take(&mut self, change: Change) -> Option<String> {
        let seconds = (change.at - self.begun).max(0) as f64 / 1e9;
        let line = match change.kind {
            ChangeKind::Event(name) => {
                let step = self.machine.clone().trigger(&name);
                match step {
                    Ok(step) if step.is_internal => format!("{seconds:>10.3}  {name}"),
                    step => {
                        self.event = Some((name, step.map(|step| step.left).unwrap_or_default()));
                        return None;
                    }
                }
            }
            ChangeKind::Refused(why) => format!("{seconds:>10.3}  refused: {why}"),
            ChangeKind::State(name) => {
                let before = self.machine.state().to_owned();
                let (event, left) = self.event.take().unwrap_or_default();
                self.enter(&name, change.at, &left);
                format!("{seconds:>10.3}  {event}: {before} -> {name}")
            }
        };
        self.changes.push_back(line.clone());
        if self.changes.len() > KEPT {
            self.changes.pop_front();
        }
        Some(line)
    }

    fn enter(&mut self, name: &str, now: i64, left: &[StateId]) {
        // If the machine was restarted, it may have states that are not in the definition. They can't be shown.
        let Some(state) = self.machine.definition().find(name) else { return };
        self.machine = Machine::in_state(self.machine.definition().clone(), state);
        let since = |state: &StateId| {
            let known = self.entered.iter().find(|(other, _)| other == state && !left.contains(other));
            known.map_or(Some(now), |(_, since)| *since)
        };
        self.entered = self.machine.active_states().into_iter().map(|state| (state, since(&state))).collect();
    }

    /// Returns the lines of the picture of the machine at a time.
    fn picture(&self, now: i64) -> Vec<String> {
        let definition = self.machine.definition();
        let mut lines = vec![self.title.clone(), String::new()];
        for (id, state) in definition.states() {
            let depth = definition.path(id).count() - 1;
            let since = self.entered.iter().find(|(other, _)| *other == id).map(|(_, since)| *since);
            let mark = if since.is_some() { "▶" } else { " " };
            let left = since.zip(state.timeout.as_ref()).map(|(since, (after, trigger))| {
                // If the state was entered before this view began, it is not known for how long it has been active.
                let passed = since.map_or(0, |since| u64::try_from(now - since).unwrap_or(0));
                let left = after.saturating_sub(Duration::from_nanos(passed)).as_secs_f64();
                format!("   {}{left:.1} s until {trigger}", if since.is_some() { "" } else { "at most " })
            });
            let line = format!("{mark} {}{}{}", "  ".repeat(depth), state.name, left.unwrap_or_default());
            lines.push(line);
        }
        lines.extend([
            String::new(),
            format!("triggers: {}", self.machine.allowed_triggers().join(", ")),
            String::new(),
        ]);
        lines.extend(self.changes.iter().cloned());
        lines
    }

    /// Draws a picture over the previous one.
    fn draw(&mut self, picture: &[String], out: &mut impl Write) -> io::Result<()> {
        let mut text = if self.drawn > 0 { format!("\x1b[{}A", self.drawn) } else { String::new() };
        for line in picture {
            text += line;
            text += "\x1b[K\n";
        }
        text += "\x1b[J";
        self.drawn = picture.len();
        out.write_all(text.as_bytes())?;
        out.flush()
    }
}

/// Returns whether the output is a terminal.
pub(super) fn is_watched() -> bool {
    io::stdout().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus::machine::Definition;

    const SECOND: i64 = 1_000_000_000;

    fn view() -> View {
        let text = "
name: robot
states: [idle, {name: busy, timeout: 3, on_timeout: stop, initial: slow, children: [slow, fast]}]
transitions: [[go, idle, busy], [hurry, busy_slow, busy_fast], [stop, busy, idle], [look, '*', null]]";
        View::new("robot  /machine", Machine::new(Definition::from_yaml(text).unwrap()), SECOND, Some(SECOND))
    }

    fn event(at: i64, name: &str) -> Change {
        Change { at: at * SECOND, kind: ChangeKind::Event(name.into()) }
    }

    fn state(at: i64, name: &str) -> Change {
        Change { at: at * SECOND, kind: ChangeKind::State(name.into()) }
    }

    #[test]
    fn changes_are_a_line_each() {
        let mut view = view();
        assert_eq!(view.take(event(2, "go")), None);
        assert_eq!(view.take(state(2, "busy_slow")).unwrap(), "     1.000  go: idle -> busy_slow");
        assert_eq!(view.take(event(3, "look")).unwrap(), "     2.000  look");
        assert_eq!(view.take(event(4, "stop")), None);
        assert_eq!(view.take(state(4, "idle")).unwrap(), "     3.000  stop: busy_slow -> idle");
        let refused = Change { at: 5 * SECOND, kind: ChangeKind::Refused("no such trigger".into()) };
        assert_eq!(view.take(refused).unwrap(), "     4.000  refused: no such trigger");
    }

    #[test]
    fn changes_that_arrive_out_of_order_are_shown_in_order_after_a_while() {
        let mut view = view();
        let mut waiting = vec![
            event(2, "go"),
            event(4, "hurry"),
            state(3, "busy_slow"),
            state(5, "busy_fast"),
            state(7, "idle"),
        ];
        let lines = view.take_until(6 * SECOND, &mut waiting);
        assert_eq!(lines, ["     2.000  go: idle -> busy_slow", "     4.000  hurry: busy_slow -> busy_fast"]);
        assert_eq!(waiting.len(), 1);
    }

    #[test]
    fn the_picture_marks_the_states_and_says_what_time_is_left() {
        let mut view = view();
        view.take(event(2, "go"));
        view.take(state(2, "busy_slow"));
        view.take(event(3, "hurry"));
        view.take(state(3, "busy_fast"));
        let picture = view.picture(4 * SECOND);
        assert_eq!(
            picture[2..7],
            ["  idle", "▶ busy   1.0 s until stop", "    busy_slow", "▶   busy_fast", "",]
        );
        assert_eq!(picture[7], "triggers: stop, look");
    }

    #[test]
    fn a_picture_is_drawn_over_the_last_one() {
        let mut view = view();
        let mut out = Vec::new();
        view.draw(&["a".into(), "b".into()], &mut out).unwrap();
        view.draw(&["c".into()], &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a\x1b[K\nb\x1b[K\n\x1b[J\x1b[2Ac\x1b[K\n\x1b[J");
    }
}
