//! Parameters, as they are used by the node's own program and by other nodes.

use std::sync::mpsc;

use saltus::{
    QoS,
    msgs::rcl_interfaces::msg::ParameterEvent,
    param::ParameterValue::{Bool, Double, Integer, NotSet, String as Text},
    param::{Parameter, ParameterType, ParameterValue, RemoteParameterError},
};

use crate::case::{Case, Failure, LONG, Suite, expect};

pub(crate) const CASES: &[Case] = &[
    Case { rule: "a node offers six services for its parameters", run: offers_services },
    Case { rule: "values are read in the order of the names", run: reads },
    Case { rule: "if a name is unknown or has no value, the response is empty", run: responds_with_nothing },
    Case {
        rule: "descriptors contain the type, description, range, read-only and dynamic typing",
        run: describes,
    },
    Case { rule: "names are listed by prefixes and depth", run: lists },
    Case { rule: "a type is fixed, and an integer is not a double", run: fixes_types },
    Case { rule: "a value must be within the range, and on one of its steps", run: keeps_ranges },
    Case { rule: "a read-only parameter can't be set", run: keeps_read_only },
    Case {
        rule: "another node may change or undeclare a parameter of dynamic type, but not one of fixed type",
        run: changes_types,
    },
    Case { rule: "a callback may reject a value, with a reason", run: refuses },
    Case { rule: "parameters are set one by one, or all of them or none", run: sets_all_or_none },
    Case { rule: "an undeclared parameter can't be set", run: rejects_undeclared },
    Case {
        rule: "each change is published on /parameter_events, in the list for its kind",
        run: publishes_changes,
    },
    Case { rule: "use_sim_time is a parameter of every node", run: has_use_sim_time },
    Case { rule: "each wrong call of the node's own program returns its own error", run: has_errors },
];

impl Suite {
    fn set(&self, name: &str, value: ParameterValue) -> Result<Result<(), String>, Failure> {
        Ok(self.parameters.set(vec![Parameter::new(name, value)])?.remove(0))
    }

    fn get(&self, name: &str) -> Result<ParameterValue, Failure> {
        Ok(self.parameters.get(&[name.to_owned()])?.remove(0))
    }

