//! Trees of leaves whose statuses are given, scripts, and files that are wrong.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};

use proptest::prelude::*;

use super::*;

/// The planned statuses of leaves, and a log of the leaves that were ticked and halted.
#[derive(Default)]
struct Leaves {
    plan: BTreeMap<String, VecDeque<Status>>,
    log: String,
}

/// A leaf that returns what is planned for its name. The last status is returned again and again.
struct Planned;

impl Behavior<Leaves> for Planned {
    fn tick(&mut self, tick: &mut Tick<'_, Leaves>) -> Result<Status, TickError> {
        let name = tick.info().name.clone();
        tick.context.log += &name;
        let plan = tick.context.plan.get_mut(&name).ok_or("no plan")?;
        let status = if plan.len() > 1 { plan.pop_front() } else { plan.front().copied() };
        status.ok_or_else(|| "no plan".into())
    }

    fn halt(&mut self, tick: &mut Tick<'_, Leaves>) {
        if tick.status() == Status::Running {
            let name = tick.info().name.clone();
            tick.context.log += &format!("{name}!");
        }
    }
}

fn factory() -> Factory<Leaves> {
    let mut factory = Factory::new();
    for name in ["a", "b", "c", "d"] {
        factory.register(name, NodeKind::Action, [], |_| Ok(Box::new(Planned)));
    }
    factory
}

fn document(body: &str) -> String {
    format!("<root BTCPP_format=\"4\"><BehaviorTree ID=\"Main\">{body}</BehaviorTree></root>")
}

fn tree(body: &str) -> Tree<Leaves> {
    let mut factory = factory();
    factory.load(&document(body)).unwrap();
    factory.create_main().unwrap()
}

fn status(letter: char) -> Status {
    match letter {
        'R' => Status::Running,
        'S' => Status::Success,
        'F' => Status::Failure,
        _ => Status::Skipped,
    }
}

fn plan(plan: &str) -> Leaves {
    let entry = |part: &str| {
        let (name, letters) = part.split_once(':').unwrap();
        (name.to_owned(), letters.chars().map(status).collect())
    };
    Leaves { plan: plan.split(' ').map(entry).collect(), log: String::new() }
}

/// Ticks a tree every 100 ms. Returns which leaves were ticked (a) and halted (a!), and the first letter of each status.
fn run(body: &str, planned: &str, ticks: u32) -> String {
    let (mut tree, mut leaves) = (tree(body), plan(planned));
    let mut done = Vec::new();
    for tick in 0..ticks {
        let status = tree.tick(&mut leaves, Duration::from_millis(100) * tick).unwrap();
        done.push(format!("{}={}", std::mem::take(&mut leaves.log), &status.to_string()[..2]));
    }
    done.join(" ")
}

#[test]
fn sequences_and_fallbacks_remember_the_child_that_runs() {
    let sequence = "<Sequence><a/><b/><c/></Sequence>";
    assert_eq!(run(sequence, "a:S b:RS c:S", 2), "ab=RU bc=SU");
    assert_eq!(run(sequence, "a:S b:F c:S", 2), "ab=FA ab=FA");
    assert_eq!(run(sequence, "a:K b:K c:K", 1), "abc=SK");
    assert_eq!(run(sequence, "a:K b:S c:K", 1), "abc=SU");
    let fallback = "<Fallback><a/><b/><c/></Fallback>";
    assert_eq!(run(fallback, "a:F b:RS c:S", 2), "ab=RU b=SU");
    assert_eq!(run(fallback, "a:F b:F c:K", 1), "abc=FA");
    assert_eq!(run(fallback, "a:K b:K c:K", 1), "abc=SK");
    // The memory goes on at the child that failed.
    let memory = "<SequenceWithMemory><a/><b/><c/></SequenceWithMemory>";
    assert_eq!(run(memory, "a:S b:FS c:S", 2), "ab=FA bc=SU");
    assert_eq!(run("<AsyncSequence><a/><b/></AsyncSequence>", "a:S b:S", 1), "ab=SU");
}

#[test]
fn reactive_nodes_begin_anew() {
    let sequence = "<ReactiveSequence><a/><b/></ReactiveSequence>";
    assert_eq!(run(sequence, "a:SSS b:RRS", 3), "ab=RU ab=RU ab=SU");
    // The condition fails, and what runs is halted.
    assert_eq!(run(sequence, "a:SF b:R", 2), "ab=RU ab!=FA");
    let fallback = "<ReactiveFallback><a/><b/></ReactiveFallback>";
    assert_eq!(run(fallback, "a:FS b:R", 2), "ab=RU ab!=SU");
    assert_eq!(run(fallback, "a:FR b:R", 2), "ab=RU ab!=RU");
    assert_eq!(run(sequence, "a:K b:K", 1), "ab=SK");
}

