"""`launch.frontend` reads launch files in XML and YAML as the launcher does, and as ROS 2 does."""

import io
from typing import List

import pytest
from launching import PAIRS, plan
from saltus.launch import LaunchContext, Substitution
from saltus.launch.actions import AppendEnvironmentVariable, GroupAction, LogInfo
from saltus.launch.frontend import (
    Entity,
    InvalidFrontendLaunchFileError,
    Parser,
    expose_action,
    expose_substitution,
    parser,
)
from saltus.launch.frontend.parse_substitution import parse_if_substitutions, parse_substitution
from saltus.launch.ros.actions import Node
from saltus.launch.substitution import perform_substitutions
from saltus.launch.substitutions import LaunchConfiguration
from saltus.launch.utilities import visit_all_entities_and_collect_futures


@pytest.fixture
def pairs(tmp_path):
    """A folder with launch files, each in three forms."""
    folder = tmp_path / "pairs"
    folder.mkdir()
    for path in PAIRS.iterdir():
        (folder / path.name).symlink_to(path)
    return folder


@pytest.mark.parametrize("form", ["xml", "yaml"])
@pytest.mark.parametrize("name", sorted(path.name.split(".")[0] for path in PAIRS.glob("*.launch.py")))
def test_a_file_has_the_plan_that_the_launcher_reads(environment, pairs, name, form):
    reads = pairs / f"{name}.launch.py"
    reads.unlink()
    reads.write_text(
        "from launch.frontend import Parser\n\n\ndef generate_launch_description():\n"
        f"    root, parser = Parser.load({str(pairs / f'{name}.launch.{form}')!r})\n"
        "    return parser.parse_description(root)\n"
    )
    found = plan(environment, pairs, name, "py").replace(f".launch.{form}", "")
    assert found == plan(environment, pairs, name, form)


def read(text):
    """Returns the launch description of a file with this content."""
    root, reads = Parser.load(io.StringIO(text))
    return reads.parse_description(root)


BOTH = [
    """<launch>
        <arg name="robot" default="arm" description="which"><choice value="arm"/><choice value="leg"/></arg>
        <append_env name="A" value="b" prepend="false"/>
        <group scoped="false" if="$(var robot)"><keep name="a" value="$(var robot)"/><let name="b" value="c"/></group>
        <timer period="5"><log message="later"/></timer>
        <executable cmd="ls '$(var a) b'c" shell="true" output="log" sigterm_timeout="4.0"><env name="A" value="1"/></executable>
    </launch>""",
    """launch:
    - arg: {name: robot, default: arm, description: which, choice: [{value: arm}, {value: leg}]}
    - append_env: {name: A, value: b, prepend: false}
    - group: {scoped: false, if: $(var robot), keep: [{name: a, value: $(var robot)}], children: [{let: {name: b, value: c}}]}
    - timer: {period: 5, children: [{log: {message: later}}]}
    - executable:
        {cmd: "ls '$(var a) b'c", shell: true, output: log, sigterm_timeout: 4.0, env: [{name: A, value: 1}]}
    """,
]


