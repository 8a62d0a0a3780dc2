"""Launch tests run with `launch_test`: their results, their end, and what they leave."""

import pathlib

import pytest
from launch_tests import Running, run, suites, wait_for_end, write


@pytest.fixture(autouse=True)
def logs(log_folder):
    """The folder of the logs of all launches."""


TALKER = """
talker = shell("echo hello $0; echo careful >&2; trap 'echo bye; exit 0' INT; while :; do sleep 0.1; done", name="talker")
return LaunchDescription([
    DeclareLaunchArgument("robot", default_value="none", description="The robot."),
    LogInfo(msg=["robot ", LaunchConfiguration("robot")]),
    talker,
    RegisterEventHandler(StdoutReadyListener(target_action=talker, ready_txt="hello", actions=[ReadyToTest()])),
]), {"talker": talker, "number": 7}
"""


def test_tests_see_the_processes_and_then_their_ends(tmp_path):
    file = write(
        tmp_path,
        TALKER,
        """
        class TestActive(unittest.TestCase):
            @classmethod
            def setUpClass(cls, number):
                cls.doubled = 2 * number

            def setUp(self, talker):
                self.name = talker.process_details["name"]

            def test_it_talks(self, proc_output, proc_info, launch_service, test_args, talker, number):
                self.assertEqual((self.name, self.doubled, test_args["robot"]), ("talker-1", 14, "arm"))
                proc_info.assertWaitForStartup(talker)
                proc_output.assertWaitFor("hello", process=talker, stream="stdout")
                proc_output.assertWaitFor("careful", process="talker")
                self.assertIs(self.proc_output, proc_output)
                with self.assertRaisesRegex(AssertionError, "'Zazzle' did not come"):
                    proc_output.assertWaitFor("Zazzle", timeout=0.1)
                with self.assertRaisesRegex(AssertionError, "has not exited"):
                    assertExitCodes(proc_info, process=talker)


        @launch_testing.post_shutdown_test()
        class TestEnded(unittest.TestCase):
            def test_the_exit_code(self, proc_info):
                assertExitCodes(proc_info)
                self.assertEqual(proc_info.process_names(), ["talker-1"])

            def test_the_output(self, proc_output, talker):
                with assertSequentialStdout(proc_output, talker) as checker:
                    checker.assertInStdout("hello")
                    checker.assertInStdout("bye")
                assertInStderr(proc_output, "careful", talker)
        """,
    )
    status, out = run(file, "robot:=arm", "--junit-xml", tmp_path / "out.xml", "--package-name", "demo")
    assert status == 0 and "robot arm" in out, out
    (suite,) = suites(tmp_path / "out.xml")
    assert suite == (
        "demo.robot_test.launch_tests",
        (3, 0, 0, 0),
        {"test_it_talks": [], "test_the_exit_code": [], "test_the_output": []},
    )


def test_a_failure_is_in_the_exit_code_the_output_and_the_xml(tmp_path):
    file = write(
        tmp_path,
        TALKER,
        """
        class TestActive(unittest.TestCase):
            def test_fails(self):
                self.assertEqual("\\x1b[31mred", "blue")

            def test_has_parts(self):
                for number in (1, 2):
                    with self.subTest(number=number):
                        self.assertEqual(number, 1)

            def test_has_an_error(self):
                raise RuntimeError("broken")

            @unittest.skip("later")
            def test_is_skipped(self):
                pass


        @launch_testing.post_shutdown_test()
        class TestEnded(unittest.TestCase):
            def test_passes(self, proc_info):
                assertExitCodes(proc_info)
        """,
    )
    status, out = run(file, "--junit-xml", tmp_path / "out.xml")
    assert status == 1 and "FAIL: test_fails" in out and "RuntimeError: broken" in out, out
    (suite,) = suites(tmp_path / "out.xml")
    assert suite[1:] == (
        (5, 2, 1, 1),
        {
            "test_fails": ["failure"],
            "test_has_an_error": ["error"],
            "test_has_parts": ["failure"],
            "test_is_skipped": ["skipped"],
            "test_passes": [],
        },
    )


WAITS_FOR_READY = """
def ready_after(process):
    handler = StdoutReadyListener(target_action=process, ready_txt="never", actions=[ReadyToTest()])
    return RegisterEventHandler(handler)


class TestActive(unittest.TestCase):
    def test_is_never_run(self):
        print("RUN")
"""


