"""The functions of `launch_ros.utilities` return what those of ROS 2 do, and nodes check their arguments."""

import pathlib
from typing import List

import pytest
from saltus.launch import LaunchContext
from saltus.launch.ros.actions import Node, PushROSNamespace, SetParameter, SetParametersFromFile, SetRemap
from saltus.launch.ros.descriptions import ComposableNode
from saltus.launch.ros.loading import get_composable_node_load_request
from saltus.launch.ros.parameters import Parameter, ParameterFile, ParameterValue
from saltus.launch.ros.utilities import (
    add_node_name,
    evaluate_parameters,
    get_node_name_count,
    is_namespace_absolute,
    is_root_namespace,
    make_namespace_absolute,
    normalize_parameters,
    normalize_remap_rule,
    normalize_remap_rules,
    prefix_namespace,
    to_parameters_list,
)
from saltus.launch.substitution import SubstitutionFailure, perform_substitutions
from saltus.launch.substitutions import LaunchConfiguration, TextSubstitution


@pytest.fixture
def context():
    """A context with the variable ``a``."""
    context = LaunchContext()
    context.launch_configurations["a"] = "off"
    return context


A = LaunchConfiguration("a")


@pytest.mark.parametrize(
    ("base", "name", "expected"),
    [
        (None, None, None), ("a", None, "a"), ("", None, ""), (None, "", ""), ("a", "b", "a/b"), ("a", "/b/", "/b"),
        ("/", "b", "/b"), ("", "b", "b"), ("a", "", "a"), ("a", "/", "/"),
    ],
)  # fmt: skip
def test_a_namespace_is_within_another_one(base, name, expected):
    assert prefix_namespace(base, name) == expected


def test_namespaces_are_made_absolute():
    assert [make_namespace_absolute(name) for name in (None, "", "a", "/a")] == [None, "/", "/a", "/a"]
    assert is_root_namespace("/") and not is_root_namespace("/a")
    assert is_namespace_absolute("/a") and not is_namespace_absolute("a")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("off", "off"),
        (A, False),
        (["o", A], "ooff"),
        ([[A], "off"], ValueError),
        ([["b"], "c"], ("b", "c")),
        (["1", "2"], ("1", "2")),
        ([1, 2.5], (1.0, 2.5)),
        (b"\x01", b"\x01"),
        (TextSubstitution(text=""), ""),
        (TextSubstitution(text="[1, 2]"), (1, 2)),
        (ParameterValue(TextSubstitution(text="[1, 2]"), value_type=str), "[1, 2]"),
        (ParameterValue([[A], "b"], value_type=List[str]), ["off", "b"]),
        ({"inner": {A: 5}}, 5),
    ],
)
def test_the_value_of_a_parameter_is_evaluated(context, value, expected):
    normalized = normalize_parameters([{"name": value}])
    if expected is ValueError:
        with pytest.raises(TypeError, match="Expected a non-empty sequence"):
            evaluate_parameters(context, normalized)
        return
    (found,) = evaluate_parameters(context, normalized)
    name = "name.inner.off" if isinstance(value, dict) else "name"
    assert found == {name: expected} and repr(found[name]) == repr(expected)


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ([], "Expected a non-empty sequence"),
        ([True, 1], "Expected a non-empty sequence"),
        (TextSubstitution(text="[[1], [2]]"), "Expected a non-empty sequence"),
        (TextSubstitution(text="{a: 1}"), "Allowed value types .*dict"),
        (TextSubstitution(text="a : b : c"), "Unable to parse"),
    ],
)
def test_a_wrong_value_of_a_parameter_is_an_error(context, value, error):
    with pytest.raises(TypeError, match=error):
        evaluate_parameters(context, normalize_parameters([{"name": value}]))


def test_files_and_single_parameters_stay(context):
    sources = ["/a", pathlib.Path("/b"), ["/", A], ParameterFile("/c"), parameter := Parameter("p", A)]
    found = evaluate_parameters(context, normalize_parameters(sources))
    assert found == (*(pathlib.Path(path) for path in ("/a", "/b", "/off", "/c")), parameter)
    assert (parameter.name, parameter.value) == ("p", False)


def test_remapping_rules_are_pairs_of_texts(context):
    (rule,) = normalize_remap_rules([(("a", "b"), ["c", A])])
    assert [perform_substitutions(context, part) for part in rule] == ["ab", "coff"]
    for wrong in (["a", "b"], ("a",), "ab"):
        with pytest.raises(TypeError):
            normalize_remap_rule(wrong)


