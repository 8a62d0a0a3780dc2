"""Components in Python: they are installed, found, loaded into a container, and run alone."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from conftest import ROOT
from saltus.components import ComponentManager, LoadError
from saltus.executors import SingleThreadedExecutor
from saltus.msgs.composition_interfaces.srv import LoadNode

COMMAND = pathlib.Path(sys.executable).with_name("saltus")

MODULE = textwrap.dedent("""
    import saltus
    from saltus.msgs.std_msgs.msg import UInt64


    class Counter(saltus.Node):
        def __init__(self, **options):
            super().__init__("counter", **options)
            step = self.declare_parameter("step", 1).value
            self.count = 0
            numbers = self.create_publisher(UInt64, "numbers", 10)

            def publish():
                self.count += step
                numbers.publish(UInt64(data=self.count))

            self.create_timer(0.01, publish)


    class Latch(saltus.Node):
        def __init__(self, **options):
            super().__init__("latch", **options)
            add = self.declare_parameter("add", 0).value
            qos = saltus.QoSProfile(depth=1, durability=saltus.DurabilityPolicy.TRANSIENT_LOCAL)
            values = self.create_publisher(UInt64, "value", qos)
            self.create_subscription(UInt64, "set", lambda m: values.publish(UInt64(data=m.data + add)), 10)


    class Ends(saltus.Node):
        def __init__(self, **options):
            raise SystemExit(3)


    class Slow(saltus.Node):
        # Its callback publishes until the node is destroyed.

        def __init__(self, **options):
            super().__init__("slow", **options)
            times = self.create_publisher(UInt64, "times", 10)

            def publish():
                while True:
                    times.publish(UInt64(data=1))

            self.create_timer(0.01, publish)


    def no_node(**options):
        return 7


    class Broken(saltus.Node):
        def __init__(self, **options):
            super().__init__("broken", **options)
            raise RuntimeError("the device is missing")


    def main():
        print("the program runs")
    """)

PROJECT = textwrap.dedent("""
    [build-system]
    requires = ["setuptools"]
    build-backend = "setuptools.build_meta"

    [project]
    name = "counting"
    version = "0.1.0"

    [tool.setuptools]
    packages = ["counting"]

    [project.scripts]
    count = "counting.nodes:main"

    [project.entry-points."saltus.components"]
    counter = "counting.nodes:Counter"
    broken = "counting.nodes:Broken"
    ends = "counting.nodes:Ends"
    slow = "counting.nodes:Slow"
    no_node = "counting.nodes:no_node"
    latch = "counting.nodes:Latch"
    lost = "counting.nodes:Lost"
    unreadable = "counting.unreadable:Unreadable"
    """)


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """A prefix into which the package `counting` is installed."""
    folder = tmp_path_factory.mktemp("counting")
    package = folder / "source" / "counting"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "nodes.py").write_text(MODULE)
    (package / "unreadable.py").write_text("raise ImportError('the driver is missing')\n")
    (package.parent / "pyproject.toml").write_text(PROJECT)
    (package.parent / "config").mkdir()
    (package.parent / "config" / "params.yaml").write_text("{}\n")
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    words = [COMMAND, "install", package.parent, "--prefix", folder / "prefix"]
    done = subprocess.run(words, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "Installed counting (8 components, 1 programs)" in done.stdout
    return folder / "prefix"


@pytest.fixture(autouse=True)
def environment(prefix, monkeypatch):
    monkeypatch.setenv("SALTUS_PREFIX_PATH", str(prefix))
    monkeypatch.setenv("PATH", f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}")


@pytest.fixture
def rust_prefix(prefix, monkeypatch):
    """A prefix with the program that runs containers in Rust. It is that of the tests of the command, if it exists."""
    folder = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "tmp" / "prefix"
    words = [COMMAND, "install", "--debug", ROOT / "examples" / "perception", "--prefix", folder]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    monkeypatch.setenv("SALTUS_PREFIX_PATH", f"{prefix}:{folder}")


def saltus(*words):
    """Runs a verb. Returns its exit code, its output and its error output."""
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


class Running:
    """A program that runs until it is interrupted."""

    def __init__(self, *words):
        self.process = subprocess.Popen([COMMAND, *words], stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        try:
            _, self.log = self.process.communicate(timeout=20)
        finally:
            self.process.kill()
        assert self.process.returncode == 0, self.log


def test_what_is_installed_is_listed(prefix):
    plugins = ["Broken", "Counter", "Ends", "Latch", "Lost", "Slow", "no_node"]
    lines = [f"counting.nodes:{plugin}\n" for plugin in plugins] + ["counting.unreadable:Unreadable\n"]
    assert saltus("component", "types", "counting") == (0, "".join(lines), "")
    assert saltus("pkg", "executables", "counting") == (0, "counting count\n", "")
    assert saltus("run", "counting", "count") == (0, "the program runs\n", "")
    assert (prefix / "share" / "counting" / "config" / "params.yaml").is_file()


@pytest.mark.parametrize(
    "options", [(), ("--mt", "--threads", "2"), ("--isolated",), ("--isolated", "--mt", "--threads", "2")]
)
def test_a_container(options):
    with Running("container", "--python", *options, "--ros-args", "-r", "__node:=c"):
        load = ("component", "load", "/c", "counting", "--timeout", "20")
        loaded = saltus(*load, "counting.nodes:Counter", "-n", "left", "-p", "step:=5", "-r", "numbers:=fives")
        assert loaded == (0, "Loaded component 1 into '/c' container node as '/left'\n", "")
        code, number, _ = saltus("topic", "echo", "--once", "/fives", "--field", "data")
        assert code == 0 and int(number.split()[0]) % 5 == 0
        failed = "saltus: Failed to load component: "
        exception = "Component constructor threw an exception: the device is missing\n"
        assert saltus(*load, "counting.nodes:Broken")[2] == failed + exception
        unknown = "Failed to find class with the requested plugin name.\n"
        assert saltus(*load, "counting.nodes:Lost")[2].endswith(failed + unknown)
        assert saltus(*load, "counting.nodes:Nothing")[2].endswith(failed + unknown)
        unreadable = "Failed to load library: ImportError: the driver is missing\n"
        assert saltus(*load, "counting.unreadable:Unreadable")[2] == failed + unreadable
        assert saltus("component", "list", "/c") == (0, "1  /left\n", "")
        assert saltus("component", "unload", "/c", "1", "-q") == (0, "1\n", "")
        assert saltus("component", "list", "/c") == (0, "", "")
        # The failed constructor has used up an id.
        assert saltus(*load, "counting.nodes:Counter", "-q") == (0, "3  /counter\n", "")


def test_what_is_no_component_does_not_end_the_container(prefix):
    with Running("container", "--python", "--ros-args", "-r", "__node:=c"):
        load = ("component", "load", "/c", "counting", "--timeout", "20")
        exception = "Component constructor threw an exception: "
        assert f"{exception}expected a class that is a node, found int" in saltus(*load, "counting.nodes:no_node")[2]
        assert f"{exception}3" in saltus(*load, "counting.nodes:Ends")[2]
        saltus(*load, "counting.nodes:Broken")
        # The failed constructor has left nothing in the graph.
        assert saltus("node", "list") == (0, "/c\n", "")
        assert call_with_unknown_type().startswith(exception)
        assert saltus(*load, "counting.nodes:Counter", "-q")[1].endswith("  /counter\n")


def call_with_unknown_type():
    """Requests a component with a parameter whose type does not exist. Returns the text of the error."""
    import saltus as package
    from saltus.msgs.composition_interfaces.srv import LoadNode
    from saltus.msgs.rcl_interfaces.msg import Parameter, ParameterValue

    package.init(args=[])
    node = package.Node("caller")
    client = node.create_client(LoadNode, "/c/_container/load_node")
    assert client.wait_for_service(timeout_sec=20)
    request = LoadNode.Request(package_name="counting", plugin_name="counting.nodes:Counter")
    request.parameters = [Parameter(name="step", value=ParameterValue(type=77))]
    future = client.call_async(request)
    package.spin_until_future_complete(node, future, timeout_sec=20)
    response = future.result()
    node.destroy_node()
    package.shutdown()
    return response.error_message


def test_a_component_is_unloaded_while_its_callback_runs():
    with Running(
        "container", "--python", "--mt", "--threads", "2", "--ros-args", "-r", "__node:=c", "-p", "thread_num:=2"
    ):
        load = ("component", "load", "/c", "counting", "--timeout", "20")
        assert saltus(*load, "counting.nodes:Slow")[0] == 0
        assert saltus("topic", "echo", "--once", "/times")[0] == 0
        assert saltus("component", "unload", "/c", "1", "-q") == (0, "1\n", "")
        # The container still answers after the callback has used what was destroyed.
        assert saltus(*load, "counting.nodes:Counter", "-q") == (0, "2  /counter\n", "")
        assert saltus("topic", "echo", "--once", "/numbers")[0] == 0
        assert saltus("param", "get", "/c", "thread_num") == (0, "Integer value is: 2\n", "")


def test_a_component_has_the_placement_of_its_name(tmp_path, monkeypatch):
    placements = tmp_path / "placements.yaml"
    placements.write_text("/counter: {cpus: [0], memory_lock: true}\n")
    monkeypatch.setenv("SALTUS_PLACEMENT", str(placements))
    with Running("container", "--python", "--isolated", "--ros-args", "-r", "__node:=c") as container:
        load = ("component", "load", "/c", "counting", "--timeout", "20")
        assert saltus(*load, "counting.nodes:Counter")[0] == 0
        # A message says that the thread of the component has begun.
        assert saltus("topic", "echo", "--once", "/numbers")[0] == 0
        tasks = pathlib.Path("/proc", str(container.process.pid), "task").iterdir()
        assert {0} in [os.sched_getaffinity(int(task.name)) for task in tasks]
        status = pathlib.Path("/proc", str(container.process.pid), "status").read_text()
        assert re.search(r"VmLck:\s+[1-9]", status)


def test_a_container_with_impossible_placements_does_not_start(tmp_path, monkeypatch):
    placements = tmp_path / "placements.yaml"
    placements.write_text("/arm: {cpus: [0, 9999]}\n")
    monkeypatch.setenv("SALTUS_PLACEMENT", str(placements))
    code, _, error = saltus("container", "--python")
    assert code == 1
    assert "/arm: can't run on CPUs [9999]" in error and "Traceback" not in error


def test_a_newer_version_replaces_the_older_one(tmp_path, monkeypatch):
    source, prefix = tmp_path / "source", tmp_path / "prefix"
    (source / "Growing").mkdir(parents=True)
    (source / "Growing" / "__init__.py").write_text("")
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    monkeypatch.setenv("SALTUS_PREFIX_PATH", str(prefix))
    project = PROJECT.replace('"counting"', '"Growing"').replace("counting.", "Growing.")
    for version, component in (("0.1.0", "Old"), ("0.2.0", "New")):
        lines = project.replace("0.1.0", version).partition("[project.entry-points")[0]
        lines += f'[project.entry-points."saltus.components"]\none = "Growing.nodes{version[2]}:{component}"\n'
        (source / "pyproject.toml").write_text(lines)
        module = source / "Growing" / f"only_{component.lower()}.py"
        module.write_text("")
        code, _, error = saltus("install", str(source), "--prefix", str(prefix))
        assert code == 0, error
        module.unlink()
        # setuptools would use it again.
        shutil.rmtree(source / "build")
        assert saltus("component", "types", "Growing") == (0, f"Growing.nodes{version[2]}:{component}\n", "")
    modules = {path.name for path in (prefix / "lib" / "python" / "Growing").glob("*.py")}
    assert modules == {"__init__.py", "only_new.py"}
    assert len(list((prefix / "lib" / "python").glob("*.dist-info"))) == 1


def worker_of(container):
    """Returns the process of the only component of a crash-isolated container."""
    children = pathlib.Path(f"/proc/{container.process.pid}/task/{container.process.pid}/children")
    threads = pathlib.Path(f"/proc/{container.process.pid}/task").iterdir()
    pids = [pid for thread in threads for pid in (thread / "children").read_text().split()]
    assert len(pids) == 1, children
    return int(pids[0])


def test_a_component_that_dies_is_started_again(rust_prefix):
    with Running(
        "container", "--crash-isolated", "--restart-delay", "0.01", "--ros-args", "-r", "__node:=c"
    ) as container:
        load = ("component", "load", "/c", "counting", "--timeout", "20")
        loaded = saltus(*load, "counting.nodes:Latch", "-n", "left", "-p", "add:=1")
        assert loaded == (0, "Loaded component 1 into '/c' container node as '/left'\n", "")
        broken = saltus(*load, "counting.nodes:Broken")[2]
        exception = "Component constructor threw an exception: the device is missing\n"
        assert broken == f"saltus: Failed to load component: {exception}"
        assert saltus("topic", "pub", "--once", "-w", "1", "/set", "std_msgs/msg/UInt64", "data: 41")[0] == 0
        value = ("topic", "echo", "--once", "/value", "--field", "data", "--qos-durability", "transient_local")
        assert saltus(*value) == (0, "42\n---\n", "")
        os.kill(worker_of(container), signal.SIGKILL)
        # The new process has published nothing, and keeps the value of the first one.
        assert saltus(*value, "--timeout", "20")[:2] == (0, "42\n---\n")
        assert saltus("component", "list", "/c") == (0, "1  /left\n", "")
    assert "component 1 '/left' was killed by signal 9 (SIGKILL); restart 1 in 10 ms" in container.log


def test_a_component_alone():
    with Running("run", "counting", "counting.nodes:Counter", "--ros-args", "-r", "__node:=eye"):
        assert saltus("topic", "echo", "--once", "/numbers")[0] == 0
    with Running("component", "standalone", "counting", "counting.nodes:Counter", "-c", "alone"):
        assert saltus("topic", "echo", "--once", "/numbers")[0] == 0
        assert saltus("component", "list", "/alone") == (0, "1  /counter\n", "")


@pytest.mark.parametrize("isolated", (0, 1, 2))
def test_a_component_may_end_its_container_while_it_is_created(saltus, node, isolated):
    class Last(saltus.Node):
        def __init__(self, **options):
            super().__init__("last", **options)
            manager.close()

    executor = SingleThreadedExecutor(context=node.context)
    manager = ComponentManager(node, executor, isolated=isolated, find=lambda package, plugin: Last)
    for _ in range(2):
        with pytest.raises(LoadError, match="the container ends"):
            manager.load(LoadNode.Request())
    assert manager.components() == []


@pytest.mark.parametrize("isolated", (0, 1, 2))
def test_a_component_may_unload_itself(saltus, node, isolated):
    unloaded = threading.Event()

    class Itself(saltus.Node):
        def __init__(self, **options):
            super().__init__("itself", **options)
            self.timer = self.create_timer(0.001, self.unload)

        def unload(self):
            try:
                manager.unload(1)
            except LoadError:
                return  # It is not loaded yet. The timer fires again.
            unloaded.set()

    executor = SingleThreadedExecutor(context=node.context)
    manager = ComponentManager(node, executor, isolated=isolated, find=lambda package, plugin: Itself)
    manager.load(LoadNode.Request())
    end = time.monotonic() + 10
    while not unloaded.is_set() and time.monotonic() < end:
        executor.spin_once(timeout_sec=0.01)
    assert unloaded.is_set() and manager.components() == []
    manager.close()
