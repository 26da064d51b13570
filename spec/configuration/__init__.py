"""Kafka's own configuration formats, read into settings of the model."""

from .configuration_file import ConfigurationFile, role_and_path
from .deployment import Deployment, deployment_after
from .deployments import Configurations, RefusedTopics, deployments_of, read_all, read_deployment, read_deployments
from .events import EVENTS, parse_survival
from .forms.reading import read_configuration
from .notices import ConfigurationError, Notice
from .readings import Reading
from .tolerance import Tolerances, parse_tolerance, parse_tolerances
from .values import SourcedValue
from .versions import known_versions

__all__ = [
    "ConfigurationError",
    "ConfigurationFile",
    "Configurations",
    "EVENTS",
    "Deployment",
    "Reading",
    "RefusedTopics",
    "Notice",
    "SourcedValue",
    "Tolerances",
    "deployment_after",
    "deployments_of",
    "known_versions",
    "parse_survival",
    "parse_tolerance",
    "parse_tolerances",
    "read_all",
    "read_configuration",
    "read_deployment",
    "read_deployments",
    "role_and_path",
]
