"""Clients for the parameters of other nodes."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from saltus._interfaces import class_of
from saltus.parameter import Parameter, parameter_dict_from_yaml_file
from saltus.qos import QoSProfile, qos_profile_parameter_events, qos_profile_services_default
from saltus.task import Future

Done = Callable[[Future], None]


class AsyncParameterClient:
    """Reads and sets the parameters of another node. Every call returns a future of the service's response.

    ::

        client = AsyncParameterClient(node, "camera")
        client.wait_for_services()
        response = await client.get_parameters(["rate"])
    """

    def __init__(
        self,
        node: Any,
        remote_node_name: str,
        *,
        qos_profile: QoSProfile = qos_profile_services_default,
        callback_group: Any = None,
    ) -> None:
        self.remote_node_name, self.node = remote_node_name, node

        def client(kind: str, name: str) -> Any:
            service = class_of(f"rcl_interfaces/srv/{kind}")
            name = f"{remote_node_name}/{name}"
            return node.create_client(service, name, qos_profile=qos_profile, callback_group=callback_group)

        self._get = client("GetParameters", "get_parameters")
        self._list = client("ListParameters", "list_parameters")
        self._set = client("SetParameters", "set_parameters")
        self._types = client("GetParameterTypes", "get_parameter_types")
        self._describe = client("DescribeParameters", "describe_parameters")
        self._set_all = client("SetParametersAtomically", "set_parameters_atomically")
        self._clients = [self._get, self._list, self._set, self._types, self._describe, self._set_all]

    def services_are_ready(self) -> bool:
        """Returns whether the parameter services of the node are connected."""
        return all(client.service_is_ready() for client in self._clients)

    def wait_for_services(self, timeout_sec: float | None = None) -> bool:
        """Waits until the services are connected, for at most ``timeout_sec``. Returns whether they are connected."""
        return self.node.context.handle.wait_for(self.services_are_ready, timeout_sec)

    @staticmethod
    def _call(client: Any, request: Any, callback: Done | None) -> Future:
        future = client.call_async(request)
        if callback is not None:
            future.add_done_callback(callback)
        return future

    def list_parameters(
        self, prefixes: list[str] | None = None, depth: int | None = None, callback: Done | None = None
    ) -> Future:
        """Lists the names of the parameters below the prefixes."""
        request = self._list.srv_type.Request(prefixes=prefixes or [], depth=depth or 0)
        return self._call(self._list, request, callback)

    def get_parameters(self, names: list[str], callback: Done | None = None) -> Future:
        """Gets the values of parameters."""
        return self._call(self._get, self._get.srv_type.Request(names=names), callback)

    @staticmethod
    def _messages(parameters: Sequence[Any]) -> list[Any]:
        return [one.to_parameter_msg() if isinstance(one, Parameter) else one for one in parameters]

    def set_parameters(self, parameters: Sequence[Any], callback: Done | None = None) -> Future:
        """Sets parameters one by one."""
        return self._call(self._set, self._set.srv_type.Request(parameters=self._messages(parameters)), callback)

    def set_parameters_atomically(self, parameters: Sequence[Any], callback: Done | None = None) -> Future:
        """Sets all of these parameters, or none."""
        request = self._set_all.srv_type.Request(parameters=self._messages(parameters))
        return self._call(self._set_all, request, callback)

    def describe_parameters(self, names: list[str], callback: Done | None = None) -> Future:
        """Gets the descriptions of parameters."""
        return self._call(self._describe, self._describe.srv_type.Request(names=names), callback)

    def get_parameter_types(self, names: list[str], callback: Done | None = None) -> Future:
        """Gets the types of parameters."""
        return self._call(self._types, self._types.srv_type.Request(names=names), callback)

    def delete_parameters(self, names: list[str], callback: Done | None = None) -> Future:
        """Deletes parameters. Only parameters of dynamic type can be deleted."""
        return self.set_parameters([Parameter(name, Parameter.Type.NOT_SET) for name in names], callback)

    def load_parameter_file(
        self, parameter_file: str, use_wildcard: bool = False, callback: Done | None = None
    ) -> Future:
        """Sets the parameters of a file, one by one."""
        return self.set_parameters(self._of_file(parameter_file, use_wildcard), callback)

    def load_parameter_file_atomically(
        self, parameter_file: str, use_wildcard: bool = False, callback: Done | None = None
    ) -> Future:
        """Sets all of the parameters of a file, or none."""
        return self.set_parameters_atomically(self._of_file(parameter_file, use_wildcard), callback)

    def _of_file(self, parameter_file: str, use_wildcard: bool) -> list[Any]:
        found = parameter_dict_from_yaml_file(parameter_file, use_wildcard, [self.remote_node_name])
        return list(found.values())

    def on_parameter_event(
        self, callback: Callable[[Any], Any], qos_profile: QoSProfile = qos_profile_parameter_events
    ) -> Any:
        """Subscribes to the changes of the parameters of all nodes."""
        event = class_of("rcl_interfaces/msg/ParameterEvent")
        return self.node.create_subscription(event, "/parameter_events", callback, qos_profile)