    /// Sets a parameter. This must fail with a reason, and must change nothing. Returns the reason.
    fn refuses(&self, name: &str, value: ParameterValue) -> Result<String, Failure> {
        let before = self.get(name)?;
        let reason = self.set(name, value.clone())?.err().ok_or(format!("{name} was set to {value:?}"))?;
        expect(&format!("{name} after {value:?}"), self.get(name)?, before)?;
        if reason.is_empty() { Err(format!("no reason for {name}").into()) } else { Ok(reason) }
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn offers_services(suite: &Suite) -> Result<(), Failure> {
    let graph = suite.node.context().graph();
    for name in [
        "describe_parameters",
        "get_parameter_types",
        "get_parameters",
        "list_parameters",
        "set_parameters",
        "set_parameters_atomically",
    ] {
        let full = format!("/subject/{name}");
        let there = graph.servers.iter().filter(|server| server.topic == full).count();
        expect(&full, there, 1)?;
    }
    Ok(())
}

fn reads(suite: &Suite) -> Result<(), Failure> {
    let values = suite.parameters.get(&names(&["serial", "rate", "arm.joint.name"]))?;
    expect("the values", values, vec![Text("X1".into()), Double(10.0), Text("elbow".into())])?;
    let types = suite.parameters.types(&names(&["rate", "count"]))?;
    expect("the types", types, vec![ParameterType::Double, ParameterType::Integer])
}

fn responds_with_nothing(suite: &Suite) -> Result<(), Failure> {
    for missing in ["nothing", "unset"] {
        match suite.parameters.get(&names(&["rate", missing])) {
            Err(RemoteParameterError::Unknown { .. }) => {}
            other => return Err(format!("{missing}: {other:?}").into()),
        }
    }
    match suite.parameters.describe(&names(&["rate", "nothing"])) {
        Err(RemoteParameterError::Unknown { .. }) => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

fn describes(suite: &Suite) -> Result<(), Failure> {
    let all = suite.parameters.describe(&names(&["rate", "count", "serial", "free"]))?;
    let [rate, count, serial, free] = &all[..] else { return Err("not four".into()) };
    expect("rate", (&*rate.name, rate.ty, &*rate.description), ("rate", ParameterType::Double, "how often"))?;
    let range = rate.floating_point_range.ok_or("rate has no range")?;
    expect("its range", (range.from_value, range.to_value, range.step), (0.0, 100.0, 0.5))?;
    let range = count.integer_range.ok_or("count has no range")?;
    expect("count's range", (range.from_value, range.to_value, range.step), (0, 10, 0))?;
    expect("serial", (serial.read_only, serial.dynamic_typing), (true, false))?;
    expect("free", (free.read_only, free.dynamic_typing), (false, true))
}

fn lists(suite: &Suite) -> Result<(), Failure> {
    let list = |prefixes: &[&str], depth| suite.parameters.list(&names(prefixes), depth);
    let all = list(&[], 0)?;
    for name in ["arm.joint.name", "count", "rate", "serial", "unset", "use_sim_time"] {
        expect(name, all.names.iter().any(|other| other == name), true)?;
    }
    expect("the prefixes", all.prefixes.contains(&"arm.joint".into()), true)?;
    expect("depth 1", list(&[], 1)?.names.contains(&"arm.joint.name".into()), false)?;
    expect("below arm", list(&["arm"], 0)?.names, names(&["arm.joint.name"]))?;
    expect("below arm, depth 1", list(&["arm"], 1)?.names, names(&[]))?;
    expect("below arm, depth 2", list(&["arm"], 2)?.names, names(&["arm.joint.name"]))?;
    expect("a name itself", list(&["rate"], 1)?.names, names(&["rate"]))
}

fn fixes_types(suite: &Suite) -> Result<(), Failure> {
    suite.refuses("rate", Integer(20))?;
    suite.refuses("count", Double(5.0))?;
    suite.refuses("arm.joint.name", Bool(true)).map(drop)
}

fn keeps_ranges(suite: &Suite) -> Result<(), Failure> {
    for value in [0.0, 100.0, 0.5, 99.5, 10.0] {
        expect(&value.to_string(), suite.set("rate", Double(value))?, Ok(()))?;
    }
    for value in [-0.5, 100.5, 0.25, f64::NAN, f64::INFINITY] {
        suite.refuses("rate", Double(value))?;
    }
    for value in [0, 10, 5] {
        expect(&value.to_string(), suite.set("count", Integer(value))?, Ok(()))?;
    }
    suite.refuses("count", Integer(-1))?;
    suite.refuses("count", Integer(11)).map(drop)
}

fn keeps_read_only(suite: &Suite) -> Result<(), Failure> {
    suite.refuses("serial", Text("X2".into()))?;
    expect("from within", suite.run_command(&["set", "serial", "1"])?.0, false)?;
    expect("undeclared", suite.run_command(&["undeclare", "serial"])?, (false, "read_only".into()))
}

fn changes_types(suite: &Suite) -> Result<(), Failure> {
    expect("to a text", suite.set("free", Text("now".into()))?, Ok(()))?;
    expect("its type", suite.parameters.types(&names(&["free"]))?, vec![ParameterType::String])?;
    expect("to nothing", suite.set("free", NotSet)?, Ok(()))?;
    expect("then", suite.parameters.list(&names(&["free"]), 0)?.names, names(&[]))?;
    suite.refuses("rate", NotSet).map(drop)
}

fn refuses(suite: &Suite) -> Result<(), Failure> {
    let reason = suite.refuses("count", Integer(7))?;
    expect("the reason", reason, "seven is not allowed".into())
}

fn sets_all_or_none(suite: &Suite) -> Result<(), Failure> {
    let batch = || {
        vec![
            Parameter::new("rate", Double(20.0)),
            Parameter::new("count", Integer(99)),
            Parameter::new("arm.joint.name", Text("wrist".into())),
        ]
    };
    match suite.parameters.set_atomically(batch()) {
        Err(RemoteParameterError::Refused(_)) => {}
        other => return Err(format!("{other:?}").into()),
    }
    expect("rate", suite.get("rate")?, Double(10.0))?;
    let results = suite.parameters.set(batch())?;
    expect("one by one", results.iter().map(Result::is_ok).collect::<Vec<_>>(), vec![true, false, true])?;
    expect("rate", suite.get("rate")?, Double(20.0))?;
    let back =
        vec![Parameter::new("rate", Double(10.0)), Parameter::new("arm.joint.name", Text("elbow".into()))];
    suite.parameters.set_atomically(back)?;
    expect("rate", suite.get("rate")?, Double(10.0))
}

fn rejects_undeclared(suite: &Suite) -> Result<(), Failure> {
    let reason = suite.set("nothing", Integer(1))?.err().ok_or("it was set")?;
    expect("a reason", reason.is_empty(), false)?;
    expect("from within", suite.run_command(&["set", "nothing", "1"])?, (false, "not_declared".into()))
}

fn publishes_changes(suite: &Suite) -> Result<(), Failure> {
    let (sender, events) = mpsc::channel();
    let subscription = suite
        .node
        .subscription::<ParameterEvent>("/parameter_events")
        .qos(QoS::parameter_events())
        .callback(move |event| {
            let _ = sender.send(event);
        })?;
    if !subscription.wait_for_publishers(1, LONG) {
        return Err(format!("no publisher of /parameter_events within {LONG:?}").into());
    }
    let next = || -> Result<[Vec<String>; 3], Failure> {
        loop {
            let event = events.recv_timeout(LONG).map_err(|_| "no event was received")?;
            if event.node == "/subject" {
                let lists = [event.new_parameters, event.changed_parameters, event.deleted_parameters];
                return Ok(lists.map(|list| list.into_iter().map(|one| one.name).collect()));
            }
        }
    };
    expect("declared", suite.run_command(&["declare", "passing"])?.0, true)?;
    expect("the event", next()?, [names(&["passing"]), names(&[]), names(&[])])?;
    expect("set", suite.set("passing", Integer(2))?, Ok(()))?;
    expect("the event", next()?, [names(&[]), names(&["passing"]), names(&[])])?;
    expect("undeclared", suite.run_command(&["undeclare", "passing"])?.0, true)?;
    expect("the event", next()?, [names(&[]), names(&[]), names(&["passing"])])
}

fn has_use_sim_time(suite: &Suite) -> Result<(), Failure> {
    expect("at first", suite.get("use_sim_time")?, Bool(false))?;
    suite.refuses("use_sim_time", Integer(1))?;
    expect("set", suite.set("use_sim_time", Bool(true))?, Ok(()))?;
    expect("set back", suite.set("use_sim_time", Bool(false))?, Ok(()))
}

fn has_errors(suite: &Suite) -> Result<(), Failure> {
    for (words, error) in [
        (&["declare", "rate"][..], "already_declared"),
        (&["declare", ""], "bad_name"),
        (&["get", "nothing"], "not_declared"),
        (&["get", "unset"], "not_initialized"),
        (&["set", "rate", "1"], "type"),
        (&["set", "count", "11"], "range"),
        (&["set", "count", "7"], "rejected"),
        (&["undeclare", "nothing"], "not_declared"),
    ] {
        expect(&format!("{words:?}"), suite.run_command(words)?, (false, error.into()))?;
    }
    Ok(())
}
