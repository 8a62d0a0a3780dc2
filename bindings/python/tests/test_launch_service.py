"""Programs that start a launch themselves, with ``LaunchService``."""

import os
import select
import signal
import subprocess
import sys

import pytest
from conftest import run, start

HEAD = """
import os, sys, threading
from saltus.launch import names
names.install()
from launch import LaunchDescription, LaunchService
from launch.actions import *
from launch.event_handlers import *
from launch.events import IncludeLaunchDescription, Shutdown
from launch.substitutions import *
"""


@pytest.fixture(autouse=True)
def logs(log_folder):
    """The folder of the logs of all launches."""


def ended(pid):
    """Waits until a process has ended."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([process], [], [], 30.0)[0]
    finally:
        os.close(process)


def started(process):
    """Returns the number of the process that a launch has started, which prints it."""
    for line in process.stdout:
        if "PID " in line:
            return int(line.split("PID ")[1])
    raise AssertionError(process.stderr.read())


SLEEPING = """
service = LaunchService()
service.include_launch_description(LaunchDescription([
    ExecuteProcess(cmd=["sh", "-c", "echo PID $$; exec sleep 1000"], output="screen"),
]))
"""


def test_functions_run_in_the_program_and_processes_by_the_launcher():
    code = """
seen = []
def note(context):
    seen.append(LaunchConfiguration("robot").perform(context))
    context.launch_configurations["left"] = "right"

service = LaunchService(argv=["robot:=arm"])
service.include_launch_description(LaunchDescription([
    DeclareLaunchArgument("robot", default_value="none"),
    OpaqueFunction(function=note),
    ExecuteProcess(cmd=["sh", "-c", "exit 0"], name="short",
                   on_exit=lambda event, context: seen.append((event.process_name, event.returncode))),
]))
print(service.run(), seen, service.context.launch_configurations["left"])
print(service.run(), len(seen))
"""
    status, out, err = run(HEAD + code)
    assert status == 0, err
    lines = [line for line in out.splitlines() if not line.startswith("[")]
    assert lines == ["0 ['arm', ('short-1', 0)] right", "0 4"], out


def test_the_result_is_that_of_the_first_process_that_has_failed():
    code = """
service = LaunchService()
service.include_launch_description(LaunchDescription([ExecuteProcess(cmd=["sh", "-c", "exit 3"])]))
sys.exit(service.run())
"""
    assert run(HEAD + code)[0] == 3


def test_ctrl_c_ends_the_processes():
    process = start(HEAD + SLEEPING + "sys.exit(service.run())")
    try:
        child = started(process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0 and "Traceback" not in err, out + err
    ended(child)


def test_the_processes_end_when_the_program_is_killed():
    process = start(HEAD + SLEEPING + "sys.exit(service.run())")
    try:
        child = started(process)
    finally:
        process.kill()
        process.communicate()
    ended(child)


def test_a_launch_without_processes_goes_on_until_it_is_ended():
    code = """
service = LaunchService()
service.include_launch_description(LaunchDescription([
    RegisterEventHandler(OnShutdown(on_shutdown=lambda event, context: print("ENDED", event.due_to_sigint))),
    TimerAction(period=0.0, actions=[OpaqueFunction(function=lambda context: service.shutdown())]),
]))
print("RESULT", service.run(shutdown_when_idle=False))
"""
    status, out, err = run(HEAD + code)
    assert status == 0, err
    assert "ENDED True\\n" in out.replace("\n", "\\n") and "RESULT 0" in out, out


def test_a_shutdown_while_the_descriptions_are_read_is_no_error():
    code = """
service = LaunchService()
service.include_launch_description(LaunchDescription([
    OpaqueFunction(function=lambda context: service.shutdown()),
    ExecuteProcess(cmd=["sleep", "1000"]),
]))
print("RESULT", service.run())
"""
    status, out, err = run(HEAD + code)
    assert status == 0 and "RESULT 0" in out, out + err


def test_a_run_in_a_loop_can_be_canceled():
    code = """
import asyncio
async def main():
    loop, has_started = asyncio.get_running_loop(), asyncio.Event()
    def note(event, context):
        started.append(event.pid)
        loop.call_soon_threadsafe(has_started.set)
    service.include_launch_description(LaunchDescription([
        ExecuteProcess(cmd=["sleep", "1000"]), RegisterEventHandler(OnProcessStart(on_start=note)),
    ]))
    task = asyncio.create_task(service.run_async())
    await has_started.wait()
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print("CANCELED")