@pytest.mark.parametrize(
    "arguments",
    [
        {"remappings": {"a": "b"}},
        {"remappings": [{"a": "b"}]},
        {"parameters": [5.0]},
        {"parameters": "file.yaml"},
        {"parameters": [{5: "a"}]},
        {"parameters": [{"a": [1, [2, 3]]}]},
        {"parameters": [{"a": {"b": {1, 2}}}]},
        {"parameters": [{"a": {"b": object()}}]},
    ],
)
def test_a_node_checks_its_arguments(arguments):
    with pytest.raises(TypeError):
        Node(executable="talker", **arguments)


def test_a_file_of_parameters_has_the_values_of_its_substitutions(context, tmp_path):
    source = tmp_path / "params.yaml"
    source.write_text("/$(var a): {ros__parameters: {a: $(var a)}}")
    file = ParameterFile(source, allow_substs=True)
    path = file.evaluate(context)
    assert path.name.startswith("launch_params_") and file.param_file == path
    assert path.read_text() == "/off: {ros__parameters: {a: off}}"
    file.cleanup()
    assert not path.exists() and isinstance(file.param_file, list)
    plain = ParameterFile(source, allow_substs=[TextSubstitution(text="no")])
    assert plain.evaluate(context) == source
    plain.cleanup()
    assert source.exists()
    source.write_text("a: [")
    with pytest.raises(SubstitutionFailure, match="is no YAML"):
        ParameterFile(source, allow_substs=True).evaluate(context)


def test_nodes_with_the_same_name_are_counted(context, log_folder, capsys):
    for name in ("/a", "/a", "/b"):
        add_node_name(context, name)
    assert [get_node_name_count(context, name) for name in ("/a", "/b", "/c")] == [2, 1, 0]
    assert capsys.readouterr().out.count("there are now at least 2 nodes with the name /a created") == 1


def test_the_parameters_of_a_node_are_those_of_its_names_in_files(context, tmp_path):
    file = tmp_path / "params.yaml"
    file.write_text("""
/**: {ros__parameters: {every: 1}}
/ns:
  node: {ros__parameters: {nested: {value: 2}}}
  other: {ros__parameters: {other: 3}}
/*/node: {ros__parameters: {star: '4'}}
""")
    sources = evaluate_parameters(context, normalize_parameters([file, {"list": [1, 2]}, Parameter("single", 5)]))
    found = to_parameters_list(context, "node", "/ns", sources)
    values = [(parameter.name, parameter.value) for parameter in found]
    assert values == [("every", 1), ("nested.value", 2), ("star", "4"), ("list", (1, 2)), ("single", 5)]


def test_the_request_for_a_component_has_what_was_set_for_all_nodes(context, tmp_path):
    file = tmp_path / "params.yaml"
    file.write_text("{/**: {ros__parameters: {every: 1}}, /other: {ros__parameters: {other: 2}}}")
    for action in (
        PushROSNamespace("robot"), SetParametersFromFile(str(file)), SetParameter("rate", 5), SetRemap("a", "b"),
    ):  # fmt: skip
        action.execute(context)
    component = ComposableNode(
        package="demo", plugin="demo::A", name=["n", A], namespace="arm", parameters=[{"rate": 6}],
        remappings=[("c", "d")], extra_arguments=[{"use_intra_process_comms": True}],
    )  # fmt: skip
    request = get_composable_node_load_request(component, context)
    assert (request.package_name, request.plugin_name, request.node_name) == ("demo", "demo::A", "noff")
    assert request.node_namespace == "/robot/arm" and list(request.remap_rules) == ["a:=b", "c:=d"]
    values = [(parameter.name, parameter.value.integer_value) for parameter in request.parameters]
    assert values == [("every", 1), ("rate", 5), ("rate", 6)]
    assert request.extra_arguments[0].value.bool_value is True


@pytest.mark.parametrize(("namespace", "expected"), [(None, ""), ("", "/"), ("a", "/a"), ("/a", "/a")])
def test_the_namespace_of_a_component_is_absolute_or_unknown(namespace, expected):
    component = ComposableNode(package="demo", plugin="demo::A", namespace=namespace)
    assert get_composable_node_load_request(component, LaunchContext()).node_namespace == expected


def test_a_file_of_parameters_is_never_removed_itself(context, tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text("a: $(var missing)\n")
    file = ParameterFile(str(path), allow_substs=LaunchConfiguration("allowed"))
    context.launch_configurations["allowed"] = "false"
    assert file.evaluate(context) == path
    context.launch_configurations["allowed"] = "true"
    with pytest.raises(SubstitutionFailure):
        file.evaluate(context)
    file.cleanup()
    assert path.exists()
