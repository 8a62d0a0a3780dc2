"""Programs that send a robot to places, with the calls of programs for ROS 2's ``nav2_simple_commander``."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest
from launching import COMMAND
from saltus.action import ActionServer, CancelResponse, GoalResponse
from saltus.executors import MultiThreadedExecutor
from saltus.msgs.geometry_msgs.msg import Point32, Polygon, PoseStamped, PoseWithCovarianceStamped
from saltus.msgs.lifecycle_msgs.srv import GetState
from saltus.msgs.nav2_msgs.action import (
    BackUp,
    ComputePathThroughPoses,
    ComputePathToPose,
    FollowWaypoints,
    NavigateToPose,
    SmoothPath,
    Spin,
)  # fmt: skip
from saltus.msgs.nav2_msgs.msg import Costmap
from saltus.msgs.nav2_msgs.srv import ClearEntireCostmap, GetCostmap, LoadMap, ManageLifecycleNodes
from saltus.msgs.nav_msgs.msg import OccupancyGrid, Path
from saltus.navigation import BasicNavigator, TaskResult
from saltus.navigation.costmap_2d import PyCostmap2D
from saltus.navigation.footprint_collision_checker import FootprintCollisionChecker
from saltus.navigation.line_iterator import LineIterator
from saltus.navigation.utils import find_os_processes, kill_os_processes
from saltus.qos import DurabilityPolicy, QoSProfile


def pose(x, y=0.0):
    """A pose in the map."""
    stamped = PoseStamped()
    stamped.header.frame_id = "map"
    stamped.pose.position.x, stamped.pose.position.y, stamped.pose.orientation.w = x, y, 1.0
    return stamped


def points(line):
    """The points of a line."""
    found = []
    while line.isValid():
        found.append((line.getX(), line.getY()))
        line.advance()
    return found


def grid(width=10, height=8, resolution=0.5):
    """A map whose lower left corner is at (-1, 0)."""
    map = OccupancyGrid()
    map.header.frame_id = "map"
    map.info.width, map.info.height, map.info.resolution = width, height, resolution
    map.info.origin.position.x = -1.0
    map.data = [0] * (width * height)
    return map


def test_a_line_has_points():
    assert points(LineIterator(0, 0, 3, 3)) == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert points(LineIterator(1, 2, 1, 0)) == [(1, 2), (1, 1), (1, 0)]
    assert points(LineIterator(2, 0, 0, 1, 0.5)) == [(2, 0), (1.5, 0.25), (1.0, 0.5), (0.5, 0.75), (0, 1.0)]
    # An end with many digits is reached.
    assert points(LineIterator(0, 0, 1.1234567, 0))[-1] == (1.1234567, 0)
    line = LineIterator(0, 0, 3, 4)
    assert (line.getX0(), line.getY0(), line.getX1(), line.getY1(), line.get_line_length()) == (0, 0, 3, 4, 5.0)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [((0, 0, 0, 0), ValueError), ((0, 0, 1, 1, -1), ValueError), (("0", 0, 1, 1), TypeError)],
)
def test_a_line_must_have_a_length(arguments, error):
    with pytest.raises(error):
        LineIterator(*arguments)


def test_a_costmap_is_read_and_changed():
    costmap = PyCostmap2D(grid())
    assert (costmap.getSizeInCellsX(), costmap.getSizeInCellsY(), costmap.getResolution()) == (10, 8, 0.5)
    assert (costmap.getSizeInMetersX(), costmap.getOriginX(), costmap.getOriginY()) == (4.75, -1.0, 0.0)
    assert costmap.mapToWorld(0, 1) == (-0.75, 0.75)
    assert costmap.worldToMapValidated(-0.75, 0.75) == (0, 1)
    assert costmap.worldToMapValidated(-1.1, 0.0) == costmap.worldToMapValidated(9.0, 0.0) == (None, None)
    costmap.setCost(3, 2, 253)
    assert costmap.getCostXY(3, 2) == costmap.getCostIdx(costmap.getIndex(3, 2)) == 253
    raw = Costmap(data=bytes([7] * 6))
    raw.metadata.size_x, raw.metadata.size_y, raw.metadata.resolution = 3, 2, 0.1
    assert PyCostmap2D(raw).getCostXY(2, 1) == 7


def test_a_footprint_touches_what_is_under_its_outline():
    costmap = PyCostmap2D(grid())
    checker = FootprintCollisionChecker()
    square = Polygon(points=[Point32(x=x, y=y) for x, y in ((0.6, 0.6), (0.6, -0.6), (-0.6, -0.6), (-0.6, 0.6))])
    with pytest.raises(ValueError, match="setCostmap"):
        checker.footprintCost(square)
    checker.setCostmap(costmap)
    assert checker.footprintCostAtPose(1.25, 1.75, 0.0, square) == 0.0
    # Its middle is not looked at, its outline is.
    costmap.setCost(4, 3, 254)
    assert checker.footprintCostAtPose(1.25, 1.75, 0.0, square) == 0.0
    assert checker.footprintCostAtPose(1.75, 1.75, 0.0, square) == 254.0
    # Outside of the map.
    assert checker.footprintCostAtPose(-1.0, 0.0, 0.0, square) == 254.0


def test_processes_are_found_and_killed():
    mark = f"mark-of-{os.getpid()}"
    program = "import sys; print('up', flush=True); sys.stdin.read()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", program, mark], **pipes)
    try:
        # Popen may return before the kernel shows the arguments.
        assert process.stdout.readline() == b"up\n"
        assert [int(pid) for pid, _ in find_os_processes(mark)] == [process.pid]
        kill_os_processes(mark)
        assert process.wait(20) == -signal.SIGKILL
    finally:
        process.kill()
        process.communicate()


class Stack:
    """Servers with the names of those of a robot, which decide by the goal what they do."""

    def __init__(self, saltus):
        self.node = saltus.Node("stack")
        self.managed, self.loaded, self.cleared = [], [], 0
        node = self.node
        self.servers = [
            ActionServer(
                node,
                kind,
                name,
                run,
                goal_callback=self.decide,
                cancel_callback=lambda _: CancelResponse.ACCEPT,
            )
            for kind, name, run in (
                (NavigateToPose, "navigate_to_pose", self.navigate),
                (FollowWaypoints, "follow_waypoints", self.end(FollowWaypoints)),
                (Spin, "spin", self.end(Spin)),
                (BackUp, "backup", self.end(BackUp)),
                (ComputePathToPose, "compute_path_to_pose", self.plan(ComputePathToPose)),
                (ComputePathThroughPoses, "compute_path_through_poses", self.plan(ComputePathThroughPoses)),
                (SmoothPath, "smooth_path", self.smooth),
            )
        ]
        late = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.localized = node.create_publisher(PoseWithCovarianceStamped, "amcl_pose", late)
        node.create_subscription(PoseWithCovarianceStamped, "initialpose", self.localize, 1)
        for name in ("amcl", "bt_navigator"):
            node.create_service(GetState, f"{name}/get_state", self.state)
        node.create_service(LoadMap, "map_server/load_map", self.load)
        for name in ("global", "local"):
            node.create_service(ClearEntireCostmap, f"{name}_costmap/clear_entirely_{name}_costmap", self.clear)
        node.create_service(GetCostmap, "global_costmap/get_costmap", self.costmap)
        node.create_service(ManageLifecycleNodes, "lifecycle_manager/manage_nodes", self.manage)
        self.executor = MultiThreadedExecutor(4)
        self.executor.add_node(node)
        self.thread = threading.Thread(target=self.executor.spin, daemon=True)
        self.thread.start()

    def close(self):
        self.executor.shutdown()
        self.thread.join(20)
        self.node.destroy_node()

    @staticmethod
    def decide(request):
        """Does not go to x = 7 m."""
        is_far = isinstance(request, NavigateToPose.Goal) and request.pose.pose.position.x == 7.0
        return GoalResponse.REJECT if is_far else GoalResponse.ACCEPT

    def navigate(self, goal):
        """Arrives at once, but never at x = 9 m, and fails behind the origin."""
        feedback = NavigateToPose.Feedback()
        feedback.distance_remaining = x = goal.request.pose.pose.position.x
        goal.publish_feedback(feedback)
        while x == 9.0 and not goal.is_cancel_requested:
            # An action server in Python polls for a cancellation, as in rclpy.
            time.sleep(0.005)
        if goal.is_cancel_requested:
            goal.canceled()
        elif x < 0.0:
            goal.abort()
        else:
            goal.succeed()
        return NavigateToPose.Result()

    @staticmethod
    def end(kind):
        def run(goal):
            goal.succeed()
            return kind.Result()

        return run

    @staticmethod
    def plan(kind):
        """Returns the poses of the goal as its path, and fails if the planner is not known."""

        def run(goal):
            result, request = kind.Result(), goal.request
            goals = request.goals if hasattr(request, "goals") else [request.goal]
            result.path.poses = [request.start, *goals] if request.use_start else list(goals)
            goal.succeed() if request.planner_id in ("", "GridBased") else goal.abort()
            return result

        return run

    @staticmethod
    def smooth(goal):
        goal.succeed()
        limit = goal.request.max_smoothing_duration
        return SmoothPath.Result(path=goal.request.path, smoothing_duration=limit)

    def localize(self, given):
        self.localized.publish(given)

    @staticmethod
    def state(_, response):
        response.current_state.id, response.current_state.label = 3, "active"
        return response

    def load(self, request, response):
        self.loaded.append(request.map_url)
        is_there = request.map_url == "there.yaml"
        response.result = response.RESULT_SUCCESS if is_there else response.RESULT_MAP_DOES_NOT_EXIST
        return response

    def clear(self, _, response):
        self.cleared += 1
        return response

    @staticmethod
    def costmap(_, response):
        response.map.metadata.size_x = 5
        return response

    def manage(self, request, response):
        self.managed.append(request.command)
        response.success = True
        return response


@pytest.fixture
def stack(saltus):
    stack = Stack(saltus)
    yield stack
    stack.close()


@pytest.fixture
def navigator(saltus, stack):
    navigator = BasicNavigator()
    yield navigator
    navigator.destroyNode()


def complete(navigator):
    """Waits for the end of a task. Returns its result."""
    deadline = time.monotonic() + 20.0
    while not navigator.isTaskComplete():
        assert time.monotonic() < deadline
    return navigator.getResult()


def test_a_robot_is_sent_to_a_pose(navigator):
    assert navigator.getResult() == TaskResult.UNKNOWN and navigator.isTaskComplete()
    assert navigator.goToPose(pose(2.0)) and complete(navigator) == TaskResult.SUCCEEDED
    assert navigator.getFeedback().distance_remaining == 2.0
    assert navigator.goToPose(pose(-1.0)) and complete(navigator) == TaskResult.FAILED
    assert navigator.goToPose(pose(9.0)) and not navigator.isTaskComplete()
    navigator.cancelTask()
    assert complete(navigator) == TaskResult.CANCELED


def test_a_goal_that_is_rejected_does_not_end_the_task_before(navigator):
    assert navigator.goToPose(pose(9.0))
    assert not navigator.goToPose(pose(7.0))
    assert not navigator.isTaskComplete()
    navigator.cancelTask()
    assert complete(navigator) == TaskResult.CANCELED


WAITING = """
import saltus
from saltus.navigation import BasicNavigator