#[test]
fn children_run_in_parallel() {
    let some = "<Parallel success_count=\"2\" failure_count=\"2\"><a/><b/><c/></Parallel>";
    assert_eq!(run(some, "a:S b:RS c:R", 2), "abc=RU bc!=SU");
    assert_eq!(run(some, "a:F b:RF c:R", 2), "abc=RU bc!=FA");
    assert_eq!(run("<Parallel><a/><b/></Parallel>", "a:S b:RF", 2), "ab=RU b=FA");
    let all = "<ParallelAll max_failures=\"2\"><a/><b/><c/></ParallelAll>";
    assert_eq!(run(all, "a:F b:RS c:S", 2), "abc=RU b=SU");
    assert_eq!(run(all, "a:F b:RF c:S", 2), "abc=RU b=FA");
    let mut tree = tree("<Parallel success_count=\"3\"><a/></Parallel>");
    let error = tree.tick(&mut plan("a:S"), Duration::ZERO).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Exception in node 'Parallel::1' [Parallel]: Number of children is less than threshold. Can never succeed."
    );
}

#[test]
fn one_of_several_children_is_chosen() {
    let branch = "<IfThenElse><a/><b/><c/></IfThenElse>";
    assert_eq!(run(branch, "a:S b:RS c:S", 2), "ab=RU b=SU");
    assert_eq!(run(branch, "a:F b:S c:RF", 2), "ac=RU c=FA");
    let branch = "<WhileDoElse><a/><b/><c/></WhileDoElse>";
    assert_eq!(run(branch, "a:SF b:R c:S", 2), "ab=RU ab!c=SU");
    assert_eq!(run("<WhileDoElse><a/><b/></WhileDoElse>", "a:F b:S", 1), "a=FA");
    let switch = |value: &str| {
        format!(
            "<Sequence><Script code=\"v := {value}\"/><Switch2 variable=\"{{v}}\" case_1=\"1\" case_2=\"two\"><a/><b/><c/>\
             </Switch2></Sequence>"
        )
    };
    let cases = ["1", "'two'", "'three'"].map(|value| run(&switch(value), "a:S b:S c:S", 1));
    assert_eq!(cases, ["a=SU", "b=SU", "c=SU"]);
}

#[test]
fn decorators_change_what_their_child_returns() {
    let cases = [
        ("<Inverter><a/></Inverter>", "a:SF", 2, "a=FA a=SU"),
        ("<ForceSuccess><a/></ForceSuccess>", "a:RF", 2, "a=RU a=SU"),
        ("<ForceFailure><a/></ForceFailure>", "a:KS", 2, "a=SK a=FA"),
        ("<KeepRunningUntilFailure><a/></KeepRunningUntilFailure>", "a:SRF", 3, "a=RU a=RU a=FA"),
        ("<RetryUntilSuccessful num_attempts=\"3\"><a/></RetryUntilSuccessful>", "a:FFS", 1, "aaa=SU"),
        ("<RetryUntilSuccessful num_attempts=\"2\"><a/></RetryUntilSuccessful>", "a:F", 1, "aa=FA"),
        ("<Repeat num_cycles=\"2\"><a/></Repeat>", "a:SRS", 2, "aa=RU a=SU"),
        ("<Repeat num_cycles=\"0\"><a/></Repeat>", "a:S", 1, "=SU"),
        ("<RunOnce><a/></RunOnce>", "a:RS", 3, "a=RU a=SU =SK"),
        ("<RunOnce then_skip=\"false\"><a/></RunOnce>", "a:F", 2, "a=FA =FA"),
        ("<Delay delay_msec=\"150\"><a/></Delay>", "a:S", 3, "=RU =RU a=SU"),
        ("<Timeout msec=\"150\"><a/></Timeout>", "a:R", 3, "a=RU a=RU a!=FA"),
        ("<Timeout msec=\"150\"><a/></Timeout>", "a:RS", 2, "a=RU a=SU"),
        ("<Sequence><Sleep msec=\"100\"/><a/></Sequence>", "a:S", 2, "=RU a=SU"),
    ];
    for (body, planned, ticks, wanted) in cases {
        assert_eq!(run(body, planned, ticks), wanted, "{body}");
    }
}

#[test]
fn nodes_of_navigation() {
    // What is before the child that runs is ticked again, and also if it runs.
    let pipeline = "<PipelineSequence><a/><b/><c/></PipelineSequence>";
    assert_eq!(run(pipeline, "a:SSR b:SS c:R", 3), "abc=RU abc=RU abc=RU");
    assert_eq!(run(pipeline, "a:SF b:R c:R", 2), "ab=RU ab!=FA");
    let recovery = "<RecoveryNode number_of_retries=\"2\"><a/><b/></RecoveryNode>";
    assert_eq!(run(recovery, "a:FS b:S", 1), "aba=SU");
    assert_eq!(run(recovery, "a:F b:S", 1), "ababa=FA");
    assert_eq!(run(recovery, "a:F b:F", 1), "ab=FA");
    assert_eq!(run(recovery, "a:FS b:RS", 2), "ab=RU ba=SU");
    let round = "<RoundRobin><a/><b/><c/></RoundRobin>";
    assert_eq!(run(round, "a:S b:F c:S", 3), "a=SU bc=SU a=SU");
    assert_eq!(run(round, "a:F b:F c:F", 1), "abc=FA");
    // Every 250 ms, and while it runs. Its parent does not reset it.
    let rate = "<PipelineSequence><RateController hz=\"4.0\"><a/></RateController><b/></PipelineSequence>";
    assert_eq!(run(rate, "a:SRS b:R", 7), "ab=RU b=RU b=RU ab=RU ab=RU b=RU b=RU");
    let single = "<Fallback><SingleTrigger><a/></SingleTrigger><b/></Fallback>";
    assert_eq!(run(single, "a:F b:RRS", 3), "ab=RU b=RU b=SU");
}

