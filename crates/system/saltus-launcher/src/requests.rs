//! The requests to containers.

use std::{fs, path::Path};

use saltus_launch_file::plan::{Component, Names, Parameters};
use saltus_msgs::{composition_interfaces::srv::LoadNode_Request, rcl_interfaces::msg};
use saltus_node::{parameter_message, read_component_params_file};
use saltus_param::Parameter;
use saltus_types::{NodeName, ParameterValue};

/// Returns the request that loads a component.
///
/// # Errors
///
/// Returns an error if a file of parameters can't be read.
pub(crate) fn load_request(component: &Component) -> Result<LoadNode_Request, String> {
    let names = &component.names;
    Ok(LoadNode_Request {
        package_name: component.package.clone(),
        plugin_name: component.plugin.clone(),
        node_name: names.name.clone().unwrap_or_default(),
        node_namespace: names.namespace.clone().unwrap_or_default(),
        remap_rules: names.remaps.iter().map(|(from, to)| format!("{from}:={to}")).collect(),
        parameters: parameters(names)?,
        extra_arguments: component.extra_arguments.iter().map(message).collect(),
        ..LoadNode_Request::default()
    })
}

/// Returns the parameters of a component. Files are read here, because a container gets only values.
fn parameters(names: &Names) -> Result<Vec<msg::Parameter>, String> {
    let mut all = Vec::new();
    for source in &names.parameters {
        match source {
            Parameters::Global(value) => all.push(message(value)),
            Parameters::Values(values) => all.extend(values.iter().map(message)),
            Parameters::Text { path, content } => all.extend(of_node(path, content, names)?),
            Parameters::File(path) => {
                let content = fs::read_to_string(path);
                let content = content.map_err(|error| format!("can't read {}: {error}", path.display()))?;
                all.extend(of_node(path, &content, names)?);
            }
        }
    }
    Ok(all)
}

/// Returns the parameters of a file that are for the node with these names.
fn of_node(path: &Path, content: &str, names: &Names) -> Result<Vec<msg::Parameter>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let all = read_component_params_file(content).map_err(|error| failed(&error))?;
    let name =
        names.name.as_deref().ok_or_else(|| failed(&"the component needs a name for files of parameters"))?;
    let node =
        NodeName::new(names.namespace.as_deref().unwrap_or("/"), name).map_err(|error| failed(&error))?;
    let own = all.into_iter().filter(|one| one.node.matches(&node));
    Ok(own.map(|one| message(&(one.name, one.value))).collect())
}

fn message((name, value): &(String, ParameterValue)) -> msg::Parameter {
    parameter_message(Parameter { name: name.clone(), value: value.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_sections_is_for_the_component() {
        let names = Names { name: Some("n".into()), ..Names::default() };
        let text = |content: &str| {
            let all = of_node(Path::new("p.yaml"), content, &names).unwrap();
            all.into_iter().map(|one| one.name).collect::<Vec<_>>()
        };
        assert_eq!(text("width: 640\nlens: {focal: 2.5}\n"), ["width", "lens.focal"]);
        assert_eq!(text("n:\n  ros__parameters: {x: 1}\nother:\n  ros__parameters: {y: 1}\n"), ["x"]);
        assert!(text("").is_empty());
    }
}
