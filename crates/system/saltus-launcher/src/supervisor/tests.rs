//! The order of starts, restarts and ends.

use std::time::Duration;

use saltus_launch_file::plan::{Restart, RestartPolicy};

use super::{process::LEAVING, *};

const START: Duration = Duration::ZERO;
const SECOND: Duration = Duration::from_secs(1);

fn rules() -> Rules {
    Rules {
        restart: Restart::default(),
        required: false,
        names: Vec::new(),
        after: Vec::new(),
        ready_timeout: None,
        sigterm_timeout: 5 * SECOND,
        sigkill_timeout: 5 * SECOND,
    }
}

/// Returns the rules of a process with a name, that waits for others.
fn named(name: &str, after: &[&str]) -> Rules {
    let after = after.iter().map(|name| (*name).to_owned()).collect();
    Rules { names: vec![name.into()], after, ..rules() }
}

fn always(delay: f64, max_delay: f64) -> Rules {
    let restart = Restart { policy: RestartPolicy::Always, delay, max_delay, max: None };
    Rules { restart, ..rules() }
}

#[test]
fn a_process_waits_for_those_before_it() {
    let mut all = Supervisor::default();
    assert_eq!(all.add(0, named("b", &["a"]), START), []);
    assert_eq!(all.add(1, named("a", &[]), START), [Instruction::Start(1)]);
    assert_eq!(all.ready(1, SECOND), [Instruction::Start(0)]);
    // One that has done its work counts as ready.
    assert_eq!(all.exited(1, Exit::Code(0), SECOND), []);
    assert_eq!(all.add(2, named("c", &["a"]), SECOND), [Instruction::Start(2)]);
}

#[test]
fn a_process_is_not_started_if_one_before_it_was_never_ready() {
    let mut all = Supervisor::default();
    all.add(0, named("a", &[]), START);
    all.add(1, named("b", &["a"]), START);
    all.add(2, named("c", &["b"]), START);
    let want = [Instruction::Abandon { id: 1, because: 0 }, Instruction::Abandon { id: 2, because: 1 }];
    assert_eq!(all.exited(0, Exit::Code(1), SECOND), want);
    assert!(all.is_over());
}

#[test]
fn a_process_that_comes_too_late_is_not_started_either() {
    let mut all = Supervisor::default();
    all.add(0, named("a", &[]), START);
    all.exited(0, Exit::NotStarted, START);
    assert_eq!(all.add(1, named("b", &["a"]), START), [Instruction::Abandon { id: 1, because: 0 }]);
    assert_eq!(all.component_lost(0, "/part"), []);
    assert_eq!(all.add(2, named("c", &["/part"]), START), [Instruction::Abandon { id: 2, because: 0 }]);
    // Another process has the name, and may become ready.
    all.add(3, named("a", &[]), START);
    assert_eq!(all.add(4, named("d", &["a"]), START), []);
    assert_eq!(all.ready(3, SECOND), [Instruction::Start(4)]);
}

#[test]
fn processes_end_in_the_reverse_order() {
    let mut all = Supervisor::default();
    all.add(0, rules(), START);
    all.add(1, named("a", &[]), START);
    all.add(2, named("b", &["a"]), START);
    all.ready(0, START);
    all.ready(1, START);
    // The process 1 is needed by 2, so it goes on until 2 has ended.
    assert_eq!(all.end(SECOND), [Instruction::Send(2, Signal::Int), Instruction::Send(0, Signal::Int)]);
    assert_eq!(all.exited(2, Exit::Code(0), SECOND), [Instruction::Send(1, Signal::Int)]);
    assert_eq!(all.exited(0, Exit::Code(0), SECOND), []);
    assert_eq!(all.exited(1, Exit::Code(0), SECOND), []);
    assert!(all.is_over() && all.first_failure().is_none());
}

#[test]
fn processes_with_the_same_name_do_not_wait_for_each_other_at_the_end() {
    let mut all = Supervisor::default();
    all.add(0, named("talker", &[]), START);
    all.ready(0, START);
    all.add(1, named("listener", &["talker"]), START);
    all.ready(1, START);
    all.add(2, named("talker", &["listener"]), START);
    assert_eq!(all.end(SECOND), [Instruction::Send(2, Signal::Int)]);
    assert_eq!(all.exited(2, Exit::Code(0), SECOND), [Instruction::Send(1, Signal::Int)]);
    assert_eq!(all.exited(1, Exit::Code(0), SECOND), [Instruction::Send(0, Signal::Int)]);
    assert_eq!(all.exited(0, Exit::Code(0), SECOND), []);
    assert!(all.is_over());
}