#[test]
fn a_time_begins_again_if_the_clock_is_set_back() {
    let run = |body: &str, planned: &str, milliseconds: &[u64]| {
        let (mut tree, mut leaves) = (tree(body), plan(planned));
        for time in milliseconds {
            tree.tick(&mut leaves, Duration::from_millis(*time)).unwrap();
        }
        leaves.log
    };
    let rate = "<PipelineSequence><RateController hz=\"4.0\"><a/></RateController><b/></PipelineSequence>";
    assert_eq!(run(rate, "a:S b:R", &[9000, 10, 100, 260]), "abbbab");
    assert_eq!(run("<Delay delay_msec=\"150\"><a/></Delay>", "a:S", &[9000, 10, 100, 160]), "a");
    assert_eq!(run("<Timeout msec=\"150\"><a/></Timeout>", "a:R", &[9000, 10, 100, 160]), "aaaa!");
}

#[test]
fn a_node_is_made_with_the_values_of_its_ports() {
    let made = Arc::<Mutex<Vec<Option<String>>>>::default();
    let mut factory = Factory::<()>::new();
    let texts = made.clone();
    factory.register("Call", NodeKind::Action, [Port::input("service")], move |config| {
        texts.lock().unwrap().push(config.port("service"));
        Ok(leaf(|_| Ok(Status::Success)))
    });
    let text = "<root BTCPP_format=\"4\"><BehaviorTree ID=\"Main\"><Sequence><SubTree ID=\"Clear\" service=\"clear\"/>\
                <Call service=\"{nothing}\"/><Call service=\"\"/><Call/></Sequence></BehaviorTree>\
                <BehaviorTree ID=\"Clear\"><Call service=\"{service}\"/></BehaviorTree></root>";
    factory.load(text).unwrap();
    factory.create("Main").unwrap();
    assert_eq!(*made.lock().unwrap(), [Some("clear".to_owned()), None, None, None]);
}

#[test]
fn conditions_and_assignments_are_around_ticks() {
    let set = "<Script code=\"x := 1\"/>";
    let run = |attributes: &str, planned: &str| {
        run(&format!("<Sequence>{set}<ForceSuccess><a {attributes}/></ForceSuccess></Sequence>"), planned, 2)
    };
    assert_eq!(run("_skipIf=\"x == 1\"", "a:S"), "=SU =SU");
    assert_eq!(run("_skipIf=\"x != 1\"", "a:S"), "a=SU a=SU");
    let alone = |attributes: &str| {
        self::run(&format!("<Sequence>{set}<a {attributes}/><b/></Sequence>"), "a:S b:S", 1)
    };
    assert_eq!(alone("_successIf=\"x == 1\""), "b=SU");
    assert_eq!(alone("_failureIf=\"x == 1\""), "=FA");
    assert_eq!(alone("_skipIf=\"x == 1\""), "b=SU");
    assert_eq!(self::run(&format!("<Parallel>{set}<a _skipIf=\"x == 1\"/></Parallel>"), "a:S", 1), "=SU");
    // What runs is halted as soon as the condition is false.
    let body =
        "<Parallel><a _while=\"go\"/><Sequence><b/><Script code=\"go = false\"/><c/></Sequence></Parallel>";
    let body = format!("<Sequence><Script code=\"go := true\"/>{body}</Sequence>");
    assert_eq!(self::run(&body, "a:R b:S c:R", 2), "abc=RU a!c=RU");
    // Each assignment at its time.
    let body = "<Sequence><Script code=\"log := ''\"/><ForceSuccess><a _onFailure=\"log += 'f'\" _post=\"log += 'p'\"/></ForceSuccess>\
                <b _onSuccess=\"log += 's'\" _onHalted=\"log += 'h'\"/></Sequence>";
    let mut tree = tree(body);
    let mut leaves = plan("a:F b:R");
    tree.tick(&mut leaves, Duration::ZERO).unwrap();
    tree.halt(&mut leaves, Duration::ZERO).unwrap();
    let log = tree.boards().get(0, "log").unwrap().to_text().unwrap();
    assert!(log.starts_with("fph"), "{log}");
    // A script that fails because of a halt is an error, too: of the halt, or of the tick that it belongs to.
    let broken = "<a _onHalted=\"n = 1 + 'x' * 2\"/>";
    let (mut halted, mut leaves) = (self::tree(broken), plan("a:R"));
    halted.tick(&mut leaves, Duration::ZERO).unwrap();
    let error = halted.halt(&mut leaves, Duration::ZERO).unwrap_err().to_string();
    assert!(error.contains("[a]"), "{error}");
    let body = format!("<Parallel success_count=\"1\" failure_count=\"1\">{broken}<b/></Parallel>");
    let (mut ticked, mut leaves) = (self::tree(&body), plan("a:R b:S"));
    assert!(ticked.tick(&mut leaves, Duration::ZERO).is_err());
}

