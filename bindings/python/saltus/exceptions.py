"""The exceptions of Saltus. All of them are derived from :class:`SaltusError`.

If ROS 2's Python library has a class for an error, the class here has the same name.
"""

from __future__ import annotations


class SaltusError(Exception):
    """The base of all errors of Saltus."""


class FieldError(SaltusError, AssertionError):
    """The value does not fit the field of a message. It is an ``AssertionError``, as in ROS 2."""


class InterfaceError(SaltusError, LookupError):
    """A type is unknown, or its definition is wrong."""


class SerializationError(SaltusError, ValueError):
    """The bytes are not a message of the type."""


class ContextError(SaltusError, RuntimeError):
    """A context can't be created, because the domain or its shared memory can't be used."""


class InvalidRosArgsError(ContextError):
    """The command line has an invalid argument after ``--ros-args``."""


class ForkedError(SaltusError, RuntimeError):
    """The object was created before ``fork``, in the parent. Call ``init()`` in the child and create a new object."""


class ExpelledError(SaltusError, RuntimeError):
    """The context was expelled from the graph. Call ``shutdown()`` and ``init()``, and create a new object."""


class OutOfMemoryError(SaltusError, MemoryError):
    """Shared memory is full."""


class PublishError(SaltusError, RuntimeError):
    """A message could not be sent."""


class LoanInUseError(PublishError):
    """A loan can't be published: it was published before, or other code still refers to one of its arrays."""


class QueueFullError(PublishError):
    """The queue of a subscription with ``KEEP_ALL`` stayed full for too long."""


class CallError(SaltusError, RuntimeError):
    """A call of a service failed: there is no response."""


class NoServerError(CallError):
    """The service has no server."""


class ServerGoneError(CallError):
    """The server was closed, or its process ended, before it answered."""


class NotAnsweredError(CallError):
    """The server dropped the request without a response."""


class CallTimeoutError(CallError, TimeoutError):
    """The response did not arrive in time."""


class ClientGoneError(SaltusError, RuntimeError):
    """The client was closed, or its process ended, before it got the response."""


class PlacementError(SaltusError, RuntimeError):
    """The thread can't run on these CPUs, or not with this scheduling policy."""


class InvalidPeriodError(SaltusError, ValueError):
    """The period of a timer must be greater than 0."""


class NotInitializedException(SaltusError):
    """``init()`` has not been called, or the context was shut down."""

    def __init__(self, *args: object) -> None:
        super().__init__("init() has not been called", *args)

    def __str__(self) -> str:
        return ": ".join(str(arg) for arg in self.args)


class NoTypeSupportImportedException(SaltusError):
    """A class is not a message, service or action type."""


class NameValidationException(SaltusError, ValueError):
    """The name is invalid."""

    name_type = "name"

    def __init__(self, name_type: str, name: str = "", error_msg: str = "", invalid_index: int = 0) -> None:
        if not name and not error_msg:
            # The native module passes a single text, which contains everything.
            name_type, error_msg = self.name_type, name_type
            super().__init__(error_msg)
        else:
            super().__init__(f"Invalid {name_type}: {error_msg}:\n  '{name}'\n   {' ' * invalid_index}^")
        self.name_type, self.name, self.error_msg, self.invalid_index = name_type, name, error_msg, invalid_index


class InvalidNodeNameException(NameValidationException):
    """The name of a node is invalid."""

    name_type = "node name"


class InvalidNamespaceException(NameValidationException):
    """The namespace is invalid."""

    name_type = "namespace"


class InvalidTopicNameException(NameValidationException):
    """The name of a topic is invalid."""

    name_type = "topic name"


class InvalidServiceNameException(NameValidationException):
    """The name of a service is invalid."""

    name_type = "service name"


class ParameterException(SaltusError):
    """The base of all exceptions of parameters."""


class ParameterNotDeclaredException(ParameterException):
    """The parameter was not declared."""


class ParameterAlreadyDeclaredException(ParameterException):
    """The parameter is declared already."""


class InvalidParameterException(ParameterException):
    """The name of a parameter is invalid."""


class InvalidParameterTypeException(ParameterException):
    """The value has another type than the parameter."""


class InvalidParameterValueException(ParameterException):
    """The value is not allowed for the parameter."""


class ParameterImmutableException(ParameterException):
    """The parameter is read-only."""


class ParameterUninitializedException(ParameterException):
    """The parameter was declared with a type only, and has no value yet."""


class ROSInterruptException(SaltusError):
    """A sleep ended early, because the context was shut down."""

    def __init__(self) -> None:
        super().__init__("rclpy.shutdown() has been called")


class InvalidHandle(SaltusError):
    """The object of a handle was destroyed."""


class GoalStateError(SaltusError, RuntimeError):
    """The state of a goal does not allow the event."""


class LifecycleError(SaltusError, RuntimeError):
    """The state of a lifecycle node does not allow the transition."""


class TimerCancelledError(SaltusError):
    """The timer was cancelled before it could be called."""


class UnsupportedEventTypeError(SaltusError):
    """Events of this kind are not supported."""


class ExternalShutdownException(SaltusError):
    """The context was shut down while an executor waited."""


class ShutdownException(SaltusError):
    """The executor was shut down."""


class TimeoutException(SaltusError):
    """The timeout has passed."""


class ConditionReachedException(SaltusError):
    """The condition of a wait became true."""


class TransformException(SaltusError):
    """A transform between coordinate frames is not there."""


class LookupException(TransformException):
    """A frame does not exist."""


class ConnectivityException(TransformException):
    """The frames are in different trees."""


class ExtrapolationException(TransformException):
    """A frame has no transforms around the time."""


class InvalidArgumentException(TransformException):
    """A name can't be that of a frame."""
