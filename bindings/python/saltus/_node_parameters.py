"""The parameters of a node."""

from __future__ import annotations

import weakref
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Callable

from saltus._interfaces import class_of
from saltus.exceptions import ParameterNotDeclaredException, ParameterUninitializedException
from saltus.parameter import PARAMETER_SEPARATOR_STRING, Parameter


class NodeParameters:
    """The part of :class:`saltus.Node` that declares, reads and sets parameters."""

    #: For each kind of callback: the callbacks, the handles that remove them, and the functions that call them.
    _saltus_callbacks: dict[str, list[tuple[Callable[..., Any], Any, Callable[..., Any]]]]

    if TYPE_CHECKING:

        @property
        def handle(self) -> Any:
            """The native node."""

    def declare_parameter(
        self, name: str, value: Any = None, descriptor: Any = None, ignore_override: bool = False
    ) -> Parameter:
        """Declares a parameter, with a default value or a :class:`Parameter.Type`."""
        return self.declare_parameters("", [(name, value, descriptor)], ignore_override)[0]

    def declare_parameters(
        self, namespace: str, parameters: list[tuple[Any, ...]], ignore_override: bool = False
    ) -> list[Parameter]:
        """Declares several parameters.

        Each is given as ``(name,)``, ``(name, value)`` or ``(name, value, descriptor)``.
        """
        declared = []
        for given in parameters:
            name, value, descriptor = (*given, None, None)[:3] if len(given) < 3 else given
            if not isinstance(name, str):
                raise TypeError(f"First element {name!r} of the tuple is not a str")
            full = f"{namespace}{PARAMETER_SEPARATOR_STRING}{name}" if namespace else name
            declared.append(self.__declare(full, value, descriptor, ignore_override, has_value=len(given) > 1))
        return declared

    def __declare(self, name: str, value: Any, descriptor: Any, ignore_override: bool, has_value: bool) -> Parameter:
        descriptor = descriptor or class_of("rcl_interfaces/msg/ParameterDescriptor")()
        type_number = value.value if isinstance(value, Parameter.Type) else descriptor.type
        if isinstance(value, Parameter.Type):
            value = None
        elif value is None and type_number == 0:
            # As in ROS 2, a parameter without a type and a value can be set to any type.
            descriptor.dynamic_typing = True
        declaration = SimpleNamespace(
            name=name,
            value=value,
            type=0 if descriptor.dynamic_typing else type_number,
            description=descriptor.description,
            additional_constraints=descriptor.additional_constraints,
            read_only=descriptor.read_only,
            dynamic_typing=descriptor.dynamic_typing,
            float_range=_range(descriptor.floating_point_range),
            integer_range=_range(descriptor.integer_range),
            ignore_override=ignore_override,
        )
        self.handle.declare_parameter(declaration)
        found = self.__parameter(name)
        return found if found is not None else Parameter(name, Parameter.Type.NOT_SET)

    def undeclare_parameter(self, name: str) -> None:
        """Undeclares a parameter."""
        self.handle.undeclare_parameter(name)

    def has_parameter(self, name: str) -> bool:
        """Returns whether a parameter is declared."""
        return self.handle.has_parameter(name)

    def __parameter(self, name: str) -> Parameter | None:
        try:
            return Parameter._of(name, *self.handle.get_parameter(name))
        except ParameterUninitializedException:
            return None

    def get_parameter(self, name: str) -> Parameter:
        """Returns a parameter. It must be declared, unless undeclared parameters are allowed."""
        return Parameter._of(name, *self.handle.get_parameter(name))

    def get_parameters(self, names: list[str]) -> list[Parameter]:
        """Returns several parameters."""
        return [self.get_parameter(name) for name in names]

    def get_parameter_or(self, name: str, alternative_value: Parameter | None = None) -> Parameter:
        """Returns a parameter, or ``alternative_value`` if the parameter is not declared or not set."""
        if alternative_value is None:
            alternative_value = Parameter(name, Parameter.Type.NOT_SET)
        if not self.has_parameter(name):
            return alternative_value
        found = self.__parameter(name)
        is_set = found is not None and found.type_ is not Parameter.Type.NOT_SET
        return found if is_set else alternative_value  # type: ignore[return-value]

    def get_parameters_by_prefix(self, prefix: str) -> dict[str, Parameter]:
        """Returns the parameters whose names begin with a prefix. The keys are the names without the prefix."""
        before = f"{prefix}{PARAMETER_SEPARATOR_STRING}" if prefix else ""
        names, _ = self.handle.list_parameters([], 0)
        found = {name: self.__parameter(name) for name in names if name.startswith(before)}
        return {name[len(before) :]: one for name, one in found.items() if one is not None}

    def get_parameter_type(self, name: str) -> Parameter.Type:
        """Returns the type of a parameter's value."""
        found = self.__parameter(name)
        return Parameter.Type.NOT_SET if found is None else found.type_

    def get_parameter_types(self, names: list[str]) -> list[Parameter.Type]:
        """Returns the types of several parameters' values."""
        return [self.get_parameter_type(name) for name in names]

    def set_parameters(self, parameter_list: list[Parameter]) -> list[Any]:
        """Sets parameters one by one. Returns a ``rcl_interfaces/msg/SetParametersResult`` for each."""
        return [self.set_parameters_atomically([one]) for one in parameter_list]

    def set_parameters_atomically(self, parameter_list: list[Parameter]) -> Any:
        """Sets all of these parameters, or none. Returns a ``rcl_interfaces/msg/SetParametersResult``."""
        for one in parameter_list:
            if not isinstance(one, Parameter):
                raise TypeError("parameter must be instance of type 'saltus.parameter.Parameter'")
        error = self.handle.set_parameters([one._triple() for one in parameter_list])
        if isinstance(error, ParameterNotDeclaredException):
            raise error
        result = class_of("rcl_interfaces/msg/SetParametersResult")
        return result(successful=error is None, reason="" if error is None else str(error))

    def describe_parameter(self, name: str) -> Any:
        """Returns the description of a parameter: a ``rcl_interfaces/msg/ParameterDescriptor``."""
        described = self.handle.describe_parameter(name)
        name, type_number, description, constraints, read_only, dynamic, floats, integers = described
        found = class_of("rcl_interfaces/msg/ParameterDescriptor")(
            name=name,
            type=type_number,
            description=description,
            additional_constraints=constraints,
            read_only=read_only,
            dynamic_typing=dynamic,
        )
        for given, field, kind in (
            (floats, "floating_point_range", "FloatingPointRange"),
            (integers, "integer_range", "IntegerRange"),
        ):
            if given is not None:
                low, high, step = given
                message = class_of(f"rcl_interfaces/msg/{kind}")(from_value=low, to_value=high, step=step)
                setattr(found, field, [message])
        return found

    def describe_parameters(self, names: list[str]) -> list[Any]:
        """Returns the descriptions of several parameters."""
        return [self.describe_parameter(name) for name in names]

    def list_parameters(self, prefixes: list[str], depth: int) -> Any:
        """Returns the names of parameters below the prefixes: a ``rcl_interfaces/msg/ListParametersResult``."""
        names, found = self.handle.list_parameters(list(prefixes), depth)
        return class_of("rcl_interfaces/msg/ListParametersResult")(names=names, prefixes=found)

    def __add_callback(self, kind: str, callback: Callable[..., Any], native: Callable[..., Any]) -> None:
        # The callback may refer to the node. The native part refers to the callback weakly, because the garbage
        # collector does not see references from the native part.
        kept = weakref.ref(native)

        def call(given: list[tuple[str, int, Any]]) -> Any:
            native = kept()
            if native is None:
                return given if kind == "pre_set" else None
            return native(given)

        handle = self.handle.on_parameters(kind, call)
        self._saltus_callbacks.setdefault(kind, []).append((callback, handle, native))

    def __remove_callback(self, kind: str, callback: Callable[..., Any]) -> None:
        for kept in self._saltus_callbacks.get(kind, []):
            if kept[0] == callback:
                self._saltus_callbacks[kind].remove(kept)
                kept[1].close()
                return
        raise ValueError("Callback doesn't exist")

    def add_pre_set_parameters_callback(self, callback: Callable[[list[Parameter]], list[Parameter]]) -> None:
        """Adds a callback that may change the parameters before they are set.

        It gets the parameters, and returns the parameters to set instead. The callback that was added last runs first.
        """

        def native(given: list[tuple[str, int, Any]]) -> list[tuple[str, int, Any]]:
            return [one._triple() for one in callback([Parameter._of(*one) for one in given])]

        self.__add_callback("pre_set", callback, native)

    def add_on_set_parameters_callback(self, callback: Callable[[list[Parameter]], Any]) -> None:
        """Adds a callback that accepts or rejects parameters.

        It returns a ``SetParametersResult``. The callback that was added last runs first.
        """

        def native(given: list[tuple[str, int, Any]]) -> str | None:
            result = callback([Parameter._of(*one) for one in given])
            return None if result.successful else result.reason

        self.__add_callback("on_set", callback, native)

    def add_post_set_parameters_callback(self, callback: Callable[[list[Parameter]], None]) -> None:
        """Adds a callback that is called after parameters were set. The callback that was added last runs first."""

        def native(given: list[tuple[str, int, Any]]) -> None:
            callback([Parameter._of(*one) for one in given])

        self.__add_callback("post_set", callback, native)

    def remove_pre_set_parameters_callback(self, callback: Callable[..., Any]) -> None:
        """Removes a callback that ``add_pre_set_parameters_callback`` has added."""
        self.__remove_callback("pre_set", callback)

    def remove_on_set_parameters_callback(self, callback: Callable[..., Any]) -> None:
        """Removes a callback that ``add_on_set_parameters_callback`` has added."""
        self.__remove_callback("on_set", callback)

    def remove_post_set_parameters_callback(self, callback: Callable[..., Any]) -> None:
        """Removes a callback that ``add_post_set_parameters_callback`` has added."""
        self.__remove_callback("post_set", callback)


def _range(ranges: Any) -> tuple[Any, Any, Any] | None:
    if not ranges:
        return None
    one = ranges[0]
    return one.from_value, one.to_value, one.step
