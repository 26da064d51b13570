"""Kafka's own configuration formats, read into settings of the model."""

from .configuration_file import ConfigurationFile, read_configuration, role_and_path
from .deployment import Deployment, read_deployment
from .events import EVENTS, parse_survival
from .notices import ConfigurationError, Notice
from .tolerance import parse_tolerance
from .values import SourcedValue
from .versions import ASSUMED_VERSION, known_versions

__all__ = [
    "ASSUMED_VERSION",
    "ConfigurationError",
    "ConfigurationFile",
    "EVENTS",
    "Deployment",
    "Notice",
    "SourcedValue",
    "known_versions",
    "parse_survival",
    "parse_tolerance",
    "read_configuration",
    "read_deployment",
    "role_and_path",
]