#[test]
fn a_process_that_does_not_end_gets_other_signals() {
    let mut all = Supervisor::default();
    all.add(0, rules(), START);
    all.end(SECOND);
    assert_eq!(all.next_deadline(), Some(6 * SECOND));
    assert_eq!(all.tick(6 * SECOND), [Instruction::Send(0, Signal::Term)]);
    assert_eq!(all.tick(11 * SECOND), [Instruction::Send(0, Signal::Kill)]);
    assert_eq!(all.next_deadline(), None);
}

#[test]
fn each_restart_has_a_longer_delay() {
    let mut all = Supervisor::default();
    all.add(0, always(1.0, 3.0), START);
    let mut now = START;
    for wait in [1, 2, 3, 3] {
        let instructions = all.exited(0, Exit::Code(1), now);
        assert!(
            matches!(instructions[..], [Instruction::ReportRestart { at, .. }] if at == now + wait * SECOND),
            "{instructions:?}"
        );
        now += wait * SECOND;
        assert_eq!(all.tick(now), [Instruction::Start(0)]);
    }
    // After it has run for long enough, the wait is short again.
    all.ready(0, now);
    now += 4 * SECOND;
    let instructions = all.exited(0, Exit::Code(1), now);
    assert!(
        matches!(instructions[..], [Instruction::ReportRestart { at, restarts: 5, .. }] if at == now + SECOND)
    );
    assert_eq!(all.first_failure(), Some(Exit::Code(1)));
}

#[test]
fn everything_ends_with_a_required_process() {
    let mut all = Supervisor::default();
    all.add(0, rules(), START);
    all.add(1, Rules { required: true, ..rules() }, START);
    assert_eq!(
        all.exited(1, Exit::Signal(11), SECOND),
        [Instruction::EndBecauseOf(1), Instruction::Send(0, Signal::Int)]
    );
    assert_eq!(all.first_failure().map(Exit::code), Some(139));
}

#[test]
fn the_user_stops_and_restarts_a_process() {
    let mut all = Supervisor::default();
    all.add(0, always(1.0, 1.0), START);
    assert_eq!(all.restart(0, SECOND), [Instruction::Send(0, Signal::Int)]);
    assert_eq!(all.exited(0, Exit::Signal(2), SECOND), [Instruction::Start(0)]);
    assert_eq!(all.stop(0, SECOND), [Instruction::Send(0, Signal::Int)]);
    assert_eq!(all.exited(0, Exit::Signal(2), SECOND), []);
    assert_eq!((all.state(0), all.restarts(0)), (Some(State::Ended), 1));
    assert_eq!(all.restart(0, 2 * SECOND), [Instruction::Start(0)]);
    assert_eq!(all.end(3 * SECOND), [Instruction::Send(0, Signal::Int)]);
    assert_eq!(all.restart(0, 3 * SECOND), []);
}

#[test]
fn a_process_that_is_not_ready_in_time_is_reported_once() {
    let mut all = Supervisor::default();
    all.add(0, Rules { ready_timeout: Some(SECOND), ..rules() }, START);
    assert_eq!(all.tick(SECOND), [Instruction::ReportNotReady(0)]);
    assert_eq!(all.tick(2 * SECOND), []);
}

#[test]
fn a_process_whose_node_has_left_is_unhealthy_after_a_while() {
    let mut all = Supervisor::default();
    all.add(0, rules(), START);
    all.ready(0, START);
    all.node_changed(0, true, START);
    all.node_changed(0, false, START);
    assert_eq!((all.next_deadline(), all.state_name(0)), (Some(LEAVING), "ready"));
    // A node that comes back in time is not reported.
    all.node_changed(0, true, START);
    assert_eq!(all.next_deadline(), None);
    all.node_changed(0, false, SECOND);
    assert_eq!(all.tick(SECOND + LEAVING), [Instruction::ReportNodeLoss(0)]);
    assert_eq!((all.next_deadline(), all.state_name(0)), (None, "unhealthy"));
    all.node_changed(0, true, 10 * SECOND);
    assert_eq!(all.state_name(0), "ready");
}

#[test]
fn an_unhealthy_process_is_started_again_after_its_delay() {
    let mut all = Supervisor::default();
    all.add(0, always(1.0, 1.0), START);
    all.ready(0, START);
    all.node_changed(0, false, START);
    assert_eq!(all.tick(LEAVING), [Instruction::ReportNodeLoss(0), Instruction::Send(0, Signal::Int)]);
    let restart = Instruction::ReportRestart { id: 0, at: 7 * SECOND, restarts: 1 };
    assert_eq!(all.exited(0, Exit::Code(0), 6 * SECOND), [restart]);
    assert_eq!(all.tick(7 * SECOND), [Instruction::Start(0)]);
    // An error before it was ready counts, too.
    assert_eq!(all.unhealthy(0, 7 * SECOND), [Instruction::Send(0, Signal::Int)]);
    // Everything ends before it has ended.
    all.end(7 * SECOND);
    assert_eq!(all.exited(0, Exit::Code(0), 7 * SECOND), []);
    assert!(all.is_over());
}

