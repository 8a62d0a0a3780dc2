"""Checks of names."""

from __future__ import annotations

import re

from saltus import _native
from saltus.exceptions import (
    InvalidNamespaceException,
    InvalidNodeNameException,
    InvalidParameterException,
    InvalidServiceNameException,
    InvalidTopicNameException,
    NameValidationException,
)

TOPIC_SEPARATOR_STRING = "/"


def expand_topic_name(topic_name: str, node_name: str, node_namespace: str) -> str:
    """Returns the full name of a topic, given the name that a node uses.

    >>> expand_topic_name("~/image", "camera", "/front")
    '/front/camera/image'
    """
    return _native.expand_name(topic_name, node_name, node_namespace)


def topic_or_service_is_hidden(name: str) -> bool:
    """Returns whether a part of a name begins with ``_``."""
    return any(token.startswith("_") for token in name.split(TOPIC_SEPARATOR_STRING))


def _check(kind: str, name: str, error: type[NameValidationException], what: str) -> bool:
    fault = _native.name_fault(kind, name)
    if fault is not None:
        raise error(what, name, fault)
    return True


def validate_node_name(node_name: str) -> bool:
    """Returns true, or raises an exception if the name is invalid."""
    return _check("node", node_name, InvalidNodeNameException, "node name")


def validate_namespace(namespace: str) -> bool:
    """Returns true, or raises an exception if the namespace is invalid."""
    return _check("namespace", namespace, InvalidNamespaceException, "namespace")


def validate_parameter_name(name: str) -> bool:
    """Returns true, or raises an exception if the name is invalid."""
    fault = _native.name_fault("parameter", name)
    if fault is not None:
        raise InvalidParameterException(name, fault)
    return True


def validate_topic_name(name: str, *, is_service: bool = False) -> bool:
    """Returns true, or raises an exception if a node can't use the name for a topic."""
    try:
        _native.expand_name(name, "node", "/namespace")
    except InvalidTopicNameException as error:
        raise _topic_error(name, str(error), is_service) from None
    return True


def validate_full_topic_name(name: str, *, is_service: bool = False) -> bool:
    """Returns true, or raises an exception if the name is not a full topic name."""
    if not name.startswith("/") or re.search(r"[~{}]", name):
        raise _topic_error(name, "a full topic name begins with '/' and has no '~', '{' or '}'", is_service)
    return validate_topic_name(name, is_service=is_service)


def _topic_error(name: str, fault: str, is_service: bool) -> NameValidationException:
    if is_service:
        return InvalidServiceNameException("service name", name, fault)
    return InvalidTopicNameException("topic name", name, fault)