#[test]
fn values_go_from_node_to_node() {
    let body = "<Sequence>\
        <SetBlackboard value=\"1;2;3\" output_key=\"queue\"/>\
        <LoopInt queue=\"{queue}\" value=\"{n}\"><Script code=\"sum := n\" _skipIf=\"n != 3\"/></LoopInt>\
        <SetBlackboard value=\"{sum}\" output_key=\"copy\"/>\
        <SkipUnlessUpdated entry=\"{copy}\"><a/></SkipUnlessUpdated>\
        <WasEntryUpdated entry=\"{copy}\"/>\
        <UnsetBlackboard key=\"sum\"/>\
        <Precondition if=\"copy == 3\" else=\"RUNNING\"><b/></Precondition>\
        </Sequence>";
    let (mut tree, mut leaves) = (tree(body), plan("a:S b:S"));
    let mut last = Status::Running;
    for tick in 0..6 {
        last = tree.tick(&mut leaves, Duration::from_secs(tick)).unwrap();
        if last != Status::Running {
            break;
        }
    }
    assert_eq!((last, leaves.log.as_str()), (Status::Success, "ab"));
    let value = |key: &str| tree.boards().get(0, key).and_then(Value::to_text);
    assert_eq!((value("copy").as_deref(), value("sum")), (Some("3"), None));
}

#[test]
fn subtrees_have_blackboards_of_their_own() {
    let text = "<root BTCPP_format=\"4\" main_tree_to_execute=\"Main\">\
        <BehaviorTree ID=\"Main\"><Sequence><Script code=\"outer := 5; hidden := 6\"/>\
          <SubTree ID=\"Inner\" port=\"{outer}\" number=\"2.5\" text=\"words\"/>\
          <SubTree ID=\"Open\" _autoremap=\"true\" name=\"open\"/></Sequence></BehaviorTree>\
        <BehaviorTree ID=\"Inner\"><Sequence><Script code=\"port = port + 1; @root := number * 2\"/>\
          <ScriptCondition code=\"text == 'words'\"/></Sequence></BehaviorTree>\
        <BehaviorTree ID=\"Open\"><Script code=\"hidden = hidden + outer; _own := 1\"/></BehaviorTree></root>";
    let mut factory = factory();
    factory.load(text).unwrap();
    let mut tree = factory.create_main().unwrap();
    assert_eq!(tree.tick(&mut Leaves::default(), Duration::ZERO), Ok(Status::Success));
    let value = |key: &str| tree.boards().get(0, key).and_then(Value::number);
    assert_eq!(["outer", "root", "hidden", "_own"].map(value), [Some(6.0), Some(5.0), Some(12.0), None]);
    let names: Vec<&str> = tree.nodes().map(|node| node.name.as_str()).collect();
    assert_eq!(names[..4], ["Sequence", "Script", "Inner", "Sequence"]);
    assert_eq!(tree.nodes().map(|node| node.uid).collect::<Vec<_>>(), (1..=8).collect::<Vec<u16>>());
}

#[test]
fn a_text_for_a_subtree_is_its_own() {
    let text = "<root main_tree_to_execute=\"Main\"><BehaviorTree ID=\"Main\"><Sequence><Script code=\"speed := 9; goal := 1\"/>\
        <SubTree ID=\"Move\" _autoremap=\"true\" speed=\"0.1\" out=\"{first}\"/><SubTree ID=\"Move\" _autoremap=\"true\" speed=\"0.5\" \
        out=\"{@second}\"/></Sequence></BehaviorTree><BehaviorTree ID=\"Move\"><Script code=\"out := speed\"/></BehaviorTree></root>";
    let mut factory = factory();
    factory.load(text).unwrap();
    let mut tree = factory.create_main_with(Boards::default()).unwrap();
    assert_eq!(tree.tick(&mut Leaves::default(), Duration::ZERO), Ok(Status::Success));
    let value = |key: &str| tree.boards().get(0, key).and_then(Value::number);
    assert_eq!(["speed", "first", "second"].map(value), [Some(9.0), Some(0.1), Some(0.5)]);
}