#[test]
fn an_error_of_a_lifecycle_node_is_over_when_the_node_works_again() {
    let mut all = Supervisor::default();
    all.add(0, rules(), START);
    all.ready(0, START);
    assert_eq!(all.unhealthy(0, START), []);
    // That its node comes and goes says nothing about the error.
    all.node_changed(0, true, START);
    assert_eq!(all.state_name(0), "unhealthy");
    all.healthy(0);
    assert_eq!(all.state_name(0), "ready");
}

#[test]
fn an_error_does_not_change_the_order_of_the_end() {
    let mut all = Supervisor::default();
    all.add(0, Rules { names: vec!["a".into()], ..always(1.0, 1.0) }, START);
    all.ready(0, START);
    all.add(1, named("b", &["a"]), START);
    assert_eq!(all.end(SECOND), [Instruction::Send(1, Signal::Int)]);
    assert_eq!(all.unhealthy(0, SECOND), []);
    assert_eq!(all.exited(1, Exit::Code(0), SECOND), [Instruction::Send(0, Signal::Int)]);
}

#[test]
fn the_delay_is_short_again_after_a_process_was_ready_for_long() {
    let mut all = Supervisor::default();
    all.add(0, always(1.0, 8.0), START);
    let mut now = START;
    for (runs, wait) in [(1, 1), (1, 2), (1, 4), (9, 1), (1, 2)] {
        all.ready(0, now);
        now += runs * SECOND;
        all.unhealthy(0, now);
        let instructions = all.exited(0, Exit::Code(0), now);
        assert!(
            matches!(instructions[..], [Instruction::ReportRestart { at, .. }] if at == now + wait * SECOND),
            "{instructions:?}"
        );
        now += wait * SECOND;
        all.tick(now);
    }
}

#[test]
fn the_last_request_of_the_user_counts_while_a_process_ends() {
    let mut all = Supervisor::default();
    all.add(0, rules(), START);
    all.ready(0, START);
    all.restart(0, START);
    all.stop(0, START);
    assert_eq!(all.exited(0, Exit::Code(0), START), []);
    assert_eq!(all.restart(0, START), [Instruction::Start(0)]);
    all.stop(0, START);
    all.restart(0, START);
    assert_eq!(all.exited(0, Exit::Code(0), START), [Instruction::Start(0)]);
}

#[test]
fn those_that_wait_for_a_component_are_started_if_it_was_loaded_and_abandoned_if_not() {
    let mut all = Supervisor::default();
    all.add(0, Rules { names: vec!["box".into(), "/good".into(), "/bad".into()], ..rules() }, START);
    all.add(1, named("a", &["/late"]), START);
    all.add(2, named("b", &["/bad"]), START);
    all.add(3, named("c", &["/good"]), START);
    assert_eq!(all.component_loaded("/late", SECOND), [Instruction::Start(1)]);
    assert_eq!(all.component_lost(0, "/bad"), [Instruction::Abandon { id: 2, because: 0 }]);
    assert_eq!(all.ready(0, SECOND), [Instruction::Start(3)]);
}

#[test]
fn a_process_that_is_stopped_while_it_is_unhealthy_is_not_started_again() {
    let mut all = Supervisor::default();
    all.add(0, always(1.0, 1.0), START);
    all.ready(0, START);
    assert_eq!(all.unhealthy(0, START), [Instruction::Send(0, Signal::Int)]);
    assert_eq!(all.stop(0, START), []);
    assert_eq!(all.exited(0, Exit::Code(1), START), []);
    assert!(all.is_over());
}

#[test]
fn a_restart_that_the_user_wants_comes_without_a_delay() {
    let mut all = Supervisor::default();
    all.add(0, always(1.0, 1.0), START);
    all.ready(0, START);
    all.unhealthy(0, START);
    assert_eq!(all.restart(0, START), []);
    assert_eq!(all.exited(0, Exit::Code(0), START), [Instruction::Start(0)]);
    // The error belongs to the run before.
    assert_eq!(all.state_name(0), "starting");
    // Then only the rules count again.
    let mut all = Supervisor::default();
    let on_failure = Restart { policy: RestartPolicy::OnFailure, delay: 1.0, max_delay: 1.0, max: None };
    all.add(0, Rules { restart: on_failure, ..rules() }, START);
    all.unhealthy(0, START);
    all.restart(0, START);
    all.exited(0, Exit::Code(0), START);
    assert_eq!(all.exited(0, Exit::Code(0), SECOND), []);
    assert!(all.is_over());
}

