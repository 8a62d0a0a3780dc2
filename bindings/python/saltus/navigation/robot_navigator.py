"""Sends a robot to places.

Source: ``nav2_simple_commander.robot_navigator``, whose class, methods and texts these are.
"""

from __future__ import annotations

import time
from enum import Enum
from typing import Any

import saltus
from saltus.action import ActionClient, GoalStatus
from saltus.client import Client
from saltus.exceptions import ExternalShutdownException
from saltus.msgs.builtin_interfaces.msg import Duration
from saltus.msgs.geometry_msgs.msg import Point, PoseStamped, PoseWithCovarianceStamped
from saltus.msgs.lifecycle_msgs.srv import GetState
from saltus.msgs.nav2_msgs.action import (
    AssistedTeleop,
    BackUp,
    ComputePathThroughPoses,
    ComputePathToPose,
    DockRobot,
    DriveOnHeading,
    FollowPath,
    FollowWaypoints,
    NavigateThroughPoses,
    NavigateToPose,
    SmoothPath,
    Spin,
    UndockRobot,
)  # fmt: skip
from saltus.msgs.nav2_msgs.srv import (
    ClearCostmapAroundPose,
    ClearCostmapAroundRobot,
    ClearCostmapExceptRegion,
    ClearEntireCostmap,
    GetCostmap,
    LoadMap,
    ManageLifecycleNodes,
)  # fmt: skip
from saltus.node import Node
from saltus.qos import DurabilityPolicy, QoSProfile

__all__ = ["BasicNavigator", "TaskResult"]

#: How long a method waits for a server before it says so, and waits again.
_WAIT = 1.0
#: How long a poll of a task may take.
_POLL = 0.10


class TaskResult(Enum):
    """How a task has ended."""

    UNKNOWN = 0
    SUCCEEDED = 1
    CANCELED = 2
    FAILED = 3