#[test]
fn a_tree_that_never_rests_goes_on_with_the_next_tick() {
    for body in [
        "<Repeat num_cycles=\"-1\"><AlwaysSuccess/></Repeat>",
        "<RetryUntilSuccessful num_attempts=\"-1\"><AlwaysFailure/></RetryUntilSuccessful>",
        "<RecoveryNode number_of_retries=\"1000000000\"><AlwaysFailure/><AlwaysSuccess/></RecoveryNode>",
    ] {
        let mut tree = tree(body);
        assert_eq!(tree.tick(&mut Leaves::default(), Duration::ZERO), Ok(Status::Running), "{body}");
        assert!(tree.take_changes().len() <= 10_000);
    }
    let body = "<Timeout msec=\"100\"><Repeat num_cycles=\"-1\"><AlwaysSuccess/></Repeat></Timeout>";
    let mut tree = tree(body);
    tree.tick(&mut Leaves::default(), Duration::ZERO).unwrap();
    assert_eq!(tree.tick(&mut Leaves::default(), Duration::from_secs(1)), Ok(Status::Failure));
}

#[test]
fn numbers_keep_their_precision() {
    let body = "<Sequence><Precondition if=\"true\" else=\"FAILURE\"><AlwaysSuccess/></Precondition>\
        <Script code=\"_skip := 0\"/><RateController hz=\"{x}\" _skipIf=\"true\"><AlwaysSuccess/></RateController>\
        <Script code=\"x := 1.0471975511965976\"/></Sequence>";
    let mut tree = tree(body);
    assert_eq!(tree.tick(&mut Leaves::default(), Duration::ZERO), Ok(Status::Success));
    assert_eq!(tree.boards().get(0, "x").and_then(Value::number), Some(1.0471975511965976));
}

#[test]
fn changes_of_statuses_are_recorded() {
    let (mut tree, mut leaves) = (tree("<Sequence><a/><b/></Sequence>"), plan("a:S b:RS"));
    tree.tick(&mut leaves, Duration::from_secs(1)).unwrap();
    let changes: Vec<String> = tree
        .take_changes()
        .iter()
        .map(|change| format!("{} {} {} {}", change.uid, change.name, change.before, change.after))
        .collect();
    assert_eq!(changes, ["2 a IDLE SUCCESS", "3 b IDLE RUNNING", "1 Sequence IDLE RUNNING"]);
    tree.halt(&mut leaves, Duration::from_secs(1)).unwrap();
    assert_eq!(leaves.log, "abb!");
    assert!(tree.nodes().enumerate().all(|(index, _)| tree.status(index) == Status::Idle));
}

/// Returns the value of a script.
fn script(code: &str) -> Result<String, String> {
    let mut factory = factory();
    factory.name_number("RED", 2);
    let escaped = code.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    factory
        .load(&document(&format!("<Script code=\"out := ({escaped})\"/>")))
        .map_err(|error| error.to_string())?;
    let mut tree = factory.create_main().map_err(|error| error.to_string())?;
    tree.tick(&mut Leaves::default(), Duration::ZERO).map_err(|error| error.to_string())?;
    Ok(tree.boards().get(0, "out").unwrap().to_text().unwrap())
}

#[test]
fn scripts_have_values() {
    let cases = [
        ("1 + 2 * 3 - 4 / 2", "5.000000"),
        ("10 - 4 - 3", "3.000000"),
        ("-2 * -3", "6.000000"),
        ("7 & 3 | 8", "11.000000"),
        ("6 ^ 3", "5.000000"),
        ("~0", "-1.000000"),
        ("!(1 > 2)", "1.000000"),
        ("1 < 2 && 2 < 1", "0.000000"),
        ("1 < 2 || 2 < 1", "1.000000"),
        ("1 < 2 < 3", "1.000000"),
        ("3 > 2 > 2", "0.000000"),
        ("'a' + 'b'", "ab"),
        ("'n' .. 3", "n3"),
        ("'b' > 'a'", "1.000000"),
        ("RED == 2", "1.000000"),
        ("'RED' == 2", "1.000000"),
        ("'3' == 3", "1.000000"),
        ("true ? 'yes' : 'no'", "yes"),
        ("0.5e1 == 5", "1.000000"),
        ("0x10", "16"),
        ("'it'", "it"),
    ];
    for (code, value) in cases {
        assert_eq!(script(code).as_deref(), Ok(value), "{code}");
    }
}

#[test]
fn scripts_that_are_wrong_say_why() {
    let ends = [
        ("1 +", "Expected operand at position 11 (got ')')"),
        ("(1", "Parse error at position 11: expected ')' (got 'end of the script')"),
        ("3foo", "Invalid token '3foo' at position 8"),
        ("65.", "Invalid token '65.' at position 8"),
        ("nothing", "Variable not found: nothing"),
        ("'a' - 1", "Operation not permitted"),
        ("1.5 & 1", "Binary operators are not allowed if one of the operands is not an integer"),
        ("'x' && 1", "Logic operators are not allowed if one of the operands is not castable to bool"),
        ("'x' == 1", "Can't mix different types in Comparison. Left operand [x] right operand [1]"),
        ("-'x'", "Invalid operator for std::string"),
        ("x = 1", "use the operator [:=] instead of [=]"),
        ("1 = 2", "Assignment left operand not a blackboard entry at position 10"),
    ];
    for (code, end) in ends {
        let error = script(code).unwrap_err();
        assert!(error.ends_with(end), "{code}: {error}");
    }
    let deep = "(".repeat(500);
    assert!(script(&deep).unwrap_err().contains("nested"));
    assert!(script(&"-".repeat(500)).unwrap_err().contains("nested"));
    // A chain of operators is as deep as it is long.
    assert!(script(&"1+".repeat(400)).unwrap_err().contains("Expected operand"));
    assert!(script(&"1+".repeat(600)).unwrap_err().contains("1000 words"));
    assert!(script(&"1+".repeat(6000)).unwrap_err().contains("10000 bytes"));
    let sum = format!("{}1", "1+".repeat(400));
    assert_eq!(script(&sum).as_deref(), Ok("401.000000"));
}