#[test]
fn a_process_is_started_again_only_as_often_as_its_rules_allow() {
    let mut all = Supervisor::default();
    let twice = Restart { policy: RestartPolicy::OnFailure, delay: 0.0, max_delay: 0.0, max: Some(2) };
    all.add(0, Rules { restart: twice, ..rules() }, START);
    for restarts in [1, 2] {
        let restart = Instruction::ReportRestart { id: 0, at: START, restarts };
        assert_eq!(all.exited(0, Exit::Code(1), START), [restart]);
        assert_eq!(all.tick(START), [Instruction::Start(0)]);
    }
    assert_eq!(all.exited(0, Exit::Code(1), START), []);
    assert!(all.is_over());
}

#[test]
fn a_program_that_can_not_be_started_is_tried_again_after_a_short_delay() {
    let mut all = Supervisor::default();
    all.add(0, always(0.0, 0.0), START);
    let at = Duration::from_millis(100);
    let restart = Instruction::ReportRestart { id: 0, at, restarts: 1 };
    assert_eq!(all.exited(0, Exit::NotStarted, START), [restart]);
    assert_eq!((all.next_deadline(), all.state_name(0)), (Some(at), "restarts"));
    // The user does not want to wait.
    assert_eq!(all.restart(0, START), [Instruction::Start(0)]);
    assert_eq!(all.next_deadline(), None);
}

#[test]
fn a_second_request_to_end_sends_the_next_signals_at_once() {
    let mut all = Supervisor::default();
    all.add(0, named("a", &[]), START);
    all.ready(0, START);
    all.add(1, named("b", &["a"]), START);
    assert_eq!(all.end(SECOND), [Instruction::Send(1, Signal::Int)]);
    let both = [Instruction::Send(0, Signal::Int), Instruction::Send(1, Signal::Term)];
    assert_eq!(all.end_at_once(SECOND), both);
    let both = [Instruction::Send(0, Signal::Term), Instruction::Send(1, Signal::Kill)];
    assert_eq!(all.end_at_once(SECOND), both);
    assert_eq!(all.end_at_once(SECOND), [Instruction::Send(0, Signal::Kill)]);
    // No signal is left.
    assert_eq!(all.end_at_once(SECOND), []);
}

#[test]
fn no_process_is_started_while_everything_ends() {
    let mut all = Supervisor::default();
    all.add(0, named("a", &[]), START);
    all.add(1, named("b", &["a"]), START);
    all.add(2, always(1.0, 1.0), START);
    all.exited(2, Exit::Code(1), START);
    assert_eq!(all.end(START), [Instruction::Send(0, Signal::Int)]);
    // Those that wait for others or for a restart have ended.
    assert_eq!((all.state_name(1), all.state_name(2)), ("ended", "ended"));
    assert_eq!(all.tick(SECOND), []);
    assert_eq!(all.component_loaded("a", SECOND), []);
    assert_eq!(all.exited(0, Exit::Code(0), SECOND), []);
    assert!(all.is_over());
}

#[test]
fn those_that_wait_for_a_process_are_abandoned_if_it_is_stopped_before_it_was_ready() {
    let mut all = Supervisor::default();
    all.add(0, named("a", &["/late"]), START);
    all.add(1, named("b", &["a"]), START);
    assert_eq!(all.stop(0, START), [Instruction::Abandon { id: 1, because: 0 }]);
    // One that was ready once has done its part.
    let mut all = Supervisor::default();
    all.add(0, Rules { names: vec!["a".into()], ..always(1.0, 1.0) }, START);
    all.ready(0, START);
    all.exited(0, Exit::Code(1), START);
    assert_eq!(all.stop(0, START), []);
    assert_eq!(all.add(1, named("b", &["a"]), START), [Instruction::Start(1)]);
}

#[test]
fn a_node_that_leaves_while_its_process_starts_is_lost_when_the_process_is_ready() {
    let mut all = Supervisor::default();
    all.add(0, Rules { ready_timeout: Some(20 * SECOND), ..rules() }, START);
    all.node_changed(0, true, START);
    all.node_changed(0, false, START);
    assert_eq!(all.next_deadline(), Some(20 * SECOND));
    all.ready(0, 10 * SECOND);
    assert_eq!(all.tick(10 * SECOND), [Instruction::ReportNodeLoss(0)]);
    assert_eq!(all.tick(11 * SECOND), []);
}

#[test]
fn only_a_failure_that_nobody_has_asked_for_counts() {
    let mut all = Supervisor::default();
    all.add(0, rules(), START);
    all.add(1, rules(), START);
    all.add(2, rules(), START);
    all.stop(0, START);
    all.exited(0, Exit::Signal(2), START);
    assert_eq!(all.first_failure(), None);
    all.exited(1, Exit::Signal(6), START);
    all.exited(2, Exit::Code(3), START);
    assert_eq!(all.first_failure(), Some(Exit::Signal(6)));
}