started = []
service = LaunchService()
asyncio.run(main())
print("PID", started[0])
"""
    status, out, err = run(HEAD + code)
    assert status == 0 and "CANCELED" in out, out + err
    ended(int(out.rsplit("PID ", 1)[1]))


def test_a_shutdown_of_an_asynchronous_run_can_be_awaited():
    code = """
import asyncio, warnings
warnings.simplefilter("error")
async def main(ends):
    service = LaunchService()
    assert service.shutdown() is None
    service.include_launch_description(LaunchDescription([ExecuteProcess(cmd=["sleep", "1000"])]))
    task = asyncio.create_task(service.run_async())
    # The launch has begun when it takes this.
    while service._inbox is None:
        await asyncio.sleep(0.01)
    await asyncio.to_thread(service.include_launch_description, LaunchDescription())
    await ends(service)
    return await task

async def by_task(service):
    await asyncio.create_task(service.shutdown())

async def without_await(service):
    assert asyncio.iscoroutine(service.shutdown())

async def forced(service):
    assert service.shutdown(force_sync=True) is None

for ends in (by_task, without_await, forced):
    print("STATUS", asyncio.run(main(ends)))
"""
    status, out, err = run(HEAD + code)
    assert status == 0, err
    assert out.count("STATUS 0") == 3, out


def test_a_function_that_does_not_return_ends_at_the_second_ctrl_c():
    code = """
def wait(context):
    print("WAITING", flush=True)
    threading.Event().wait()

service = LaunchService()
service.include_launch_description(LaunchDescription([OpaqueFunction(function=wait)]))
launched = service._start
def start(folder):
    launcher = launched(folder)
    print("LAUNCHER", launcher.pid, flush=True)
    return launcher
service._start = start
try:
    service.run()
except KeyboardInterrupt:
    print("INTERRUPTED")
"""
    process = start(HEAD + code)
    try:
        lines = iter(process.stdout.readline, "")
        launcher = next(int(line.split()[1]) for line in lines if line.startswith("LAUNCHER"))
        assert any(line == "WAITING\n" for line in lines)
        process.send_signal(signal.SIGINT)
        ended(launcher)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0 and "INTERRUPTED" in out, out + err


def test_an_interrupt_in_a_function_ends_the_processes():
    code = """
def interrupt(event, context):
    print("PID", event.pid, flush=True)
    raise KeyboardInterrupt

service = LaunchService()
service.include_launch_description(LaunchDescription([
    ExecuteProcess(cmd=["sleep", "1000"]), RegisterEventHandler(OnProcessStart(on_start=interrupt)),
]))
try:
    service.run()
except KeyboardInterrupt:
    print("INTERRUPTED")
"""
    status, out, err = run(HEAD + code)
    assert status == 0 and "INTERRUPTED" in out, out + err
    ended(int(out.split("PID ")[1].split()[0]))


def test_what_a_service_can_not_do_is_an_error():
    code = """
service = LaunchService()
def second(context):
    try:
        LaunchService().run()
    except RuntimeError as error:
        print("ERROR", error)
service.include_launch_description(LaunchDescription([OpaqueFunction(function=second)]))
service.run()
errors = []
def other():
    try:
        service.run()
    except RuntimeError as error:
        errors.append(error)
thread = threading.Thread(target=other)
thread.start()
thread.join()
print("ERROR", errors[0])
"""
    status, out, err = run(HEAD + code)
    assert status == 0, err
    lines = [line for line in out.splitlines() if line.startswith("ERROR")]
    assert lines == [
        "ERROR a launch of this program runs already",
        "ERROR LaunchService.run() must be called on the main thread: use run_async() on others",
    ]


def test_other_threads_start_processes_and_end_the_launch():
    code = """
service = LaunchService()
def shell(command):
    return LaunchDescription([ExecuteProcess(cmd=["sh", "-c", command], output="screen")])
def other():
    for number in range(20):
        service.include_launch_description(shell(f"echo RAN{number}"))
    service.emit_event(IncludeLaunchDescription(shell("exec sleep 1000")))
    service.emit_event(Shutdown(reason="enough"))