#[test]
fn an_entry_keeps_its_kind() {
    let error = |code: &str| {
        let mut tree = tree(&format!("<Script code=\"{code}\"/>"));
        tree.tick(&mut Leaves::default(), Duration::ZERO).unwrap_err().to_string()
    };
    let text = error("x := 1; x = 'word'");
    let wanted = "Error assigning a value to entry [x] with type [int64_t]. \nThe right operand is a string, can't convert to int64_t";
    assert!(text.ends_with(wanted), "{text}");
    assert!(error("x := 1; x = 1.5").ends_with("has type [double] and can't be converted to int64_t"));
    assert!(
        error("x := 'word'; x = 1").ends_with("has type [int64_t] and can't be converted to std::string")
    );
}

/// Returns why a document can't be loaded, or its tree not be made.
fn wrong(text: &str) -> String {
    let mut factory = factory();
    factory.load(text).and_then(|()| factory.create_main().map(|_| ())).unwrap_err().to_string()
}

#[test]
fn files_that_are_wrong_say_where() {
    let body = |body: &str| wrong(&document(&format!("\n\n{body}")));
    assert_eq!(wrong("<tree/>"), "The XML must have a root node called <root>");
    assert!(wrong("<root><a></root>").starts_with("Error parsing the XML: "));
    let cases = [
        ("<Nothing/>", "Error at line 3: -> Node not recognized: Nothing"),
        ("<Inverter/>", "Error at line 3: -> The node 'Inverter' must have exactly 1 child"),
        (
            "<Inverter><a/><b/></Inverter>",
            "Error at line 3: -> The node 'Inverter' must have exactly 1 child",
        ),
        ("<Sequence/>", "Error at line 3: -> The node 'Sequence' must have 1 or more children"),
        ("<a><b/></a>", "Error at line 3: -> The node 'a' must not have any child"),
        ("<Action/>", "Error at line 3: -> The tag <Action> must have the attribute [ID]"),
        ("<a ID=\"b\"/>", "Error at line 3: -> Attribute [ID] is not allowed in <a>"),
        (
            "<SubTree ID=\"a\"/>",
            "Error at line 3: -> The attribute [ID] of tag <SubTree> must not use the name of a registered Node",
        ),
        (
            "<SubTree ID=\"X\"><a/></SubTree>",
            "Error at line 3: -> <SubTree> with ID 'X' should not have any child",
        ),
        ("<SubTree ID=\"X\"/>", "Can't find a tree with name: X"),
        (
            "<SubTree ID=\"Main\"/>",
            "Recursive behavior tree cycle detected: tree 'Main' references itself (directly or indirectly)",
        ),
        (
            "<a port=\"1\"/>",
            "Error at line 3: -> a port with name [port] is found in the XML (<a>, line 3) but not in the providedPorts() of its \
             registered node type.",
        ),
        (
            "<Sleep msec=\"soon\"/>",
            "Error at line 3: -> The port with name \"msec\" and value \"soon\" can not be converted to unsigned int",
        ),
        (
            "<Sequence><Sleep msec=\"{x}\"/><RunOnce then_skip=\"{x}\"><a/></RunOnce></Sequence>",
            "Error at line 3: -> The creation of the tree failed because the port [x] was initially created with type [unsigned \
             int] and, later type [bool] was used somewhere else.",
        ),
        (
            "<a _skipIf=\"1 +\"/>",
            "Error at line 3: -> Error in the script \"1 +\"\nExpected operand at position 3 (got 'end of the script')",
        ),
    ];
    for (text, error) in cases {
        assert_eq!(body(text), error);
    }
    let two =
        "<root><BehaviorTree ID=\"A\"><a/></BehaviorTree><BehaviorTree ID=\"B\"><a/></BehaviorTree></root>";
    assert_eq!(wrong(two), "[main_tree_to_execute] was not specified correctly");
    assert_eq!(
        wrong("<root>\n<BehaviorTree ID=\"A\"><a/><b/></BehaviorTree></root>"),
        "Error at line 2: -> The tag <BehaviorTree> with ID 'A' must have exactly 1 child"
    );
    assert_eq!(
        wrong("<root><include path=\"x.xml\"/></root>"),
        "Error at line 1: -> x.xml: no files can be included here"
    );
    let model = "<root main_tree_to_execute=\"A\"><BehaviorTree ID=\"A\"><SubTree ID=\"B\"/></BehaviorTree><BehaviorTree ID=\"B\"><a/>\
                 </BehaviorTree><TreeNodesModel><SubTree ID=\"B\"><input_port name=\"p\"/></SubTree></TreeNodesModel></root>";
    assert!(wrong(model).contains("is defining a mandatory port called [p]"));
    let deep = format!("{}<a/>{}", "<Inverter>".repeat(300), "</Inverter>".repeat(300));
    assert!(body(&deep).contains("nested"));
}

