"""The deployments that files amount to: one for each class of topics that are alike, with each program, in every reading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from types import MappingProxyType

from neverlost.model.arguments import argument

from .configuration_file import ConfigurationFile
from .controllers import controls_only
from .deployment import Deployment, deployment_of, units
from .forms.connect import with_workers
from .forms.describe import FEATURES
from .forms.reading import files_of, read_configuration
from .forms.spring_elsewhere import with_what_goes_over
from .forms.strimzi import that_no_operator_applies
from .keys import check_keys
from .notices import ConfigurationError, Notice
from .programs import CLIENT_ROLES, Origin, Program, programs_of
from .readings import (
    ALTERNATIVES,
    APART,
    CLIENT,
    FILES,
    OF_NO_READING,
    Reading,
    client_of,
    parse_assumptions,
    readings_of,
)
from .topics import TopicClass, topic_classes
from .version_choice import ChosenVersion, possible_versions


@dataclass(frozen=True, kw_only=True)
class RefusedTopics:
    """Topics, or programs, that cannot be audited, beside others that can, with what is wrong with them."""

    topics: tuple[str, ...]
    problems: tuple[Notice, ...]
    programs: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = (Origin(),)

    @property
    def units(self) -> tuple[str, ...]:
        """What is distinguished: each topic with each program."""
        return units(self.topics, self.programs)


@dataclass(frozen=True, kw_only=True)
class Configurations:
    """All that files say: the deployments that they amount to, the files themselves, and the releases that these may be of.

    `assumed` is what was said of what the files leave open. There are no deployments if all files are of controllers alone.
    """

    deployments: list[Deployment]
    files: Sequence[ConfigurationFile]
    versions: Sequence[ChosenVersion]
    assumed: Mapping[str, str]


def read_deployments(
    arguments: Sequence[str],
    *,
    kafka_version: str | None = None,
    assume: str | None = None,
    cluster: Sequence[ConfigurationFile] = (),
    refused: list[RefusedTopics] | None = None,
) -> list[Deployment]:
    """The deployments that configuration files describe, one for each class of topics that are alike; each with its other readings.

    An argument is a path, a folder, or `role:path`. `assume` settles what the files leave open: "elr=on,client=java". `cluster` is what
    a running cluster said of its brokers and topics: the files are then those of its clients. Raises ConfigurationError with everything
    that is wrong in the files; what is wrong with some of several topics goes to `refused`, if that is given.
    """
    read = read_all(arguments, kafka_version=kafka_version, assume=assume, cluster=cluster, refused=refused)
    return read.deployments


def read_all(
    arguments: Sequence[str],
    *,
    kafka_version: str | None = None,
    assume: str | None = None,
    cluster: Sequence[ConfigurationFile] = (),
    refused: list[RefusedTopics] | None = None,
) -> Configurations:
    """The same, with the files. Those of controllers alone are no part of a deployment. Raises ConfigurationError as it does."""
    if not arguments and not cluster:
        forms = "in one of the forms that docs/reference/configuration.md lists"
        program = "Of a program without one, write what it has into a file: acks=all into app.producer.properties."
        advice = f"Name the files of producer, topic and broker, {forms}, or a running cluster. {program}"
        raise ConfigurationError([Notice(what="no configuration file is named.", advice=advice)])
    assumed = parse_assumptions(assume)
    reader = client_of(assumed.get(CLIENT))
    problems: list[Notice] = []
    files: list[ConfigurationFile] = []
    for given in dict.fromkeys(arguments):
        try:
            for path in files_of(given):
                files += [file for file in read_configuration(path, reader) if file not in files]
        except ConfigurationError as error:
            problems += error.problems
    files = with_what_goes_over(files, problems)
    if cluster:
        problems += _beside_a_cluster(files)
    every = [*cluster, *files]
    controllers = [file for file in every if controls_only(file)]
    rest = [file for file in every if not controls_only(file)]
    if controllers and not problems:
        problems += _of_controllers(controllers, possible_versions(kafka_version, every)[0].version)
    of_readings = {name: way for name, way in assumed.items() if name in ALTERNATIVES}
    found: list[Deployment] = []
    if rest or not controllers:
        found = deployments_of(rest, kafka_version, problems, refused, of_readings)
    elif problems:
        raise ConfigurationError(dict.fromkeys(problems))
    return Configurations(
        deployments=found, files=every, versions=possible_versions(kafka_version, every), assumed=assumed
    )


def _of_controllers(files: Sequence[ConfigurationFile], version: str) -> Iterator[Notice]:
    """What must be fixed in the files of controllers alone."""
    for file in files:
        yield from (finding.notice for finding in check_keys(file, version) if finding.serious)


def _beside_a_cluster(files: Sequence[ConfigurationFile]) -> Iterator[Notice]:
    """That a file says of brokers or topics what the cluster itself says; its features may not be known otherwise."""
    for file in files:
        if file.role not in CLIENT_ROLES and file.form != FEATURES:
            what = f"the running cluster gives the settings of its {file.role}s itself."
            advice = f"Leave the file out, or audit the files without {argument('bootstrap_server')}."
            yield Notice(what=what, why="What runs counts.", advice=advice, file=file.path)


def read_deployment(
    arguments: Sequence[str], *, kafka_version: str | None = None, assume: str | None = None
) -> Deployment:
    """The one deployment that configuration files describe. Raises ConfigurationError, also if their topics are not all alike."""
    first, *others = read_deployments(arguments, kafka_version=kafka_version, assume=assume)
    if others:
        what = f"{first.units[0]} and {others[0].units[0]} are not alike."
        raise ConfigurationError([Notice(what=what, advice="Audit them apart, or read_deployments.")])
    return first


def deployments_of(
    files: Sequence[ConfigurationFile],
    kafka_version: str | None = None,
    problems: Sequence[Notice] = (),
    refused: list[RefusedTopics] | None = None,
    assume: Mapping[str, str] = MappingProxyType({}),
) -> list[Deployment]:
    """The deployments that files amount to, which have been read already with these problems. Raises ConfigurationError.

    What is wrong with some of several topics goes to `refused`, if that is given.
    """
    found = [*problems, *_other_clusters(files), *that_no_operator_applies(files)]
    files = with_workers(files, found)
    versions = possible_versions(kafka_version, files)
    programs = programs_of(files, assume.get(FILES))
    if not files and not found:
        advice = "Name the files that set what brokers, topics, producers and consumers take."
        raise ConfigurationError([Notice(what="none of these files sets anything that is read here.", advice=advice)])
    deployments, wrong = list[_Audited](), list[RefusedTopics]()
    classes = topic_classes(files, found)
    all_read = not found
    readings_by_program: dict[int, list[Reading]] = {}
    for topics, (number, program) in product(classes, enumerate(programs)):
        if not program.may_write(topics.files) or (topics.internal is not None and number > 0):
            continue
        whole = _of_program(topics, program)
        try:
            if number not in readings_by_program:
                alone = len(programs) == 1
                readings_by_program[number] = _readings(versions, whole.files, program, assume, alone=alone)
            one = _of_every_reading(whole, readings_by_program[number], all_read=all_read)
            deployments.append(_Audited(program, one))
        except ConfigurationError as error:
            if not program.layered:
                names, origins = ((), (Origin(),)) if topics.internal else (program.names, program.origins)
                refusal = RefusedTopics(topics=topics.names, programs=names, origins=origins, problems=error.problems)
                wrong.append(refusal)
    if found or not deployments or (wrong and refused is None):
        raise ConfigurationError(dict.fromkeys((*found, *(problem for one in wrong for problem in one.problems))))
    if refused is not None:
        refused += wrong
    made = _merged(deployments)
    if all(one.internal for one in made):
        return [_in_every_reading(one, list(_unused(files))) for one in made]
    return made


def _of_program(topics: TopicClass, program: Program) -> TopicClass:
    """The topics with the files of one program, and not those of others."""
    own = {id(file): file for file in program.files}
    kept = [file for file in topics.files if file.role not in CLIENT_ROLES or own.pop(id(file), None) is not None]
    return replace(topics, files=(*kept, *own.values()))


def _readings(
    versions: Sequence[ChosenVersion],
    files: Sequence[ConfigurationFile],
    program: Program,
    assume: Mapping[str, str],
    *,
    alone: bool,
) -> list[Reading]:
    """The readings of one program's files, whatever the topics are.

    Where there are other programs, what is assumed of the client may be of theirs, if these files name another one.
    """
    clients = {file.role: file.client for file in program.files if file.client is not None}
    said = {name: value for name, value in assume.items() if name not in OF_NO_READING}
    assumed = {name: value for name, value in assume.items() if name in OF_NO_READING}
    try:
        found = readings_of(versions, files, clients, said)
    except ConfigurationError:
        if alone or "producer" not in clients or CLIENT not in said:
            raise
        found = readings_of(versions, files, clients, {name: said[name] for name in said if name != CLIENT})
    return [replace(reading, assumed={**reading.assumed, **assumed}) for reading in found]


def _of_every_reading(topics: TopicClass, readings: Sequence[Reading], *, all_read: bool) -> Deployment:
    """The deployment of the first reading that is possible, with those of the others. Raises what is wrong with the first one."""
    found: dict[tuple[object, ...], list[Deployment]] = {}
    refused: ConfigurationError | None = None
    for reading in readings:
        try:
            one = deployment_of(topics, reading, {}, all_read=all_read)
        except ConfigurationError as error:
            refused = refused or error
        else:
            found.setdefault(one.behaviour, []).append(one)
    if refused is not None and not found:
        raise refused
    first, *others = (_alike(same) for same in found.values())
    return replace(first, others=tuple(others))


def _alike(same: Sequence[Deployment]) -> Deployment:
    """Deployments of readings with the same answers as one, with what the clients of the others are in doubt for."""
    first = same[0]
    doubts = {doubt.what: doubt for one in same[1:] for doubt in one.client_doubts}
    kept = (doubt for doubt in doubts.values() if doubt not in first.warnings)
    return replace(first, alike=tuple(one.reading for one in same), warnings=(*first.warnings, *kept))


def _unused(files: Sequence[ConfigurationFile]) -> Iterator[Notice]:
    """The doubt about the files of clients, where only topics of the brokers are audited."""
    for file in files:
        if file.role in CLIENT_ROLES:
            what = "nothing that is audited here uses this: brokers alone write to the topics that are described."
            yield Notice(what=what, advice="Describe the topics of the program too.", file=file.path, decides=True)


@dataclass(frozen=True)
class _Audited:
    """What one program writes to a class of topics."""

    program: Program
    deployment: Deployment

    @property
    def decides(self) -> object:
        """What is equal for deployments that decide alike, are doubted alike, and have alike what is not checked."""
        one = self.deployment
        said = tuple(notice.what for notice in (*one.doubts, *one.unchecked))
        return one.behaviour, tuple(other.behaviour for other in one.others), said


def _merged(found: Sequence[_Audited]) -> list[Deployment]:
    """Programs that decide alike as one, then topics of the same programs that do."""
    of_topics: dict[object, list[_Audited]] = {}
    for one in found:
        of_topics.setdefault((one.deployment.topics, one.decides), []).append(one)
    together: dict[object, list[_Audited]] = {}
    for same in of_topics.values():
        certain = [one for one in same if not one.program.layered] or same
        program = replace(certain[0].program, names=_names(certain), origins=_origins(certain))
        together.setdefault((program.names, same[0].decides), []).append(replace(same[0], program=program))
    return [_of_all(alike) for alike in together.values()]


def _of_all(alike: Sequence[_Audited]) -> Deployment:
    """The deployment, and its other readings, with the names of all topics and programs."""
    program, whole = alike[0].program, alike[0].deployment
    topics = tuple(name for one in alike for name in one.deployment.topics)
    doubts = (_laid_over(program),) if program.layered else ()

    return _in_every_reading(replace(whole, topics=topics, programs=program.names, origins=program.origins), doubts)


def _in_every_reading(whole: Deployment, doubts: Sequence[Notice]) -> Deployment:
    """The deployment with more doubts, its other readings with the same ones, and with the same names."""

    def doubted(one: Deployment) -> Deployment:
        named = replace(one, topics=whole.topics, programs=whole.programs, origins=whole.origins)
        return replace(named, warnings=(*one.warnings, *doubts))

    return replace(doubted(whole), others=tuple(doubted(other) for other in whole.others))


def _names(same: Sequence[_Audited]) -> tuple[str, ...]:
    """The names of the programs; brokers alone write to a topic of their own."""
    return () if same[0].deployment.internal else tuple(dict.fromkeys(n for one in same for n in one.program.names))


def _origins(same: Sequence[_Audited]) -> tuple[Origin, ...]:
    """The files of the programs that have these names."""
    return (Origin(),) if same[0].deployment.internal else tuple(o for one in same for o in one.program.origins)


def _laid_over(program: Program) -> Notice:
    return Notice(
        what=f"{program.names[0]}: both files may be of one program. If they are of two, add {argument('assume', f'{FILES}={APART}')}.",
        decides=True,
    )


def _other_clusters(files: Sequence[ConfigurationFile]) -> Iterator[Notice]:
    """That a topic is of another cluster than the brokers are."""
    first = next((file for file in files if file.cluster), None)
    for file in files:
        if first is not None and file.cluster and file.cluster != first.cluster:
            what = f"this is of cluster {file.cluster}, and {first.path} of cluster {first.cluster}."
            why, advice = "The defaults of a topic are those of its own brokers.", "Audit each cluster by itself."
            line = file.entries[0].line if file.entries else None
            yield Notice(what=what, why=why, advice=advice, file=file.path, line=line)
