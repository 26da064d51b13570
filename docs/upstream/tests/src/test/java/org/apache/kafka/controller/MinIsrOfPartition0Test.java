package org.apache.kafka.controller;

import static org.apache.kafka.metadata.LeaderConstants.NO_LEADER;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Report: min-isr-of-partition-0.md. Partition 0 of `grown` has one replica, partition 1 has three. In `even` both have three. */
class MinIsrOfPartition0Test {
    private final ControllerFixture controller = new ControllerFixture().started(1, 2, 3);

    @BeforeEach
    void twoBrokersAreShutDown() {
        controller.createTopic("grown", new int[] {1}, new int[] {1});
        controller.reassign("grown", 1, 1, 2, 3);
        controller.isr("grown", 1, 1, 2, 3);
        controller.createTopic("even", new int[] {1, 2, 3}, new int[] {1, 2, 3});
        controller.shutDown(3);
        controller.shutDown(2);
    }

    @Test
    void lastReplicaToLeaveTheIsrIsEligible() {
        assertEquals(List.of(2), controller.elr("grown", 1), "ELR");
    }

    @Test
    void leaderThatLostItsLogIsNotElected() {
        controller.fence(1);
        controller.restartAfterPowerLoss(1);
        assertEquals(NO_LEADER, controller.partition("grown", 1).leader, "leader");
    }

    @Test
    void withThreeReplicasInPartition0ItIsEligible() {
        assertEquals(List.of(2), controller.elr("even", 1), "ELR");
    }

    @Test
    void withThreeReplicasInPartition0TheEligibleReplicaIsElected() {
        controller.fence(1);
        controller.restartAfterPowerLoss(1);
        assertEquals(NO_LEADER, controller.partition("even", 1).leader, "leader");
        controller.restart(2);
        assertEquals(2, controller.partition("even", 1).leader, "leader");
    }
}
