//! Trees of leaves whose statuses are given.

mod files;
mod scripts;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};

use proptest::prelude::*;

use super::*;
use scripts::script;

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
