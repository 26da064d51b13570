"""The purgatory as a profile, with its properties (R-DP-2, R-DP-3)."""

from __future__ import annotations

from neverlost.model.core import Profile, always, contains, eventually, lemma, sometimes
from neverlost.model.kafka import purgatory
from neverlost.model.kafka.purgatory import (
    LOOKING_BACK,
    NEW,
    RETURNED,
    TIMING,
    WATCHING,
    Key,
    Operation,
    Purgatory,
    can_complete,
)


def is_being_looked_at(s: Purgatory, operation: Operation) -> bool:
    """Is the thread of some event about to look at the operation?"""
    for key in s.each(Key):
        if contains(s.to_look_at[key], operation):
            return True
    return False


@always("Every operation is answered at most once, and has completed exactly if it was answered.")
def exactly_one_response(s: Purgatory) -> bool:
    for operation in s.each(Operation):
        if s.responses[operation] > 1 or s.completed[operation] != (s.responses[operation] == 1):
            return False
    return True


@always("When all has happened and every thread is done with an operation, it has completed: no event is missed.")
def no_event_is_missed(s: Purgatory) -> bool:
    for operation in s.each(Operation):
        if s.phase[operation] == RETURNED and can_complete(s) and not is_being_looked_at(s, operation):
            if not s.completed[operation]:
                return False
    return True


@always("When the request's thread has returned, an operation that has completed is not in the timer.")
def completed_leaves_the_timer(s: Purgatory) -> bool:
    for operation in s.each(Operation):
        if s.phase[operation] == RETURNED and s.completed[operation] and s.has_deadline[operation]:
            return False
    return True


@always("When the request's thread has returned, an operation that has not completed is in the timer.")
def waiting_has_a_deadline(s: Purgatory) -> bool:
    for operation in s.each(Operation):
        if s.phase[operation] == RETURNED and not s.completed[operation] and not s.has_deadline[operation]:
            return False
    return True


def an_operation_waits(s: Purgatory) -> bool:
    """Has a request come that is not answered?"""
    for operation in s.each(Operation):
        if s.phase[operation] != NEW and not s.completed[operation]:
            return True
    return False


@eventually(
    "With the clock running, whoever asked is answered, whether anything happens or not.",
    after=an_operation_waits,
    weak=(purgatory.watch, purgatory.try_again, purgatory.set_deadline, purgatory.look_back, purgatory.expire),
)
def everybody_is_answered(s: Purgatory) -> bool:
    return not an_operation_waits(s)


@sometimes("An operation completes though its request's thread has not returned.")
def completed_by_an_event(s: Purgatory) -> bool:
    for operation in s.each(Operation):
        if s.completed[operation] and s.phase[operation] == TIMING:
            return True
    return False


@sometimes("An operation completes at its deadline.")
def completed_by_the_deadline(s: Purgatory) -> bool:
    for operation in s.each(Operation):
        if s.completed[operation] and not can_complete(s):
            return True
    return False


@sometimes("An operation that has completed goes into the timer.")
def goes_into_the_timer_completed(s: Purgatory) -> bool:
    for operation in s.each(Operation):
        if s.completed[operation] and s.phase[operation] == LOOKING_BACK and s.has_deadline[operation]:
            return True
    return False


@sometimes("Everything has happened while an operation is being watched, so that no event's thread will look at it.")
def happened_while_watching(s: Purgatory) -> bool:
    for operation in s.each(Operation):
        if s.phase[operation] == WATCHING and can_complete(s) and s.watches[operation] == s.all_of(Key):
            if not is_being_looked_at(s, operation):
                return True
    return False


@lemma(
    "An operation is set a deadline only after it was watched under every key, unless its first try has answered it."
)
def waits_under_every_key(s: Purgatory, operation: Operation) -> bool:
    return s.phase[operation] < TIMING or s.completed[operation] or s.watches[operation] == s.all_of(Key)


@lemma("The second try comes after the last watch, so an event that it did not see has found the operation watched.")
def somebody_will_look(s: Purgatory, operation: Operation) -> bool:
    if s.phase[operation] < TIMING or s.completed[operation] or not can_complete(s):
        return True
    return is_being_looked_at(s, operation)


@lemma("Only a request whose thread has set a deadline is in the timer.")
def deadline_is_set_by_the_thread(s: Purgatory, operation: Operation) -> bool:
    return s.phase[operation] >= LOOKING_BACK or not s.has_deadline[operation]


@lemma("The timer lets an operation go only by completing it, and completing takes it out.")
def deadline_until_completed(s: Purgatory, operation: Operation) -> bool:
    return s.phase[operation] < LOOKING_BACK or s.completed[operation] or s.has_deadline[operation]


@lemma("A thread returns only after it has looked back, or from a try that answered.")
def returned_without_deadline(s: Purgatory, operation: Operation) -> bool:
    return s.phase[operation] != RETURNED or not s.completed[operation] or not s.has_deadline[operation]


@lemma("What has completed was answered once.")
def answered_once(s: Purgatory, operation: Operation) -> bool:
    return s.responses[operation] <= 1 and s.completed[operation] == (s.responses[operation] == 1)


@lemma("The thread of an event looks only at operations that watched its key when the event came.")
def only_who_watches_is_looked_at(s: Purgatory, key: Key, operation: Operation) -> bool:
    return not contains(s.to_look_at[key], operation) or contains(s.watches[operation], key)


@lemma("A request that has not come is neither watched nor answered.")
def new_is_untouched(s: Purgatory, operation: Operation) -> bool:
    return s.phase[operation] != NEW or (not s.completed[operation] and s.watches[operation] == 0)


PURGATORY = Profile(
    name="kafka-purgatory",
    family="purgatory",
    statement="The broker's purgatory: operations that wait under keys, events that complete them, deadlines.",
    state=Purgatory,
    initial=purgatory.initial,
    actions=(
        purgatory.arrive,
        purgatory.watch,
        purgatory.try_again,
        purgatory.set_deadline,
        purgatory.look_back,
        purgatory.happen,
        purgatory.look_at,
        purgatory.expire,
    ),
    properties=(
        exactly_one_response,
        no_event_is_missed,
        completed_leaves_the_timer,
        waiting_has_a_deadline,
        completed_by_an_event,
        completed_by_the_deadline,
        goes_into_the_timer_completed,
    ),
    probes=(happened_while_watching,),
    on_request=(everybody_is_answered,),
    lemmas=(
        answered_once,
        only_who_watches_is_looked_at,
        new_is_untouched,
        waits_under_every_key,
        somebody_will_look,
        deadline_is_set_by_the_thread,
        deadline_until_completed,
        returned_without_deadline,
    ),
    settings={"second_try": True, "looks_back": True},
    default_bounds={"operations": 2, "keys": 2},
)