def test_a_process_that_dies_before_the_tests_is_a_failure_at_once(tmp_path):
    description = """
    dies = shell("echo no camera; exit 3", name="camera")
    return LaunchDescription([dies, ready_after(dies)])
    """
    # The tests begin after an hour, or never.
    marks = "@launch_testing.ready_to_test_action_timeout(3600)"
    file = write(tmp_path, description, WAITS_FOR_READY, marks)
    status, out = run(file, "--junit-xml", tmp_path / "out.xml")
    assert status == 1 and "Processes under test stopped before tests completed" in out, out
    assert "Process 'camera-1' exited with 3" in out and "##### 'camera-1' output #####\nno camera\n" in out, out
    assert suites(tmp_path / "out.xml")[0][1:] == ((1, 1, 0, 0), {"test_is_never_run": ["failure"]})


def test_processes_that_are_not_ready_in_time_are_a_failure(tmp_path):
    description = """
    waits = KeepAliveProc()
    return LaunchDescription([waits, ready_after(waits)])
    """
    file = write(tmp_path, description, WAITS_FOR_READY, "@launch_testing.ready_to_test_action_timeout(0.1)")
    status, out = run(file)
    assert status == 1 and "Timed out waiting for processes to start up" in out and "RUN" not in out, out


def test_a_launch_without_tests_that_fails_is_a_failure_in_the_xml(tmp_path):
    file = write(tmp_path, 'return LaunchDescription([shell("exit 3")]), ready_fn and {}', arguments="ready_fn")
    status, _ = run(file, "--junit-xml", tmp_path / "out.xml")
    assert (status, suites(tmp_path / "out.xml")[0][1:]) == (1, ((1, 1, 0, 0), {"launch": ["failure"]}))


def test_a_hung_process_is_ended(tmp_path):
    description = """
    hung = shell("trap '' INT TERM; echo PID $$; while :; do sleep 0.1; done", sigterm_timeout="0.1", sigkill_timeout="0.1")
    return LaunchDescription([hung, ReadyToTest()]), {"hung": hung}
    """
    file = write(
        tmp_path,
        description,
        """
        class TestActive(unittest.TestCase):
            def test_it_runs(self, proc_output):
                proc_output.assertWaitFor("PID", stream="stdout")


        @launch_testing.post_shutdown_test()
        class TestEnded(unittest.TestCase):
            def test_it_was_killed(self, proc_info, hung):
                assertExitCodes(proc_info, [-signal.SIGKILL], hung)
        """,
    )
    status, out = run(file)
    assert status == 0, out
    wait_for_end(int(out.split("PID ")[1].split()[0]))


def test_ctrl_c_ends_the_processes_and_the_other_launches(tmp_path):
    file = write(
        tmp_path,
        'return LaunchDescription([shell("echo PID $$; exec sleep 1000"), ReadyToTest()])',
        """
        class TestActive(unittest.TestCase):
            def test_never_ends(self):
                threading.Event().wait()
        """,
        '@launch_testing.parametrize("number", [1, 2])',
        "number",
    )
    with Running(file, "--junit-xml", tmp_path / "out.xml") as test:
        pid = int(test.wait_for("PID "))
        test.interrupt()
        assert test.finish() == 1, test.log
    wait_for_end(pid)
    assert test.log.count("Starting test run") == 1, test.log
    failed = {"test_never_ends[1]": ["failure"]}, {"test_never_ends[2]": ["failure"]}
    assert tuple(cases for _, _, cases in suites(tmp_path / "out.xml")) == failed


def test_a_parametrized_launch_runs_once_for_each_value(tmp_path):
    file = write(
        tmp_path,
        'return LaunchDescription([shell(f"echo {word} {number}"), KeepAliveProc(), ReadyToTest()])',
        """
        class TestActive(unittest.TestCase):
            def test_it_prints(self, proc_output, word, number):
                proc_output.assertWaitFor(f"{word} {number}", stream="stdout")
                self.assertNotEqual(number, 2)


        @launch_testing.post_shutdown_test()
        class TestEnded(unittest.TestCase):
            def test_the_exit_codes(self, proc_info):
                assertExitCodes(proc_info)
        """,
        '@launch_testing.parametrize("word, number", [("a", 1), ("b", 2), ("c", 3)])',
        "word, number",
    )
    status, out = run(file, "--junit-xml", tmp_path / "out.xml")
    assert status == 1, out
    found = suites(tmp_path / "out.xml")
    assert [(name.rpartition(".")[2], numbers) for name, numbers, _ in found] == [
        ("launch_tests[a, 1]", (2, 0, 0, 0)),
        ("launch_tests[b, 2]", (2, 1, 0, 0)),
        ("launch_tests[c, 3]", (2, 0, 0, 0)),
    ]
    assert found[1][2] == {"test_it_prints[b, 2]": ["failure"], "test_the_exit_codes[b, 2]": []}