@pytest.mark.parametrize("text", BOTH)
def test_the_actions_of_a_file_have_its_attributes(text):
    argument, append, group, timer, executable = read(text).entities
    assert (argument.name, argument.choices) == ("robot", ["arm", "leg"])
    assert argument.description == "which. Valid choices are: ['arm', 'leg']"
    assert isinstance(append, AppendEnvironmentVariable) and append.prepend is False
    assert isinstance(group, GroupAction) and group.condition is not None
    assert len(group.get_sub_entities()) == 2
    assert timer.period == 5.0 and isinstance(timer.actions[0], LogInfo)
    context = LaunchContext()
    context.launch_configurations["a"] = "x y"
    executable.prepare(context)
    assert executable.process_details["cmd"] == ["ls", "x y bc"] and executable.process_details["env"]["A"] == "1"
    assert executable.shell is True and executable.sigterm_timeout[0].text == "4.0"


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("<launch><arg name='a' whats_this='b'/></launch>", ValueError, ["`arg`", "whats_this"]),
        (
            "<launch><executable cmd='ls'><whats_this/></executable></launch>",
            ValueError,
            ["`executable`", "whats_this"],
        ),
        ("launch: [{let: {name: a, value: b, more: c}}]", ValueError, ["`let`", "more"]),
        ("launch: [{let: {name: a}}]", AttributeError, ["`let`", "value"]),
        ("launch: [{timer: {period: [1]}}]", TypeError, ["`timer`", "period"]),
        ("launch: [{unknown: {}}]", RuntimeError, ["`unknown`"]),
        ("other: []", RuntimeError, ["`launch`", "`other`"]),
        ("<launch><log message='' if='1' unless='0'/></launch>", RuntimeError, ["`if` and `unless`"]),
        ("<launch><executable cmd='ls' on_exit='restart'/></launch>", ValueError, ["`shutdown`", "`restart`"]),
        ("<launch><arg name='$(var a)'/></launch>", ValueError, ["`name`", "can't have substitutions"]),
    ],
)
def test_errors_of_a_file_are_named(text, error, words):
    with pytest.raises(error) as found:
        read(text)
    assert all(word in str(found.value) for word in words), found.value


def test_a_file_in_no_known_format_has_the_errors_of_all_parsers(tmp_path):
    file = tmp_path / "a.launch.xml"
    file.write_text("no root")
    with pytest.raises(
        InvalidFrontendLaunchFileError, match=r"(?s)'.xml'.*ParseError: .*RuntimeError: expected one root"
    ):
        Parser.load(str(file))


def test_a_deprecated_file_has_a_reason():
    assert read("<launch deprecated='use another'/>").deprecated_reason == "use another"
    assert read("launch: {deprecated: use another, children: []}").deprecated_reason == "use another"


def test_the_endings_of_files_are_known():
    assert Parser.get_available_extensions() == ["xml", "yaml", "yml"]
    assert Parser.is_filename_valid("a.launch.yml") and not Parser.is_filename_valid("a.launch.py")
    assert Parser.is_extension_valid("xml")


def test_attributes_are_read_as_their_types():
    root, _ = Parser.load(io.StringIO("<a><b list='1;2' list-sep=';' number='$(var c)' text='2'/></a>"))
    (element,) = root.get_attr("b", data_type=List[Entity])
    assert element.parent is root and element.children == []
    assert element.get_attr("list", data_type=List[float]) == [1.0, 2.0]
    assert element.get_attr("number", data_type=int) == "$(var c)" and element.get_attr("text", data_type=None) == 2
    with pytest.raises(TypeError):
        element.get_attr("number", data_type=int, can_be_str=False)
    assert element.get_attr("none", optional=True) is None
    element.assert_entity_completely_parsed()


def performed(text):
    """Returns the values of the parts of a text."""
    return [part.perform(None) for part in parse_substitution(text)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", [""]),
        ("'$0' $1", ["'$0' $1"]),
        ("a $(path-join b c)d", ["a ", "b/c", "d"]),
        ("$(path-join 'b c' $(path-join d e))", ["b c/d/e"]),
        ("$(path-join \"$(path-join \\'a\\' b)\" c)", ["'a'/b/c"]),
        (r"\$(path-join a)", ["$(path-join a)"]),
        (r"$(path-join a\(b\) \\)", ["a(b)/\\"]),
    ],
)
def test_a_text_is_read_with_its_substitutions(text, parts):
    assert performed(text) == parts


@pytest.mark.parametrize("text", ["$(var a", "$(var 'a)", "$(var a'b)", "$( a)", "$(var(a))"])
def test_a_substitution_that_is_not_complete_is_an_error(text):
    with pytest.raises(ValueError, match="character [0-9]+ of `"):
        parse_substitution(text)


def test_a_substitution_with_wrong_arguments_is_an_error():
    with pytest.raises(TypeError, match="takes 1 to 2 arguments, found 3"):
        parse_substitution("$(var a b c)")
    with pytest.raises(RuntimeError, match="no substitution `unknown`"):
        parse_substitution("$(unknown)")


