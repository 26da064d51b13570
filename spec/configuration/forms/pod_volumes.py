"""The volumes of a pod, and whether a broker's logs lie where they outlive it: "Volumes" in the documentation of Kubernetes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..configuration_file import ConfigEntry
from ..notices import Notice
from .containers import NEEDS_ITS_LOG, Broker, Mount
from .images import Image, names
from .pods import Pod
from .yaml_documents import Listing, Mapping

DURABLE = names(
    "awsElasticBlockStore azureDisk azureFile cephfs cinder fc flexVolume flocker gcePersistentDisk glusterfs iscsi nfs "
    "persistentVolumeClaim photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume"
)
"""Volumes that outlive a pod, wherever it starts again."""
LOST = {
    "emptyDir": "an emptyDir is lost with its pod",
    "ephemeral": "an ephemeral volume is lost with its pod",
}
CLAIMED = "persistentVolumeClaim"
KEEPS_NAMES = ("Pod", "StatefulSet")
"""Kinds whose pods have the same name, and so the same name of the host, when they start again."""


def volumes_of(pod: Pod, problems: list[Notice]) -> dict[str, tuple[str, int]]:
    """What lies behind the names of a pod's volumes, and where they stand."""
    found: dict[str, tuple[str, int]] = {}
    listed = pod.parts.at("volumes")
    for one in listed.values if isinstance(listed, Listing) else ():
        name = one.text("name") if isinstance(one, Mapping) else None
        kinds = [key for key in one.values if key != "name"] if isinstance(one, Mapping) else []
        if not name or len(kinds) > 1:
            problems.append(pod.notice("a volume is not understood.", advice="Write its name and kind.", line=one.line))
        else:
            found[name] = (kinds[0] if kinds else "emptyDir", one.line)
    claimed = pod.document.at("spec", "volumeClaimTemplates") if pod.kind == "StatefulSet" else None
    for one in claimed.values if isinstance(claimed, Listing) else ():
        name = one.text("metadata", "name") if isinstance(one, Mapping) else None
        found |= {name: (CLAIMED, one.line)} if name else {}
    return found


def mounts_of(parts: Mapping, volumes: dict[str, tuple[str, int]]) -> Iterator[tuple[Mount, str]]:
    """What a container mounts, with the kind of the volume; it is empty if there is no such volume."""
    listed = parts.at("volumeMounts")
    for one in listed.values if isinstance(listed, Listing) else ():
        name = one.text("name") if isinstance(one, Mapping) else None
        target = (one.text("mountPath") or "") if isinstance(one, Mapping) else ""
        kind = volumes.get(name or "", ("", 0))[0]
        fresh = kind in DURABLE or kind in LOST
        plain = (target.rstrip("/") or target) if target.startswith("/") and "$(" not in target else ""
        yield Mount(kind="volume" if fresh else "bind", target=plain, line=one.line), kind


def about_logs(pod: Pod, broker: Broker, mounts: Sequence[tuple[Mount, str]]) -> Iterator[Notice]:
    """That a broker's logs lie where they are lost with the container or the pod, or may be."""
    advice = "Use a volumeClaimTemplate, or another volume on a disk, and mount it where the logs lie."
    container, image = broker.container, broker.image
    for folder, line in folders_of_logs(broker.entries, image, container.image_line):
        known = folder.partition("$")[0]
        inside = known if known == folder else known.rpartition("/")[0]
        covering = [(one, kind) for one, kind in mounts if one.target and is_in(inside, one.target)]
        mount, kind = max(covering, key=lambda one: len(one[0].target), default=(None, ""))
        at = line if mount is None else mount.line
        if not inside.startswith("/"):
            what = f"where its logs lie, {folder!r}, is not known."
            yield container.notice(what, NEEDS_ITS_LOG, "Write the folder itself into a copy.", line)
        elif mount is None:
            what = f"its logs lie in {folder}, where no volume is mounted: they are lost with the container."
            yield container.notice(what, NEEDS_ITS_LOG, advice, at)
        elif kind == "hostPath":
            what = f"{container.whose}: its logs lie in {folder}, on a disk of the machine (hostPath)."
            why = "A pod that starts on another machine has no log."
            yield Notice(what=what, why=why, advice=advice, file=container.path, line=at, decides=True)
        elif kind not in DURABLE:
            lost = LOST.get(kind, f"{kind or 'what is mounted there'} is no disk that is known")
            yield container.notice(f"its logs lie in {folder}, and {lost}.", NEEDS_ITS_LOG, advice, at)
        elif "$" in folder and not _keeps_its_name(pod):
            what = f"its logs lie in {folder}, and a pod of a {pod.kind} has another name when it starts again."
            yield container.notice(what, NEEDS_ITS_LOG, "Use a StatefulSet, or write a folder without a reference.", at)


def folders_of_logs(entries: Sequence[ConfigEntry], image: Image, line: int) -> Iterator[tuple[str, int]]:
    """The folders in which a broker's logs lie, as its variables set them or the image does."""
    given = {entry.key: entry for entry in entries if entry.value.strip()}
    named = given.get("log.dirs") or (None if image.sets_logs else given.get("log.dir"))
    if named is None:
        plain = image.data_alone if image.data_alone and not entries else image.data
        yield f"{plain}/kafka-logs-$HOSTNAME" if image.of_host else plain, line
    for entry in (named, given.get("metadata.log.dir")):
        for folder in entry.value.split(",") if entry is not None else ():
            yield folder.strip(), (line if entry is None or entry.line is None else entry.line)


def _keeps_its_name(pod: Pod) -> bool:
    """Has the host the same name when a pod starts again?"""
    return pod.kind in KEEPS_NAMES or pod.parts.text("hostname") is not None or pod.parts.text("hostNetwork") == "true"


def is_in(folder: str, target: str) -> bool:
    """Does a folder lie in another one?"""
    return folder == target or folder.startswith(f"{target.rstrip('/')}/")