saltus.init()
navigator = BasicNavigator()
print("waits", flush=True)
navigator.goToPose(navigator.initial_pose)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_program_that_waits_for_a_robot_can_be_ended(environment, number):
    words = [sys.executable, "-c", WAITING]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, env=environment, **pipes) as program:
        assert program.stdout.readline() == "waits\n"
        program.send_signal(number)
        _, errors = program.communicate(timeout=20)
    assert errors.count("waiting...") < 10
    expected = "KeyboardInterrupt" if number == signal.SIGINT else "ExternalShutdownException"
    assert program.returncode != 0 and expected in errors, errors


def test_a_robot_moves_and_follows(navigator):
    for start in (
        lambda: navigator.followWaypoints([pose(1.0), pose(2.0)]),
        lambda: navigator.spin(spin_dist=1),
        lambda: navigator.backup(backup_dist=1, backup_speed=0.1),
    ):
        assert start() and complete(navigator) == TaskResult.SUCCEEDED


def test_paths_are_computed(navigator):
    def places(path):
        return [stamped.pose.position.x for stamped in path.poses]

    assert places(navigator.getPath(pose(0.0), pose(1.0))) == [1.0]
    assert places(navigator.getPathThroughPoses(pose(0.0), [pose(1.0), pose(2.0)], use_start=True)) == [0.0, 1.0, 2.0]
    assert navigator.getPath(pose(0.0), pose(1.0), planner_id="other") is None
    path = Path(poses=[pose(3.0)])
    assert places(navigator.smoothPath(path, max_duration=1.5)) == [3.0]
    limit = navigator._smoothPathImpl(path, max_duration=1.5).smoothing_duration
    assert (limit.sec, limit.nanosec) == (1, 500_000_000)


