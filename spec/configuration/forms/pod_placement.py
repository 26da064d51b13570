"""Where Kubernetes runs the pods of a workload: "Assigning Pods to Nodes" in its documentation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator

from .containers import Broker
from .pods import Pod
from .yaml_documents import Listing, Mapping, Node, Scalar

HOSTNAME, NAME = "kubernetes.io/hostname", "metadata.name"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def machine_of(pod: Pod) -> Hashable | None:
    """What is equal for pods that are bound to one machine; None if nothing binds these to one."""
    node = pod.parts.text("nodeName") or pod.parts.text("nodeSelector", HOSTNAME)
    return node or _node_of_affinity(pod) or _labels_of_affinity(pod)


def most_on_one_machine(brokers: Iterable[tuple[Hashable | None, Broker]]) -> int:
    """How many brokers run on one machine, of which each is given with what binds it to one; none if no two do."""
    found = Counter[Hashable]()
    for machine, broker in brokers:
        if machine is not None and broker.holds_records:
            found[machine] += broker.count or 1
    most = max(found.values(), default=0)
    return most if most > 1 else 0


def _node_of_affinity(pod: Pod) -> str | None:
    """The node on which a required nodeAffinity has the pods run, if it is one: one of its terms must hold, with all that is in it."""
    terms = _listed(pod.parts.at("affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms"))
    named = [_values(term, "matchExpressions", HOSTNAME) or _values(term, "matchFields", NAME) for term in terms]
    nodes = set().union(*named)
    return nodes.pop() if all(named) and len(nodes) == 1 else None


def _labels_of_affinity(pod: Pod) -> Hashable | None:
    """The labels of the pods beside which a required podAffinity has these run, if they are their own."""
    metadata = pod.document.at("metadata") if pod.kind == "Pod" else pod.document.at("spec", "template", "metadata")
    own = _labels(metadata, "labels")
    for term in _listed(pod.parts.at("affinity", "podAffinity", REQUIRED)):
        wanted = _labels(term, "labelSelector", "matchLabels")
        if (
            term.text("topologyKey") == HOSTNAME
            and wanted
            and wanted <= own
            and term.at("labelSelector", "matchExpressions") is None
        ):
            return frozenset(wanted)
    return None


def _values(term: Mapping, where: str, key: str) -> set[str]:
    """The values of which a term wants one for a key."""
    matches = [one for one in _listed(term.at(where)) if (one.text("key"), one.text("operator")) == (key, "In")]
    listed = [one.at("values") for one in matches]
    values = [value for one in listed if isinstance(one, Listing) for value in one.values]
    return {value.text for value in values if isinstance(value, Scalar) and value.text}


def _labels(node: Node | None, *where: str) -> set[tuple[str, str]]:
    found = node.at(*where) if isinstance(node, Mapping) else None
    pairs = found.values.items() if isinstance(found, Mapping) else ()
    return {(key, value.text or "") for key, value in pairs if isinstance(value, Scalar)}


def _listed(node: Node | None) -> Iterator[Mapping]:
    return (one for one in (node.values if isinstance(node, Listing) else ()) if isinstance(one, Mapping))