class BasicNavigator(Node):
    """Sends a robot to places, and tells how far it is. One task runs at a time.

    ``goToPose`` and the other methods that start a task return whether the server has accepted it. Then
    ``isTaskComplete`` is to be called again and again, and ``getResult`` returns the result.
    """

    def __init__(self, node_name: str = "basic_navigator", namespace: str = "") -> None:
        super().__init__(node_name, namespace=namespace)
        self.initial_pose = PoseStamped()
        self.initial_pose.header.frame_id = "map"
        self.goal_handle: Any = None
        self.result_future: Any = None
        self.feedback: Any = None
        self.status: int | None = None
        self.initial_pose_received = False
        self.nav_through_poses_client = ActionClient(self, NavigateThroughPoses, "navigate_through_poses")
        self.nav_to_pose_client = ActionClient(self, NavigateToPose, "navigate_to_pose")
        self.follow_waypoints_client = ActionClient(self, FollowWaypoints, "follow_waypoints")
        self.follow_path_client = ActionClient(self, FollowPath, "follow_path")
        self.compute_path_to_pose_client = ActionClient(self, ComputePathToPose, "compute_path_to_pose")
        self.compute_path_through_poses_client = ActionClient(
            self, ComputePathThroughPoses, "compute_path_through_poses"
        )
        self.smoother_client = ActionClient(self, SmoothPath, "smooth_path")
        self.spin_client = ActionClient(self, Spin, "spin")
        self.backup_client = ActionClient(self, BackUp, "backup")
        self.drive_on_heading_client = ActionClient(self, DriveOnHeading, "drive_on_heading")
        self.assisted_teleop_client = ActionClient(self, AssistedTeleop, "assisted_teleop")
        self.docking_client = ActionClient(self, DockRobot, "dock_robot")
        self.undocking_client = ActionClient(self, UndockRobot, "undock_robot")
        late = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.localization_pose_sub = self.create_subscription(
            PoseWithCovarianceStamped, "amcl_pose", self._amclPoseCallback, late
        )
        self.initial_pose_pub = self.create_publisher(PoseWithCovarianceStamped, "initialpose", 10)
        self.change_maps_srv = self.create_client(LoadMap, "map_server/load_map")
        self.clear_costmap_global_srv = self.create_client(
            ClearEntireCostmap, "global_costmap/clear_entirely_global_costmap"
        )
        self.clear_costmap_local_srv = self.create_client(
            ClearEntireCostmap, "local_costmap/clear_entirely_local_costmap"
        )
        self.clear_costmap_except_region_srv = self.create_client(
            ClearCostmapExceptRegion, "local_costmap/clear_except_local_costmap"
        )
        self.clear_costmap_around_robot_srv = self.create_client(
            ClearCostmapAroundRobot, "local_costmap/clear_around_local_costmap"
        )
        self.clear_costmap_around_pose_srv = self.create_client(
            ClearCostmapAroundPose, "local_costmap/clear_around_pose_local_costmap"
        )
        self.get_costmap_global_srv = self.create_client(GetCostmap, "global_costmap/get_costmap")
        self.get_costmap_local_srv = self.create_client(GetCostmap, "local_costmap/get_costmap")

    def destroyNode(self) -> None:
        """Closes the node."""
        self.destroy_node()

    def setInitialPose(self, initial_pose: PoseStamped) -> None:
        """Says where the robot is."""
        self.initial_pose_received = False
        self.initial_pose = initial_pose
        self._setInitialPose()

    def goThroughPoses(self, poses: list[PoseStamped], behavior_tree: str = "") -> bool:
        """Starts to navigate through poses. Returns whether the task is accepted."""
        goal = NavigateThroughPoses.Goal(poses=poses, behavior_tree=behavior_tree)
        self.info(f"Navigating with {len(poses)} goals....")
        return self._start(self.nav_through_poses_client, goal, f"Goal with {len(poses)} poses was rejected!")

    def goToPose(self, pose: PoseStamped, behavior_tree: str = "") -> bool:
        """Starts to navigate to a pose. Returns whether the task is accepted."""
        goal = NavigateToPose.Goal(pose=pose, behavior_tree=behavior_tree)
        goal_position = f"{pose.pose.position.x} {pose.pose.position.y}"
        self.info(f"Navigating to goal: {goal_position}...")
        return self._start(self.nav_to_pose_client, goal, f"Goal to {goal_position} was rejected!")

    def followWaypoints(self, poses: list[PoseStamped]) -> bool:
        """Starts to follow waypoints. Returns whether the task is accepted."""
        self.info(f"Following {len(poses)} goals....")
        goal = FollowWaypoints.Goal(poses=poses)
        return self._start(
            self.follow_waypoints_client, goal, f"Following {len(poses)} waypoints request was rejected!"
        )

    def spin(self, spin_dist: float = 1.57, time_allowance: int = 10) -> bool:
        """Starts to turn by an angle in radians. Returns whether the task is accepted."""
        goal = Spin.Goal(target_yaw=float(spin_dist), time_allowance=Duration(sec=time_allowance))
        self.info(f"Spinning to angle {goal.target_yaw}....")
        return self._start(self.spin_client, goal, "Spin request was rejected!")

    def backup(self, backup_dist: float = 0.15, backup_speed: float = 0.025, time_allowance: int = 10) -> bool:
        """Starts to drive back. Returns whether the task is accepted."""
        goal = BackUp.Goal(
            target=Point(x=float(backup_dist)), speed=backup_speed, time_allowance=Duration(sec=time_allowance)
        )
        self.info(f"Backing up {goal.target.x} m at {goal.speed} m/s....")
        return self._start(self.backup_client, goal, "Backup request was rejected!")

    def driveOnHeading(self, dist: float = 0.15, speed: float = 0.025, time_allowance: int = 10) -> bool:
        """Starts to drive straight on. Returns whether the task is accepted."""
        goal = DriveOnHeading.Goal(
            target=Point(x=float(dist)), speed=speed, time_allowance=Duration(sec=time_allowance)
        )
        self.info(f"Drive {goal.target.x} m on heading at {goal.speed} m/s....")
        return self._start(self.drive_on_heading_client, goal, "Drive On Heading request was rejected!")

    def assistedTeleop(self, time_allowance: int = 30) -> bool:
        """Lets a person drive. Returns whether the task is accepted."""
        goal = AssistedTeleop.Goal(time_allowance=Duration(sec=time_allowance))
        self.info("Running 'assisted_teleop'....")
        return self._start(self.assisted_teleop_client, goal, "Assisted Teleop request was rejected!")

    def followPath(self, path: Any, controller_id: str = "", goal_checker_id: str = "") -> bool:
        """Starts to follow a path. Returns whether the task is accepted."""
        goal = FollowPath.Goal(path=path, controller_id=controller_id, goal_checker_id=goal_checker_id)
        self.info("Executing path...")
        return self._start(self.follow_path_client, goal, "Follow path was rejected!")

    def dockRobotByPose(self, dock_pose: PoseStamped, dock_type: str, nav_to_dock: bool = True) -> bool:
        """Starts to dock at a pose. Returns whether the task is accepted."""
        self.info(f"Docking at pose: {dock_pose}...")
        goal = DockRobot.Goal(
            use_dock_id=False, dock_pose=dock_pose, dock_type=dock_type, navigate_to_staging_pose=nav_to_dock
        )
        return self._start(self.docking_client, goal, "Docking request was rejected!")

    def dockRobotByID(self, dock_id: str, nav_to_dock: bool = True) -> bool:
        """Starts to dock at a known dock. Returns whether the task is accepted."""
        self.info(f"Docking at dock ID: {dock_id}...")
        goal = DockRobot.Goal(use_dock_id=True, dock_id=dock_id, navigate_to_staging_pose=nav_to_dock)
        return self._start(self.docking_client, goal, "Docking request was rejected!")

    def undockRobot(self, dock_type: str = "") -> bool:
        """Starts to leave a dock. Returns whether the task is accepted."""
        self.info(f"Undocking from dock of type: {dock_type}...")
        return self._start(
            self.undocking_client, UndockRobot.Goal(dock_type=dock_type), "Undocking request was rejected!"
        )

    def cancelTask(self) -> None:
        """Cancels the task, and waits until the server has answered."""
        self.info("Canceling current task.")
        if self.result_future is not None:
            self._wait(self.goal_handle.cancel_goal_async())

    def isTaskComplete(self) -> bool:
        """Whether the task has ended. Takes at most 0.1 s."""
        if self.result_future is None:
            return True
        saltus.spin_until_future_complete(self, self.result_future, timeout_sec=_POLL)
        result = self.result_future.result() if self.result_future.done() else None
        if result is None:
            self._check()
            self.debug("Task is still running")
            return False
        self.status = result.status
        if self.status != GoalStatus.STATUS_SUCCEEDED:
            self.debug(f"Task with failed with status code: {self.status}")
        else:
            self.debug("Task succeeded!")
        return True

    def getFeedback(self) -> Any:
        """Returns the last feedback of the task, or ``None``."""
        return self.feedback

    def getResult(self) -> TaskResult:
        """Returns how the task has ended."""
        results = {
            GoalStatus.STATUS_SUCCEEDED: TaskResult.SUCCEEDED,
            GoalStatus.STATUS_ABORTED: TaskResult.FAILED,
            GoalStatus.STATUS_CANCELED: TaskResult.CANCELED,
        }
        return TaskResult.UNKNOWN if self.status is None else results.get(self.status, TaskResult.UNKNOWN)

    def waitUntilNav2Active(self, navigator: str = "bt_navigator", localizer: str = "amcl") -> None:
        """Waits until the robot knows where it is and can navigate."""
        if localizer != "robot_localization":
            self._waitForNodeToActivate(localizer)
        if localizer == "amcl":
            self._waitForInitialPose()
        self._waitForNodeToActivate(navigator)
        self.info("Nav2 is ready for use!")

    def getPath(self, start: PoseStamped, goal: PoseStamped, planner_id: str = "", use_start: bool = False) -> Any:
        """Returns a path, or ``None`` if there is none."""
        result = self._getPathImpl(start, goal, planner_id, use_start)
        return None if result is None else result.path

    def getPathThroughPoses(
        self, start: PoseStamped, goals: list[PoseStamped], planner_id: str = "", use_start: bool = False
    ) -> Any:
        """Returns a path through poses, or ``None`` if there is none."""
        result = self._getPathThroughPosesImpl(start, goals, planner_id, use_start)
        return None if result is None else result.path

    def smoothPath(
        self, path: Any, smoother_id: str = "", max_duration: float = 2.0, check_for_collision: bool = False
    ) -> Any:
        """Returns a path with fewer bends, or ``None`` if there is none."""
        result = self._smoothPathImpl(path, smoother_id, max_duration, check_for_collision)
        return None if result is None else result.path

    def changeMap(self, map_filepath: str) -> None:
        """Lets the map server load another map."""
        response = self._call(self.change_maps_srv, LoadMap.Request(map_url=map_filepath), "change map")
        if response.result != LoadMap.Response.RESULT_SUCCESS:
            self.error("Change map request failed!")
        else:
            self.info("Change map request was successful!")

    def clearAllCostmaps(self) -> None:
        """Clears the local and the global costmap."""
        self.clearLocalCostmap()
        self.clearGlobalCostmap()

    def clearLocalCostmap(self) -> None:
        """Clears the local costmap."""
        self._call(self.clear_costmap_local_srv, ClearEntireCostmap.Request(), "Clear local costmaps")

    def clearGlobalCostmap(self) -> None:
        """Clears the global costmap."""
        self._call(self.clear_costmap_global_srv, ClearEntireCostmap.Request(), "Clear global costmaps")

    def clearCostmapExceptRegion(self, reset_distance: float) -> None:
        """Clears the local costmap but for a square around the robot."""
        request = ClearCostmapExceptRegion.Request(reset_distance=reset_distance)
        self._call(self.clear_costmap_except_region_srv, request, "ClearCostmapExceptRegion")

    def clearCostmapAroundRobot(self, reset_distance: float) -> None:
        """Clears a square around the robot in the local costmap."""
        request = ClearCostmapAroundRobot.Request(reset_distance=reset_distance)
        self._call(self.clear_costmap_around_robot_srv, request, "ClearCostmapAroundRobot")

    def clearLocalCostmapAroundPose(self, pose: PoseStamped, reset_distance: float) -> None:
        """Clears a square around a pose in the local costmap."""
        self.clearCostmapAroundPose(pose, reset_distance)

    def clearCostmapAroundPose(self, pose: PoseStamped, reset_distance: float) -> None:
        """Clears a square around a pose in the local costmap."""
        request = ClearCostmapAroundPose.Request(pose=pose, reset_distance=reset_distance)
        self._call(self.clear_costmap_around_pose_srv, request, "ClearCostmapAroundPose")

    def getGlobalCostmap(self) -> Any:
        """Returns the global costmap: a ``nav2_msgs/msg/Costmap``."""
        return self._call(self.get_costmap_global_srv, GetCostmap.Request(), "Get global costmaps").map

    def getLocalCostmap(self) -> Any:
        """Returns the local costmap: a ``nav2_msgs/msg/Costmap``."""
        return self._call(self.get_costmap_local_srv, GetCostmap.Request(), "Get local costmaps").map

    def lifecycleStartup(self) -> None:
        """Lets all lifecycle managers bring up their nodes."""
        self.info("Starting up lifecycle nodes based on lifecycle_manager.")
        self._manage(ManageLifecycleNodes.Request.STARTUP, "Starting up")
        self.info("Nav2 is ready for use!")

    def lifecycleShutdown(self) -> None:
        """Lets all lifecycle managers shut down their nodes."""
        self.info("Shutting down lifecycle nodes based on lifecycle_manager.")
        self._manage(ManageLifecycleNodes.Request.SHUTDOWN, "Shutting down")

    def info(self, msg: str) -> None:
        """Logs a text."""
        self.get_logger().info(msg)

    def warn(self, msg: str) -> None:
        """Logs a warning."""
        self.get_logger().warning(msg)

    def error(self, msg: str) -> None:
        """Logs an error."""
        self.get_logger().error(msg)

    def debug(self, msg: str) -> None:
        """Logs a text for developers."""
        self.get_logger().debug(msg)

    def _wait_for_server(self, client: ActionClient) -> None:
        name = client._action_name if hasattr(client, "_action_name") else client.action_name
        while not client.wait_for_server(timeout_sec=_WAIT):
            self._check()
            self.info(f"'{name}' action server not available, waiting...")

    def _send(self, client: ActionClient, goal: Any, rejected: str, feedback_callback: Any = None) -> bool:
        """Sends a goal, and waits until the server has answered. Returns whether it is accepted."""
        self._wait_for_server(client)
        sent = client.send_goal_async(goal, feedback_callback)
        handle = self._wait(sent)
        if handle is None or not handle.accepted:
            # The task before may go on, and can be canceled.
            self.error(rejected)
            return False
        self.goal_handle = handle
        self.feedback = None
        self.result_future = self.goal_handle.get_result_async()
        return True

    def _start(self, client: ActionClient, goal: Any, rejected: str) -> bool:
        return self._send(client, goal, rejected, self._feedbackCallback)

    def _finish(self, what: str) -> Any:
        """Waits for the result of a goal. Returns ``None`` if it has failed."""
        wrapped = self._wait(self.result_future)
        self.status = wrapped.status
        if self.status != GoalStatus.STATUS_SUCCEEDED:
            self.warn(f"{what} failed with status code: {self.status}")
            return None
        return wrapped.result

    def _getPathImpl(self, start: PoseStamped, goal: PoseStamped, planner_id: str = "", use_start: bool = False) -> Any:
        request = ComputePathToPose.Goal(start=start, goal=goal, planner_id=planner_id, use_start=use_start)
        self.info("Getting path...")
        is_accepted = self._send(self.compute_path_to_pose_client, request, "Get path was rejected!")
        return self._finish("Getting path") if is_accepted else None

    def _getPathThroughPosesImpl(
        self, start: PoseStamped, goals: list[PoseStamped], planner_id: str = "", use_start: bool = False
    ) -> Any:
        request = ComputePathThroughPoses.Goal(start=start, goals=goals, planner_id=planner_id, use_start=use_start)
        self.info("Getting path...")
        is_accepted = self._send(self.compute_path_through_poses_client, request, "Get path was rejected!")
        return self._finish("Getting path") if is_accepted else None

    def _smoothPathImpl(
        self, path: Any, smoother_id: str = "", max_duration: float = 2.0, check_for_collision: bool = False
    ) -> Any:
        seconds = int(max_duration)
        request = SmoothPath.Goal(
            path=path,
            max_smoothing_duration=Duration(sec=seconds, nanosec=int((max_duration - seconds) * 1e9)),
            smoother_id=smoother_id,
            check_for_collisions=check_for_collision,
        )
        self.info("Smoothing path...")
        is_accepted = self._send(self.smoother_client, request, "Smooth path was rejected!")
        return self._finish("Smoothing path") if is_accepted else None

    def _call(self, client: Client, request: Any, what: str) -> Any:
        while not client.wait_for_service(timeout_sec=_WAIT):
            self._check()
            self.info(f"{what} service not available, waiting...")
        return self._wait(client.call_async(request))

    def _wait(self, future: Any) -> Any:
        """Waits until something is done, and returns its result."""
        saltus.spin_until_future_complete(self, future)
        if not future.done():
            self._check()
            raise RuntimeError("the executor was shut down")
        return future.result()

    def _check(self) -> None:
        """Raises an exception if the program is to end."""
        if not self.context.ok():
            raise ExternalShutdownException

    def _manage(self, command: int, what: str) -> None:
        for name, types in self.get_service_names_and_types():
            if types[0] == "nav2_msgs/srv/ManageLifecycleNodes":
                self.info(f"{what} {name}")
                client = self.create_client(ManageLifecycleNodes, name)
                self._call(client, ManageLifecycleNodes.Request(command=command), name)
                self.destroy_client(client)

    def _waitForNodeToActivate(self, node_name: str) -> None:
        self.debug(f"Waiting for {node_name} to become active..")
        client = self.create_client(GetState, f"{node_name}/get_state")
        while True:
            response = self._call(client, GetState.Request(), f"{node_name}/get_state")
            state = "unknown" if response is None else response.current_state.label
            self.debug(f"Result of get_state: {state}")
            if state == "active":
                break
            # A node does not tell when its state changes to those who only ask for it.
            time.sleep(_POLL)
        self.destroy_client(client)

    def _waitForInitialPose(self) -> None:
        while not self.initial_pose_received:
            self._check()
            self.info("Setting initial pose")
            self._setInitialPose()
            self.info("Waiting for amcl_pose to be received")
            saltus.spin_once(self, timeout_sec=_WAIT)

    def _amclPoseCallback(self, msg: PoseWithCovarianceStamped) -> None:
        self.debug("Received amcl pose")
        self.initial_pose_received = True

    def _feedbackCallback(self, msg: Any) -> None:
        self.feedback = msg.feedback

    def _setInitialPose(self) -> None:
        msg = PoseWithCovarianceStamped()
        msg.pose.pose = self.initial_pose.pose
        msg.header.frame_id = self.initial_pose.header.frame_id
        msg.header.stamp = self.initial_pose.header.stamp
        self.info("Publishing Initial Pose")
        self.initial_pose_pub.publish(msg)
