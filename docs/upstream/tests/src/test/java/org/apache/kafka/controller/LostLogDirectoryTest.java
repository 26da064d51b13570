package org.apache.kafka.controller;

import static org.apache.kafka.metadata.LeaderConstants.NO_LEADER;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Report: lost-log-directory.md. Broker 1 has two log directories, and its replica of `t` is in the second. */
class LostLogDirectoryTest {
    private static final Uuid FIRST = Uuid.randomUuid();
    private static final Uuid SECOND = Uuid.randomUuid();

    private final ControllerFixture controller = new ControllerFixture().started(2, 3);

    @BeforeEach
    void broker1IsShutDownAndEligible() {
        controller.start(1, false, FIRST, SECOND);
        controller.createTopic("t", new int[] {2, 1, 3});
        controller.assign(1, SECOND, "t", 0);
        controller.shutDown(3);
        controller.shutDown(1);
        assertEquals(List.of(1), controller.elr("t", 0));
    }

    @Test
    void replicaWhoseDirectoryIsGoneIsNotEligible() {
        controller.start(1, true, FIRST);
        assertEquals(List.of(), controller.elr("t", 0), "ELR");
    }

    @Test
    void replicaWhoseDirectoryIsGoneIsNotElected() {
        controller.start(1, true, FIRST);
        controller.assign(1, FIRST, "t", 0);
        controller.shutDown(2);
        assertEquals(NO_LEADER, controller.partition("t", 0).leader, "leader");
    }

    @Test
    void untilTheBrokerMadeANewLogTheReplicaIsNotElected() {
        controller.start(1, true, FIRST);
        controller.shutDown(2);
        assertEquals(NO_LEADER, controller.partition("t", 0).leader, "leader");
    }

    @Test
    void replicaWhoseDirectoryIsThereStaysEligible() {
        controller.start(1, true, FIRST, SECOND);
        assertEquals(List.of(1), controller.elr("t", 0), "ELR");
    }

    @Test
    void replicaOfABrokerThatLostPowerIsNotEligible() {
        controller.start(1, false, FIRST, SECOND);
        assertEquals(List.of(), controller.elr("t", 0), "ELR");
    }
}