#[test]
fn errors_have_locations() {
    let mut factory = factory();
    let main = "<root main_tree_to_execute=\"Main\"><include path=\"b.xml\"/><BehaviorTree ID=\"Main\">\n<SubTree ID=\"B\"/>\
                </BehaviorTree></root>";
    let included = "<root>\n<BehaviorTree ID=\"B\">\n<Sequence><a/><Sleep name=\"nap\" msec=\"{time}\"/></Sequence></BehaviorTree></root>";
    let mut read = |_: &Included<'_>| Ok(("/share/b.xml".to_owned(), included.to_owned()));
    factory.load_with(main, &mut read).unwrap();
    let mut tree = factory.create_main().unwrap();
    let Err(TickError::Node(error)) = tree.tick(&mut plan("a:S"), Duration::ZERO) else { panic!() };
    assert_eq!(error.path, "B::1/nap");
    let location = |line, element: &str| Location {
        file: "/share/b.xml".into(),
        line,
        tree: Some("B".into()),
        element: element.into(),
    };
    assert_eq!(error.location, location(3, "Sleep"));
    assert!(
        matches!(&error.problem, NodeProblem::MissingEntry { port, key } if port == "msec" && key == "time")
    );
    let mut read =
        |_: &Included<'_>| Ok(("/share/b.xml".to_owned(), included.replace("<a/>", "<SubTree ID=\"X\"/>")));
    factory.load_with(main, &mut read).unwrap();
    let Err(LoadError::UnknownTree { tree, location: found }) = factory.create_main() else { panic!() };
    assert_eq!((tree.as_str(), *found.unwrap()), ("X", location(3, "X")));
    let mut read =
        |_: &Included<'_>| Ok(("/share/b.xml".to_owned(), included.replace("<a/>", "<Inverter/>")));
    let Err(LoadError::Include { location: by, problem, .. }) = factory.load_with(main, &mut read) else {
        panic!()
    };
    assert_eq!((by.file.as_str(), by.line, by.element.as_str()), ("", 1, "include"));
    let IncludeProblem::Load(error) = problem else { panic!() };
    let LoadError::Element { location: found, problem } = *error else { panic!() };
    assert_eq!((*found, problem), (location(3, "Inverter"), ElementProblem::OneChild("Inverter".into())));
}

#[test]
fn a_tree_is_checked_without_its_nodes() {
    let mut factory = factory();
    factory.register("Absent", NodeKind::Action, [], |_| Err("there is no server".into()));
    factory.load(&document("<Sequence><a/><Absent/></Sequence>")).unwrap();
    let error = factory.create_main().map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "Error at line 1: -> there is no server");
    let mut tree = factory.check(factory.main().unwrap()).unwrap();
    assert_eq!(tree.nodes().count(), 3);
    assert!(tree.tick(&mut Leaves::default(), Duration::ZERO).is_err());
}

#[test]
fn files_are_included_once() {
    let mut factory = factory();
    let main = "<root BTCPP_format=\"4\"><include path=\"b.xml\"/><BehaviorTree ID=\"Main\"><SubTree ID=\"B\"/></BehaviorTree></root>";
    let mut reads = 0;
    let mut read = |included: &Included<'_>| {
        assert_eq!((included.path, included.package), ("b.xml", None));
        assert_eq!(included.by, if reads == 0 { "" } else { "/share/b.xml" });
        reads += 1;
        // It includes itself.
        let text = "<root><include path=\"b.xml\"/><BehaviorTree ID=\"B\"><a/></BehaviorTree></root>";
        Ok(("/share/b.xml".to_owned(), text.to_owned()))
    };
    factory.load_with(main, &mut read).unwrap();
    assert_eq!(reads, 2);
    let mut tree = factory.create_main().unwrap();
    assert_eq!(tree.tick(&mut plan("a:S"), Duration::ZERO), Ok(Status::Success));
}

