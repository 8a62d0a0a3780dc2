//! Files of trees: their names, the files that they include, and their errors.

use super::*;

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
    assert_eq!(wrong(&document("<x:a/>")), "Error at line 1: -> Node not recognized: x:a");
}

/// A tree of another program can be checked: its nodes are described in the file.
#[test]
fn nodes_that_are_only_described_are_accepted_if_that_is_wanted() {
    const TEXT: &str = "<root><BehaviorTree ID=\"A\"><Twice><Say message=\"hello\"/></Twice></BehaviorTree><TreeNodesModel>\
        <Action ID=\"Say\"><input_port name=\"message\"/></Action><Decorator ID=\"Twice\"/></TreeNodesModel></root>";
    let load = |text: &str, accepts: bool| {
        let mut factory = Factory::<()>::new();
        if accepts {
            factory.accept_models();
        }
        factory.load(text).map(|()| factory)
    };
    assert!(load(TEXT, false).err().unwrap().to_string().contains("Say"));
    let factory = load(TEXT, true).ok().unwrap();
    assert_eq!(factory.check("A").unwrap().nodes().count(), 2);
    let error = factory.create("A").err().unwrap().to_string();
    assert!(error.contains("is only described"), "{error}");
    // The kinds and ports of the description hold.
    let childless = TEXT.replace("<Say message=\"hello\"/></Twice>", "</Twice>");
    assert!(load(&childless, true).is_err());
    let unknown = load(&TEXT.replace("message=\"hello\"", "massage=\"hello\""), true).ok().unwrap();
    assert!(unknown.check("A").err().unwrap().to_string().contains("massage"));
}
