"""The form of a file is recognised by its content: each example is of one form or of none, and what two forms recognise is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.spec.configuration import ConfigurationError, read_configuration
from neverlost.spec.configuration.configuration_file import SourceText
from neverlost.spec.configuration.forms.reading import FORMS

EXAMPLES = Path(__file__).parents[3] / "examples" / "audit"
FORM_OF = {
    "application.yml": "an application of Spring Boot",
    "compose.yaml": "services of a compose file",
    "kafka.yaml": "Strimzi's resources",
    "topics.txt": "the output of Kafka's tools",
    "features.txt": "the output of Kafka's tools",
}
STRIMZI = "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nspec:\n  replicas: 1\n"
SPRING = "spring:\n  kafka:\n    producer:\n      acks: all\n"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*/*")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_an_example_is_of_one_form_or_of_none(path: Path) -> None:
    source = SourceText(path=str(path), text=path.read_text(encoding="utf-8"))
    found = [form.name for form in FORMS if form.recognises(source)]
    assert len(found) <= 1
    if path.name in FORM_OF:
        assert found == [FORM_OF[path.name]]
    if path.suffix in (".properties", ".conf"):
        assert found == []


@pytest.mark.parametrize(
    "text",
    [
        f"{SPRING}services:\n  kafka:\n    image: apache/kafka:4.1.0\n",
        f"Topic: a\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: \n{SPRING}",
    ],
)
def test_what_two_forms_recognise_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"this may be .* or .*Put each into a file of its own"):
        read_configuration(str(tmp_path / "file"))


def test_an_application_beside_resources_is_no_resource(tmp_path: Path) -> None:
    (tmp_path / "file").write_text(f"{STRIMZI}---\n{SPRING}", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="this document is no resource of Kubernetes"):
        read_configuration(str(tmp_path / "file"))
