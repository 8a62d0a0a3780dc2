"""A program can perform the substitutions of `saltus.launch` without a launcher."""

import math
import os
from typing import List

import pytest
from saltus.launch import LaunchContext, index
from saltus.launch.ros.substitutions import ExecutableInPackage, FindPackagePrefix, FindPackageShare, Parameter
from saltus.launch.substitution import perform_substitutions
from saltus.launch.substitutions import (
    AllSubstitution,
    AndSubstitution,
    AnonName,
    AnySubstitution,
    Command,
    EnvironmentVariable,
    EqualsSubstitution,
    FileContent,
    FindExecutable,
    IfElseSubstitution,
    LaunchConfiguration,
    NotEqualsSubstitution,
    NotSubstitution,
    OrSubstitution,
    PathJoinSubstitution,
    PythonExpression,
    SubstitutionFailure,
    TextSubstitution,
    ThisLaunchFile,
    ThisLaunchFileDir,
)
from saltus.launch.type_utils import (
    coerce_list,
    coerce_to_type,
    get_typed_value,
    is_instance_of,
    normalize_typed_substitution,
    perform_typed_substitution,
)


@pytest.fixture
def context():
    """A context with the variable ``robot``."""
    context = LaunchContext()
    context.launch_configurations["robot"] = "arm"
    return context


def test_a_variable_has_its_value_or_its_default(context):
    assert LaunchConfiguration("robot").perform(context) == "arm"
    assert LaunchConfiguration("other", default=["no ", LaunchConfiguration("robot")]).perform(context) == "no arm"
    with pytest.raises(SubstitutionFailure, match="'other' does not exist"):
        LaunchConfiguration("other").perform(context)


def test_an_environment_variable_has_its_value_or_its_default(context, monkeypatch):
    monkeypatch.setenv("SALTUS_TEST_SUBSTITUTION", "set")
    assert EnvironmentVariable("SALTUS_TEST_SUBSTITUTION").perform(context) == "set"
    monkeypatch.delenv("SALTUS_TEST_SUBSTITUTION")
    assert EnvironmentVariable("SALTUS_TEST_SUBSTITUTION", default_value="").perform(context) == ""
    with pytest.raises(SubstitutionFailure, match="'SALTUS_TEST_SUBSTITUTION' does not exist"):
        EnvironmentVariable("SALTUS_TEST_SUBSTITUTION").perform(context)


@pytest.mark.parametrize(
    ("substitution", "value"),
    [
        (NotSubstitution("on"), "false"),
        (NotSubstitution(False), "true"),
        (AndSubstitution("yes", "1"), "true"),
        (AndSubstitution("yes", "0"), "false"),
        (OrSubstitution("off", "no"), "false"),
        (OrSubstitution("off", True), "true"),
        (AnySubstitution(), "false"),
        (AnySubstitution("0", "1", "0"), "true"),
        (AllSubstitution(), "true"),
        (AllSubstitution("1", "0", "1"), "false"),
        (IfElseSubstitution("on", "a", LaunchConfiguration("never read")), "a"),
        (IfElseSubstitution("off", else_value="b"), "b"),
        (EqualsSubstitution(True, "1"), "true"),
        (EqualsSubstitution("10", 10 + 1e-10), "true"),
        (EqualsSubstitution(math.nan, "nan"), "false"),
        (EqualsSubstitution(math.inf, "inf"), "true"),
        (EqualsSubstitution(None, ""), "true"),
        (NotEqualsSubstitution("a", "A"), "true"),
    ],
)
def test_a_substitution_of_bools_has_a_value(context, substitution, value):
    assert substitution.perform(context) == value


def test_a_word_that_is_no_bool_is_a_failure(context):
    with pytest.raises(SubstitutionFailure, match="expected a bool, found 'perhaps'"):
        AndSubstitution("true", "perhaps").perform(context)


def test_an_expression_can_use_its_modules(context):
    assert PythonExpression("ceil(1.5) + math.floor(1.5)").perform(context) == "3"
    assert PythonExpression("os.sep + math.__name__", [" os,math "]).perform(context) == "/math"
    with pytest.raises(NameError):
        PythonExpression("math.pi", []).perform(context)
    assert PythonExpression("1", ["sys", "math"]).describe() == "PythonExpr('1', ['sys', 'math'])"


def test_the_output_of_a_command_is_a_value(context, log_folder):
    both = """sh -c "echo out; echo err >&2" """
    assert Command("echo 'a  b'").perform(context) == "a  b\n"
    assert Command(both, on_stderr="ignore").perform(context) == "out\n"
    assert Command(both, on_stderr="warn").perform(context) == "out\n"
    assert sorted(Command(both, on_stderr="capture").perform(context).split()) == ["err", "out"]
    with pytest.raises(SubstitutionFailure, match=r"^executed command showed stderr output. Command: sh[\w\W]*err"):
        Command(both).perform(context)
    with pytest.raises(SubstitutionFailure, match=r"^executed command failed. Command: sh -c 'exit 3'"):
        Command("sh -c 'exit 3'").perform(context)
    with pytest.raises(SubstitutionFailure, match="^file not found: .*no-such-program"):
        Command("no-such-program").perform(context)
    with pytest.raises(SubstitutionFailure, match="found 'never'"):
        Command("true", on_stderr="never").perform(context)