def start(context):
    # On the thread of the launch it does not wait.
    service.include_launch_description(shell("echo FIRST"))
    threading.Thread(target=other).start()
service.include_launch_description(LaunchDescription([OpaqueFunction(function=start)]))
print("STATUS", service.run(shutdown_when_idle=False))
"""
    status, out, err = run(HEAD + code)
    assert status == 0, err
    lines = out.splitlines()
    want = ["FIRST", *(f"RAN{number}" for number in range(20))]
    assert all(any(line.endswith(f" {word}") for line in lines) for word in want), out
    # The last process may end before it runs its first command.
    assert sum("process started with pid" in line for line in lines) == len(want) + 1, out
    assert "enough" in err + out


def test_work_has_the_variables_and_the_environment_of_the_descriptions():
    code = """
service = LaunchService(argv=["size:=5"])
text = ["VALUES ", LaunchConfiguration("robot"), " ", LaunchConfiguration("size"), " ", EnvironmentVariable("ARM")]
service.include_launch_description(LaunchDescription([
    DeclareLaunchArgument("robot", default_value="arm"), DeclareLaunchArgument("size"), SetEnvironmentVariable("ARM", "left"),
    OpaqueFunction(function=lambda context: threading.Thread(target=other).start()),
]))
def other():
    service.include_launch_description(LaunchDescription([LogInfo(msg=text), SetLaunchConfiguration("robot", "leg")]))
    service.include_launch_description(LaunchDescription([LogInfo(msg=text)]))
    service.emit_event(Shutdown())
print("STATUS", service.run(shutdown_when_idle=False))
"""
    status, out, err = run(HEAD + code)
    assert status == 0, err
    assert "VALUES arm 5 left" in out + err and "VALUES leg 5 left" in out + err, out + err


def test_a_launch_that_ends_refuses_descriptions_and_takes_events():
    code = """
service = LaunchService()
results, done = [], threading.Event()
def other():
    for what in (lambda: service.emit_event(Shutdown()), lambda: service.include_launch_description(LaunchDescription())):
        try:
            what()
            results.append("taken")
        except RuntimeError as error:
            results.append(str(error))
    done.set()
def poll(context):
    # The launch goes on until the work was offered.
    return [] if done.is_set() else [TimerAction(
        period=0.02, actions=[OpaqueFunction(function=poll)], cancel_on_shutdown=False)]
def at_end(event, context):
    threading.Thread(target=other).start()
    return poll(context)
service.include_launch_description(LaunchDescription([RegisterEventHandler(OnShutdown(on_shutdown=at_end))]))
print("STATUS", service.run())
print("RESULTS", results)
"""
    status, out, err = run(HEAD + code)
    assert status == 0, err
    assert "RESULTS ['taken', 'the launch ends, and starts nothing more']" in out, out + err


def test_what_can_not_be_performed_is_an_error_of_the_caller():
    code = """
from launch.events import Event
service = LaunchService()
class Own(Event):
    pass
for what in (lambda: service.include_launch_description("x"), lambda: service.emit_event(Own()),
             lambda: service.emit_event(IncludeLaunchDescription(5))):
    try:
        what()
    except TypeError as error:
        print("ERROR", error)
"""
    status, out, err = run(HEAD + code)
    assert status == 0, err
    assert out.splitlines() == [
        "ERROR expected a LaunchDescription, got 'x'",
        "ERROR an event of the class Own can't be emitted",
        "ERROR expected a LaunchDescription, got 5",
    ]


@pytest.mark.parametrize("is_killed", [True, False])
def test_a_function_that_waits_for_a_thread_with_work_ends_with_the_launcher(is_killed):
    code = f"""
IS_KILLED = {is_killed}
service = LaunchService()
def other():
    print("BEGUN", flush=True)
    try:
        service.emit_event(Shutdown())
    except RuntimeError as error:
        print("ERROR", error)
def wait(context):
    thread = threading.Thread(target=other)
    thread.start()
    if IS_KILLED:
        service._launcher.kill()
    thread.join()