def test_only_texts_with_substitutions_become_lists():
    assert [parse_if_substitutions(value) for value in (1, r"\'a\'", ["a", "b"])] == [1, "'a'", ["a", "b"]]
    first, second = parse_if_substitutions(["$(var a)", "b"])
    assert isinstance(first[0], LaunchConfiguration) and second == "b"
    with pytest.raises(ValueError):
        parse_if_substitutions(["$(var a)", 1, 1.0])


def test_characters_can_be_escaped():
    text = r"a\$(b) \' c"
    assert performed(Parser().escape_characters(text)) == [text]


def test_a_program_adds_actions_and_substitutions():
    @expose_substitution("test-upper")
    class Upper(Substitution):
        def __init__(self, text):
            self.text = text

        @classmethod
        def parse(cls, data):
            return cls, {"text": data[0]}

        def perform(self, context):
            return perform_substitutions(context, self.text).upper()

    @expose_action("test_shout")
    def parse_shout(entity, reads):
        return LogInfo, {"msg": reads.parse_substitution(entity.get_attr("text"))}

    (shout,) = read("<launch><test_shout text='$(test-upper abc)!'/></launch>").entities
    assert perform_substitutions(LaunchContext(), shout.msg) == "ABC!"
    with pytest.raises(RuntimeError, match="parser for test is not a callable"):
        expose_action("test")(5)


def test_an_extension_that_can_not_be_loaded_is_a_warning(monkeypatch):
    class Broken:
        name = "broken"

        def load(self):
            raise ValueError("no")

    monkeypatch.setattr(parser.importlib_metadata, "entry_points", lambda: {"launch.frontend.parser": [Broken()]})
    monkeypatch.setattr(Parser, "frontend_parsers", None)
    with pytest.warns(UserWarning, match="Failed to load the parser 'broken': no"):
        assert sorted(Parser.get_available_extensions()) == ["xml", "yaml", "yml"]


def test_an_included_file_is_read(tmp_path):
    (tmp_path / "inner.launch.xml").write_text("<launch><arg name='a'/><let name='b' value='$(var a)'/></launch>")
    outer = f"<launch><include file='{tmp_path}/inner.launch.xml'><arg name='a' value='1'/></include></launch>"
    context = LaunchContext()
    visit_all_entities_and_collect_futures(read(outer), context)
    assert context.launch_configurations == {"a": "1", "b": "1"}


def test_the_elements_of_nodes_are_read():
    node, load = read(
        """<launch>
            <node pkg="demo" exec="talker" name="a" exec_name="b" args="-x 'y z'" after="/c,/d">
                <param name="p" value="1"/><remap from="e" to="f"/>
            </node>
            <load_composable_node target="c"><composable_node pkg="demo" plugin="demo::A"/></load_composable_node>
        </launch>"""
    ).entities
    assert isinstance(node, Node) and [part.text for part in node.name] == ["b"]
    assert perform_substitutions(LaunchContext(), load.target) == "c"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("$(var a)/b c $(var a)", [["x y", "/b"], ["c"], ["x y"]]),
        ("'$(var a) b' ''", [["x y", " b"], [""]]),
        ("$(var a)$(var a) ", [["x y", "x y"]]),
    ],
)
def test_a_command_is_split_without_the_values_of_its_substitutions(command, words):
    (executable,) = read(f'<launch><executable cmd="{command}"/></launch>').entities
    context = LaunchContext()
    context.launch_configurations["a"] = "x y"
    assert [[part.perform(context) for part in word] for word in executable.cmd] == words


def test_whether_a_group_has_a_scope_may_be_a_substitution():
    text = '<launch><group scoped="$(var s)"><log message="a"/></group></launch>'
    entity, reader = Parser.load(io.StringIO(text))
    (group,) = reader.parse_description(entity).entities
    for value, count in [("false", 1), ("true", 5)]:
        context = LaunchContext()
        context.launch_configurations["s"] = value
        assert len(group.execute(context)) == count