#[test]
fn objects_go_through_ports() {
    let kind = Kind::Object {
        name: "Point",
        parse: Some(|text| {
            let numbers: Result<Vec<f64>, _> = text.split(';').map(str::parse).collect();
            numbers.map(Value::object).map_err(|_| format!("`{text}` is no point"))
        }),
    };
    let mut factory = factory();
    factory.register(
        "Go",
        NodeKind::Action,
        [Port::input("to").of(kind), Port::output("at").of(kind)],
        |_| {
            Ok(leaf(|tick: &mut Tick<'_, Leaves>| {
                let point: std::sync::Arc<Vec<f64>> = tick.input("to")?;
                tick.context.log += &format!("{point:?}");
                tick.output("at", Value::Object(point));
                Ok(Status::Success)
            }))
        },
    );
    let body = "<Sequence><Go to=\"1;2\" at=\"{p}\"/><Go to=\"{p}\"/><Script code=\"t := '3;4'\"/><Go to=\"{t}\"/></Sequence>";
    factory.load(&document(body)).unwrap();
    let (mut tree, mut leaves) = (factory.create_main().unwrap(), Leaves::default());
    assert_eq!(tree.tick(&mut leaves, Duration::ZERO), Ok(Status::Success));
    assert_eq!(leaves.log, "[1.0, 2.0][1.0, 2.0][3.0, 4.0]");
    factory.load(&document("<Go to=\"one\"/>")).unwrap();
    let error = factory.create_main().map(|_| ()).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("The port with name \"to\" and value \"one\" can not be converted to Point")
    );
}

proptest! {
    /// Nothing that is written in a file or a script makes it panic.
    #[test]
    fn texts_of_any_kind_are_read(text in "[ -~]{0,60}") {
        let _ = script(&text);
        let mut factory = factory();
        if factory.load(&document(&text)).is_ok()
            && let Ok(mut tree) = factory.create_main()
        {
            let _ = tree.tick(&mut plan("a:S b:F c:R d:K"), Duration::ZERO);
        }
    }

    /// Any tree of known nodes can be ticked and halted, and its nodes are idle then.
    #[test]
    fn trees_of_any_shape_are_ticked(shape in prop::collection::vec((0_usize..14, 1_usize..4), 1..20), letters in "[RSFK]{1,12}") {
        let mut parts = shape.iter().copied();
        let body = random_tree(&mut parts, 0);
        let (mut tree, mut leaves) = (tree(&body), plan(&format!("a:{letters} b:{letters} c:R d:F")));
        for tick in 0..10 {
            if tree.tick(&mut leaves, Duration::from_millis(100) * tick).is_err() {
                break;
            }
        }
        tree.halt(&mut leaves, Duration::from_secs(2)).unwrap();
        prop_assert!(tree.nodes().enumerate().all(|(index, _)| tree.status(index) == Status::Idle));
    }
}

/// Returns a tree of a shape: each pair chooses a node and its number of children.
fn random_tree(parts: &mut impl Iterator<Item = (usize, usize)>, depth: usize) -> String {
    const CONTROLS: [&str; 8] = [
        "Sequence",
        "Fallback",
        "ReactiveSequence",
        "ReactiveFallback",
        "PipelineSequence",
        "RoundRobin",
        "ParallelAll",
        "SequenceWithMemory",
    ];
    const DECORATORS: [&str; 4] = ["Inverter", "ForceSuccess", "RunOnce", "SingleTrigger"];
    match parts.next().filter(|_| depth < 6) {
        Some((choice @ 0..8, count)) => {
            let children: String = (0..count).map(|_| random_tree(parts, depth + 1)).collect();
            format!("<{0}>{children}</{0}>", CONTROLS[choice])
        }
        Some((choice @ 8..12, _)) => {
            format!("<{0}>{1}</{0}>", DECORATORS[choice - 8], random_tree(parts, depth + 1))
        }
        Some((choice, _)) => format!("<{}/>", ["a", "b"][choice - 12]),
        None => "<c/>".into(),
    }
}

#[test]
fn names_of_version_3_are_told_with_those_of_version_4() {
    let text = "<root main_tree_to_execute=\"M\">\n<BehaviorTree ID=\"M\"><SequenceStar><a/><SubTreePlus ID=\"S\" __autoremap=\"1\"/>\
                </SequenceStar></BehaviorTree><BehaviorTree ID=\"S\"><a/></BehaviorTree></root>";
    assert_eq!(
        wrong(text),
        "Error at line 2: -> this is a name of BehaviorTree.CPP 3; in version 4, SequenceStar is SequenceWithMemory, SubTreePlus is \
         SubTree, __autoremap is _autoremap"
    );
    let own = document("<SequenceStar><a/></SequenceStar>");
    let mut factory = factory();
    factory.register("SequenceStar", NodeKind::Control, [], |_| Err("it is registered".into()));
    factory.load(&own).unwrap();
    let autoremap = document("<SubTree ID=\"Main\" __autoremap=\"true\"/>");
    assert!(wrong(&autoremap).ends_with("in version 4, __autoremap is _autoremap"));
}

#[test]
fn scripts_in_attributes_need_no_escapes() {
    let body = "<Sequence><Script code=\"level := 3; ready := true\"/>\
                <Precondition if=\"level > 2 && 1 < level && ready == true\" else=\"FAILURE\"><a/></Precondition></Sequence>";
    assert_eq!(tree(body).tick(&mut plan("a:S"), Duration::ZERO), Ok(Status::Success));
    // The line of an error is that of the file.
    let text = format!(
        "<!-- by -- hand -->\n<?xml version=\"1.0\"?>\n{}",
        document("\n<Nothing _skipIf=\"a < 1\"/>")
    );
    assert_eq!(wrong(&text), "Error at line 4: -> Node not recognized: Nothing");
}