service.include_launch_description(LaunchDescription([OpaqueFunction(function=wait)]))
print("STATUS", service.run())
"""
    process = start(HEAD + code)
    try:
        line = process.stdout.readline()
        while "BEGUN" not in line:
            assert line, process.stderr.read()
            line = process.stdout.readline()
        if not is_killed:
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert "ERROR the launch ends, and starts nothing more" in out and "STATUS" in out, out + err


#: The first lines of a program that has begun an asynchronous run.
BEGINS = """
import asyncio
async def main():
    service = LaunchService()
    service.include_launch_description(LaunchDescription([ExecuteProcess(cmd=["sleep", "1000"])]))
    task = asyncio.create_task(service.run_async())
    await asyncio.sleep(0)
"""


def test_the_loop_of_an_asynchronous_run_adds_work():
    code = """\
    service.include_launch_description(LaunchDescription([LogInfo(msg="ADDED")]))
    service.emit_event(Shutdown())
    return await task
print("STATUS", asyncio.run(main()))
"""
    status, out, err = run(HEAD + BEGINS + code)
    assert status == 0 and "STATUS 0" in out and "ADDED" in out + err, out + err


def test_a_run_that_is_canceled_at_once_ends():
    code = """\
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print("CANCELED")
asyncio.run(main())
"""
    status, out, err = run(HEAD + BEGINS + code)
    assert status == 0 and "CANCELED" in out, out + err


def test_a_thread_is_told_if_the_launch_has_ended():
    code = """
service = LaunchService()
ended = threading.Event()
def other():
    begun.wait()
    try:
        while not ended.is_set():
            service.include_launch_description(LaunchDescription())
    except RuntimeError as error:
        print("ERROR", error)
begun = threading.Event()
thread = threading.Thread(target=other)
thread.start()
service.include_launch_description(LaunchDescription([
    OpaqueFunction(function=lambda context: begun.set()), TimerAction(period=0.2, actions=[EmitEvent(event=Shutdown())])
]))
service._runs_once = True
print("STATUS", service.run())
ended.set()
thread.join()
"""
    status, out, err = run(HEAD + code)
    assert status == 0, err
    assert "ERROR the launch ends, and starts nothing more" in out or "ERROR the launch has ended" in out, out + err


def test_the_environment_is_as_before_after_a_run():
    code = """
os.environ["KEPT"] = "1"
service = LaunchService()
service.include_launch_description(LaunchDescription([
    SetEnvironmentVariable("NEW", "2"), OpaqueFunction(function=lambda context: print("SEEN", os.environ["NEW"]))
]))
service.run()
print("AFTER", os.environ["KEPT"], os.environ.get("NEW"), os.environ.get("SALTUS_LAUNCH_SERVER"))
"""
    status, out, err = run(HEAD + code)
    assert status == 0, err
    assert "SEEN 2" in out and "AFTER 1 None None" in out, out


def test_a_launch_file_of_ros_2_can_be_a_program(tmp_path):
    program = tmp_path / "robot.launch.py"
    program.write_text("""
import sys
from ament_index_python.packages import PackageNotFoundError
from launch import LaunchDescription, LaunchService
from launch.actions import ExecuteProcess


def generate_launch_description():
    return LaunchDescription([ExecuteProcess(cmd=["sh", "-c", "echo RAN"], output="screen")])


if __name__ == "__main__":
    service = LaunchService(argv=sys.argv[1:])
    service.include_launch_description(generate_launch_description())
    sys.exit(service.run())
""")
    process = subprocess.run(
        [sys.executable, "-m", "saltus.ros", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert process.returncode == 0 and "RAN" in process.stdout, process.stdout + process.stderr


def test_both_outputs_of_a_process_can_be_terminals():
    code = """
def noted(kind):
    return lambda event: print("NOTED", kind, event.text.decode().strip(), flush=True)
service = LaunchService()
command = "test -t 1 && test -t 2 && echo terminals; echo wrong >&2"
service.include_launch_description(LaunchDescription([
    RegisterEventHandler(OnProcessIO(on_stdout=noted("out"), on_stderr=noted("err"))),
    ExecuteProcess(cmd=["sh", "-c", command], output="screen", emulate_tty=True),
]))
sys.exit(service.run())
"""
    status, out, err = run(HEAD + code)
    assert status == 0, err
    noted = sorted(line for line in out.splitlines() if line.startswith("NOTED"))
    assert noted == ["NOTED err wrong", "NOTED out terminals"], out
