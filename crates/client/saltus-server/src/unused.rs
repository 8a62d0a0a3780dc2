//! Parameters that a user has given, and that a node does not use.

use saltus::{Node, param::OwnOverride, types::most_similar};

/// The largest number of parameters that are named.
const MOST: usize = 20;

/// Returns a text about the parameters that were given for a node only, and that it has not declared. Each is named with the
/// place where it was given, and with the parameter that was probably meant. Returns `None` if there are none.
pub(crate) fn text(node: &Node) -> Option<String> {
    // A parameter that was given, too, is not the one that was meant.
    let given = |name: &String| node.parameter_overrides().iter().any(|(other, _)| other == name);
    let mut declared = node.list_parameters(&[], 0).names;
    declared.retain(|name| !given(name));
    let unused: Vec<&OwnOverride> = node.unused_overrides().collect();
    if unused.is_empty() {
        return None;
    }
    let named: Vec<String> = unused.iter().take(MOST).map(|one| described(one, &declared)).collect();
    let more = match unused.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Some(format!("these parameters are not used: {}{more}", named.join(", ")))
}

fn described(unused: &OwnOverride, declared: &[String]) -> String {
    let similar = most_similar(&unused.name, declared.iter().map(String::as_str));
    let meant = similar.map(|similar| format!("did you mean `{similar}`?"));
    let notes: Vec<&str> = [unused.location.as_deref(), meant.as_deref()].into_iter().flatten().collect();
    match notes.is_empty() {
        true => format!("`{}`", unused.name),
        false => format!("`{}` ({})", unused.name, notes.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use saltus::context::{ContextOptions, RosArgs};

    use super::*;

    #[test]
    fn parameters_for_the_node_only_are_named_if_they_are_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("params.yaml");
        let content = "/**:\n  ros__parameters: {of_others: 1}\nserver:\n  ros__parameters:\n    contoller_frequency: 5.0\n    \
                    other: 1\n    max_speed: 2.0\n    min_speed: 2.0\n";
        std::fs::write(&file, content).unwrap();
        let path = file.to_str().unwrap();
        let args = RosArgs::parse(["prog", "--ros-args", "--params-file", path, "-p", "any:=1"]).unwrap();
        let options = ContextOptions::default().folder(folder.path()).handle_signals(false).args(args);
        let context = options.create().unwrap();
        let node = context.node("server").create().unwrap();
        node.declare_parameter("controller_frequency", 20.0).unwrap();
        node.declare_parameter("max_speed", 1.0).unwrap();
        let want = format!(
            "these parameters are not used: `contoller_frequency` ({path}, line 5; did you mean `controller_frequency`?), \
             `other` ({path}, line 6), `min_speed` ({path}, line 8)"
        );
        assert_eq!(text(&node), Some(want));
        node.declare_parameter("contoller_frequency", 1.0).unwrap();
        node.declare_parameter("other", 0).unwrap();
        node.declare_parameter("min_speed", 0.0).unwrap();
        assert_eq!(text(&node), None);
    }
}