def test_a_launch_goes_on_after_one_that_dies(tmp_path):
    file = write(
        tmp_path,
        """
        other = [shell("exit 3")] if number == 1 else [KeepAliveProc(), ReadyToTest()]
        handler = StdoutReadyListener(target_action=other[0], ready_txt="never", actions=[ReadyToTest()])
        return LaunchDescription([*other, RegisterEventHandler(handler)])
        """,
        "class TestActive(unittest.TestCase):\n    def test_passes(self): pass\n",
        '@launch_testing.parametrize("number", [1, 2])',
        "number",
    )
    status, out = run(file, "--junit-xml", tmp_path / "out.xml")
    assert status == 1, out
    assert [numbers for _, numbers, _ in suites(tmp_path / "out.xml")] == [(1, 1, 0, 0), (1, 0, 0, 0)]


def test_a_skipped_description_skips_its_tests(tmp_path):
    tests = "class TestActive(unittest.TestCase):\n    def test_passes(self): pass\n"
    file = write(tmp_path, "raise AssertionError", tests, '@unittest.skip("no robot")')
    status, out = run(file, "--junit-xml", tmp_path / "out.xml")
    assert status == 0 and "is skipped: no robot" in out, out
    assert suites(tmp_path / "out.xml")[0][1:] == ((1, 0, 0, 1), {"test_passes": ["skipped"]})


def test_a_test_starts_and_ends_processes(tmp_path):
    file = write(
        tmp_path,
        "return LaunchDescription([ReadyToTest()])",
        """
        class TestActive(unittest.TestCase):
            def test_a_process_that_ends(self, launch_service, proc_info, proc_output):
                action = shell("echo one; echo two >&2; exit 4", name="short")
                with launch_testing.tools.launch_process(launch_service, action, proc_info, proc_output) as process:
                    assert process.wait_for_shutdown(timeout=30)
                self.assertEqual((process.exit_code, process.stdout, process.stderr), (4, "one\\n", "two\\n"))
                self.assertFalse(process.running)

            def test_a_process_that_goes_on(self, launch_service, proc_info, proc_output):
                action = shell("echo one; trap 'exit 0' INT; while :; do sleep 0.1; done", name="long")
                with launch_testing.tools.launch_process(launch_service, action, proc_info, proc_output) as process:
                    assert process.wait_for_output(lambda output: "one" in output, timeout=30)
                    self.assertTrue(process.running)
                proc_info.assertWaitForShutdown(action, timeout=30)
                assertExitCodes(proc_info, process=action)
        """,
        "@launch_testing.markers.keep_alive",
    )
    status, out = run(file)
    assert status == 0, out


def test_a_launch_takes_processes_while_one_runs(tmp_path):
    file = write(
        tmp_path,
        "return LaunchDescription([ReadyToTest(), KeepAliveProc()])",
        """
        class TestActive(unittest.TestCase):
            def test_a_process_starts_at_once(self, launch_service, proc_info, proc_output):
                action = shell("exit 0")
                with launch_testing.tools.launch_process(launch_service, action, proc_info, proc_output) as process:
                    assert process.wait_for_shutdown(timeout=30)
        """,
    )
    status, out = run(file)
    assert status == 0, out


def test_a_launch_takes_processes_while_a_timer_runs(tmp_path):
    file = write(
        tmp_path,
        "return LaunchDescription([TimerAction(period=3600.0, actions=[]), ReadyToTest()])",
        """
        class TestActive(unittest.TestCase):
            def test_a_process_starts_at_once(self, launch_service, proc_info, proc_output):
                action = shell("exit 0")
                with launch_testing.tools.launch_process(launch_service, action, proc_info, proc_output) as process:
                    assert process.wait_for_shutdown(timeout=30)
        """,
    )
    status, out = run(file)
    assert status == 0, out


BESIDE = """
class TestBeside(unittest.TestCase):
    def test_sees_only_its_own_publisher(self):
        import rclpy
        from std_msgs.msg import String

        with rclpy.init(), rclpy.create_node("node") as node:
            publisher = node.create_publisher(String, "chatter", 10)
            subscription = node.create_subscription(String, "chatter", lambda message: None, 10)
            assert subscription.wait_for_publishers(1, 30.0)
            print("HAS STARTED", flush=True)
            sys.stdin.readline()
            print("PUBLISHERS", node.count_publishers("chatter"), flush=True)
"""


@pytest.mark.parametrize(("option", "count"), [((), "1"), (("--disable-isolation",), "2")])
def test_two_runs_side_by_side_see_each_other_only_without_isolation(tmp_path, monkeypatch, option, count):
    # Newer programs have another `init` than those of older distributions.
    monkeypatch.setenv("ROS_DISTRO", "rolling")
    file = write(tmp_path, "return LaunchDescription([KeepAliveProc(), ReadyToTest()])", BESIDE)
    with Running(file, *option) as first, Running(file, *option) as second:
        first.wait_for("HAS STARTED")
        second.wait_for("HAS STARTED")
        assert second.finish("\n") == 0, second.log
        assert f"PUBLISHERS {count}" in second.log, second.log
        assert first.finish("\n") == 0, first.log