def test_the_stack_is_asked(navigator, stack):
    navigator.setInitialPose(pose(1.0))
    navigator.waitUntilNav2Active()
    assert navigator.initial_pose_received
    navigator.changeMap("there.yaml")
    navigator.changeMap("missing.yaml")
    assert stack.loaded == ["there.yaml", "missing.yaml"]
    navigator.clearAllCostmaps()
    assert stack.cleared == 2
    assert navigator.getGlobalCostmap().metadata.size_x == 5
    navigator.lifecycleStartup()
    navigator.lifecycleShutdown()
    assert stack.managed == [ManageLifecycleNodes.Request.STARTUP, ManageLifecycleNodes.Request.SHUTDOWN]


PROGRAM = """
import rclpy
from geometry_msgs.msg import PoseStamped
from nav2_simple_commander.robot_navigator import BasicNavigator, TaskResult


def pose(navigator, x, y):
    stamped = PoseStamped()
    stamped.header.frame_id = "map"
    stamped.header.stamp = navigator.get_clock().now().to_msg()
    stamped.pose.position.x, stamped.pose.position.y, stamped.pose.orientation.w = x, y, 1.0
    return stamped


rclpy.init()
navigator = BasicNavigator()
navigator.setInitialPose(pose(navigator, -2.0, -0.5))
navigator.waitUntilNav2Active()
path = navigator.getPath(pose(navigator, -2.0, -0.5), pose(navigator, -0.6, -0.6))
print("poses:", len(path.poses) > 10)
navigator.goToPose(pose(navigator, -0.6, -0.6))
least = 100.0
while not navigator.isTaskComplete():
    feedback = navigator.getFeedback()
    if feedback and feedback.distance_remaining > 0.0:
        least = min(least, feedback.distance_remaining)
print("result:", navigator.getResult().name, "near:", least < 0.6)
print("cells:", navigator.getGlobalCostmap().metadata.size_x > 50)
navigator.lifecycleShutdown()
rclpy.shutdown()
"""


def test_a_program_drives_a_simulated_robot(environment, tmp_path):
    program = tmp_path / "drive.py"
    program.write_text(PROGRAM)
    stack = ["launch", "nav", "bringup.launch.yaml", "use_sim_time:=true", "use_composition:=True"]
    logs = [(tmp_path / name).open("w+") for name in ("simulator", "stack")]
    others = [
        subprocess.Popen([COMMAND, *words], env=environment, stdout=log, stderr=subprocess.STDOUT)
        for words, log in zip((["sim", "turtlebot3_world", "--factor", "2"], stack), logs)
    ]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "saltus.ros", program],
            env=environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    finally:
        for other in others:
            other.send_signal(signal.SIGINT)
        codes = [other.wait(20) for other in others]
    text = "".join(pathlib.Path(log.name).read_text() for log in logs)
    assert done.stdout.splitlines() == ["poses: True", "result: SUCCEEDED near: True", "cells: True"], (
        done.stdout + done.stderr + text
    )
    assert done.returncode == 0 and all(code in (0, 130, -signal.SIGINT) for code in codes), (codes, text)
    for log in logs:
        log.close()