def test_files_and_programs_are_found(context, tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("text")
    assert FileContent(file).perform(context) == "text"
    with pytest.raises(SubstitutionFailure, match="^File not found: "):
        FileContent(tmp_path / "none").perform(context)
    file.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert FindExecutable(name="file").perform(context) == str(file)
    with pytest.raises(SubstitutionFailure, match="no program 'none'"):
        FindExecutable(name="none").perform(context)


def test_paths_are_joined_without_a_context():
    assert PathJoinSubstitution(["a", ["b", TextSubstitution(text="c")]]).perform(None) == "a/bc"
    assert (PathJoinSubstitution(["a"]) / "b").perform(None) == "a/b"


def test_an_anonymous_name_is_the_same_in_one_context(context):
    first = AnonName("a-b").perform(context)
    assert first.startswith("a_b_") and AnonName("a-b").perform(context) == first
    assert AnonName("a-b").perform(LaunchContext()) != first


def test_the_launch_file_is_a_local_value(context):
    with pytest.raises(SubstitutionFailure, match="outside of a launch file"):
        ThisLaunchFile().perform(context)
    context.extend_locals({"current_launch_file_path": "/a/b", "current_launch_file_directory": "/a"})
    assert (ThisLaunchFile().perform(context), ThisLaunchFileDir().perform(context)) == ("/a/b", "/a")


def test_packages_are_found_in_the_index(context, environment, monkeypatch):
    monkeypatch.setenv("AMENT_PREFIX_PATH", environment["AMENT_PREFIX_PATH"])
    prefix = environment["AMENT_PREFIX_PATH"]
    assert FindPackagePrefix("demo").perform(context) == prefix
    assert FindPackageShare("demo").perform(context) == os.path.join(prefix, "share", "demo")
    assert ExecutableInPackage("talker", "demo").perform(context) == os.path.join(prefix, "lib", "demo", "talker")
    with pytest.raises(SubstitutionFailure, match="no program 'none'"):
        ExecutableInPackage("none", "demo").perform(context)
    with pytest.raises(index.PackageNotFoundError):
        FindPackageShare("none").perform(context)


def test_the_first_parameter_with_a_name_is_the_value(context):
    context.launch_configurations["global_params"] = ["file.yaml", ("rate", 5), ("rate", 6)]
    assert Parameter("rate").perform(context) == "5"
    assert Parameter("other", default="7").perform(context) == "7"
    with pytest.raises(SubstitutionFailure, match="'other'"):
        Parameter("other").perform(context)


def test_arguments_are_lists_of_substitutions():
    command, expression = Command(["a", LaunchConfiguration("b")]), PythonExpression("1", ["sys"])
    for parts in (command.command, command.on_stderr, expression.python_modules, EqualsSubstitution(1, 2).left):
        assert isinstance(parts, list) and all(hasattr(part, "perform") for part in parts)
    assert EnvironmentVariable("a").default_value is None


def test_only_lists_of_substitutions_are_performed(context):
    for wrong, error in ((None, TypeError), (TextSubstitution(text="a"), TypeError), (["a"], AttributeError)):
        with pytest.raises(error):
            perform_substitutions(context, wrong)


def test_texts_are_read_as_their_types():
    assert [coerce_to_type(text) for text in ("1", "1.", "on", "'1'", "", "[1, 2]")] == [1, 1.0, True, "1", "", [1, 2]]
    assert (coerce_to_type("'1'", str), coerce_to_type("1", float), coerce_to_type("0", bool)) == ("'1'", 1.0, False)
    assert coerce_list(["a", "2"], int, can_be_str=True) == ["a", 2]
    assert get_typed_value(["1", "2"], List[int]) == [1, 2]
    assert is_instance_of(["1", 2], List[int], can_be_str=True) and not is_instance_of(True, int)
    for text, of_type in (("{1}", None), ("[1, 2.0]", None), ("1.5", int), ("b", bool), ("[1, 2.0]", List[float])):
        with pytest.raises(ValueError):
            coerce_to_type(text, of_type)
    for value, of_type in (({"a"}, None), (["1"], int), ([1], None)):
        with pytest.raises(TypeError):
            get_typed_value(value, of_type)


def test_values_with_substitutions_are_read_when_they_are_performed(context):
    mixed = normalize_typed_substitution([LaunchConfiguration("robot"), 2], None)
    assert mixed[1] == 2 and perform_substitutions(context, mixed[0]) == "arm"
    context.launch_configurations["robot"] = "1"
    assert perform_typed_substitution(context, mixed, List[int]) == [1, 2]
    assert perform_typed_substitution(context, [TextSubstitution(text="[1, 2]")], None) == [1, 2]
    with pytest.raises(TypeError):
        normalize_typed_substitution(["a", 2], List[int])
    with pytest.raises(ValueError):
        perform_typed_substitution(context, [TextSubstitution(text="1.5")], int)