def test_the_shared_memory_of_a_run_that_was_killed_is_removed_by_the_next(tmp_path):
    tests = """
    class TestActive(unittest.TestCase):
        def test_waits(self):
            print("FOLDER", os.environ["SALTUS_SHM_DIR"], flush=True)
            sys.stdin.readline()
    """
    file = write(tmp_path, "return LaunchDescription([KeepAliveProc(), ReadyToTest()])", tests)
    with Running(file) as killed, Running(file) as goes_on:
        folders = [pathlib.Path(test.wait_for("FOLDER ")) for test in (killed, goes_on)]
        killed.kill()
        with Running(file) as last:
            folders.append(pathlib.Path(last.wait_for("FOLDER ")))
            assert [folder.exists() for folder in folders] == [False, True, True]
            assert (last.finish("\n"), goes_on.finish("\n")) == (0, 0), last.log + goes_on.log
    assert not any(folder.exists() for folder in folders)


def test_a_retried_test_passes_if_its_last_attempt_does(tmp_path):
    file = write(
        tmp_path,
        "return LaunchDescription([KeepAliveProc(), ReadyToTest()])",
        """
        class TestActive(unittest.TestCase):
            attempts = [0, 0, 0]

            @launch_testing.markers.retry_on_failure(times=3)
            def test_passes_at_last(self):
                self.attempts[0] += 1
                self.assertEqual(self.attempts[0], 3)

            @launch_testing.markers.retry_on_failure(times=2, delay=0.0)
            def test_a_part_fails_once(self):
                self.attempts[1] += 1
                with self.subTest("part"):
                    self.assertEqual(self.attempts[1], 2)

            @launch_testing.markers.retry_on_failure(times=2)
            def test_fails(self):
                self.attempts[2] += 1
                self.fail(f"attempt {self.attempts[2]}")
        """,
    )
    status, out = run(file, "--junit-xml", tmp_path / "out.xml")
    assert status == 1 and "attempt 2" in out and "attempt 1" not in out, out
    assert suites(tmp_path / "out.xml")[0][1:] == (
        (3, 1, 0, 0),
        {"test_a_part_fails_once": [], "test_fails": ["failure"], "test_passes_at_last": []},
    )


def test_processes_that_are_tests_have_a_time_limit(tmp_path):
    (tmp_path / "test_inner.py").write_text("def test_passes():\n    pass\n")
    file = write(
        tmp_path,
        f"""
        hangs, quick = GTest(path="cat", timeout=0.1, shell=True), PyTest(path={str(tmp_path / "test_inner.py")!r}, timeout=60)
        return LaunchDescription([hangs, quick, KeepAliveProc(), ReadyToTest()]), {{"hangs": hangs, "quick": quick}}
        """.replace('path="cat"', 'path="sleep 1000"'),
        """
        class TestActive(unittest.TestCase):
            def test_they_end(self, proc_info, hangs, quick):
                proc_info.assertWaitForShutdown(hangs, timeout=30)
                proc_info.assertWaitForShutdown(quick, timeout=30)
                assertExitCodes(proc_info, process=quick)
                assertExitCodes(proc_info, [-signal.SIGINT, EXIT_SIGINT], hangs)
        """,
    )
    status, out = run(file)
    assert status == 0, out


def test_the_arguments_of_a_launch_are_printed(tmp_path):
    status, out = run(write(tmp_path, TALKER), "--show-args")
    assert status == 0 and "'robot':\n        The robot.\n        (default: 'none')" in out, out
    plain = write(tmp_path, "return LaunchDescription([ReadyToTest()])")
    assert "No arguments." in run(plain, "--show-args")[1]


@pytest.mark.parametrize(
    ("description", "arguments", "words", "error"),
    [
        ("return LaunchDescription([ReadyToTest()])", "speed", (), "unexpected extra argument 'speed'"),
        ("return LaunchDescription([ReadyToTest()])", "", ("robot=arm",), "malformed launch argument 'robot=arm'"),
        ("return LaunchDescription([])", "", (), "containing a ReadyToTest action"),
    ],
)
def test_a_wrong_file_or_argument_is_an_error(tmp_path, description, arguments, words, error):
    status, out = run(write(tmp_path, description, arguments=arguments), *words)
    assert status in (1, 2) and error in out, out


def test_a_file_that_is_no_launch_test_is_an_error(tmp_path):
    (tmp_path / "empty.py").write_text("")
    assert run(tmp_path / "empty.py")[0] == 2
    status, out = run(tmp_path / "missing.py")
    assert status == 2 and "there is no file" in out, out
