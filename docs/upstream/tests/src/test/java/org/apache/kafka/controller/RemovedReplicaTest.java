package org.apache.kafka.controller;

import static org.apache.kafka.metadata.LeaderConstants.NO_LEADER;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Report: removed-replica-in-elr.md. Both partitions of `t` have three replicas; partition 1 goes to one, and back to three. */
class RemovedReplicaTest {
    private final ControllerFixture controller = new ControllerFixture().started(1, 2, 3);

    RemovedReplicaTest() {
        controller.createTopic("t", new int[] {1, 2, 3}, new int[] {1, 2, 3});
        controller.reassign("t", 1, 1);
        assertEquals(List.of(1), controller.replicas("t", 1));
    }

    @Test
    void replicaThatWasRemovedIsNotEligible() {
        assertEquals(List.of(), controller.elr("t", 1), "ELR");
    }

    @Test
    void replicaThatIsBeingAddedIsNotElected() {
        controller.reassign("t", 1, 1, 2, 3);
        controller.fence(1);
        assertEquals(NO_LEADER, controller.partition("t", 1).leader, "leader");
    }

    @Test
    void replicaThatIsBeingAddedForTheFirstTimeIsNotElected() {
        controller.createTopic("new", new int[] {1}, new int[] {1});
        controller.reassign("new", 1, 1, 2, 3);
        controller.fence(1);
        assertEquals(NO_LEADER, controller.partition("new", 1).leader, "leader");
    }
}
