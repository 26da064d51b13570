package org.apache.kafka.controller;

import static org.apache.kafka.common.config.TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG;
import static org.apache.kafka.common.config.TopicConfig.RETENTION_MS_CONFIG;
import static org.apache.kafka.metadata.LeaderConstants.NO_LEADER;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigResource.Type;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Report: min-isr-change-clears-elr.md. The ISR of `t` is {1}, its min ISR is 2, and broker 2 is eligible. */
class MinIsrChangeTest {
    private final ControllerFixture controller = new ControllerFixture().started(1, 2, 3);

    @BeforeEach
    void twoBrokersAreShutDown() {
        controller.configure(Type.BROKER, "", MIN_IN_SYNC_REPLICAS_CONFIG, "2");
        controller.createTopic("t", Map.of(MIN_IN_SYNC_REPLICAS_CONFIG, "2"), new int[] {1, 2, 3});
        controller.shutDown(3);
        controller.shutDown(2);
        assertEquals(List.of(2), controller.elr("t", 0));
    }

    @Test
    void eligibleReplicaStaysEligibleWhenMinIsrRises() {
        controller.configure(Type.TOPIC, "t", MIN_IN_SYNC_REPLICAS_CONFIG, "3");
        assertEquals(List.of(2), controller.elr("t", 0), "ELR");
    }

    @Test
    void eligibleReplicaStaysEligibleWhenTheClusterSetsTheSameValueAgain() {
        controller.configure(Type.BROKER, "", MIN_IN_SYNC_REPLICAS_CONFIG, "2");
        assertEquals(List.of(2), controller.elr("t", 0), "ELR");
    }

    @Test
    void leaderThatLostItsLogIsNotElectedAfterMinIsrRose() {
        controller.configure(Type.TOPIC, "t", MIN_IN_SYNC_REPLICAS_CONFIG, "3");
        controller.fence(1);
        controller.restartAfterPowerLoss(1);
        assertEquals(NO_LEADER, controller.partition("t", 0).leader, "leader");
    }

    @Test
    void topicThatSetsTheSameValueAgainKeepsItsElr() {
        controller.configure(Type.TOPIC, "t", MIN_IN_SYNC_REPLICAS_CONFIG, "2");
        assertEquals(List.of(2), controller.elr("t", 0), "ELR");
    }

    @Test
    void otherSettingsKeepTheElr() {
        controller.configure(Type.TOPIC, "t", RETENTION_MS_CONFIG, "3600000");
        assertEquals(List.of(2), controller.elr("t", 0), "ELR");
    }

    @Test
    void withoutAChangeTheLeaderThatLostItsLogIsNotElected() {
        controller.fence(1);
        controller.restartAfterPowerLoss(1);
        assertEquals(NO_LEADER, controller.partition("t", 0).leader, "leader");
    }

    @Test
    void lowerMinIsrThatTheIsrReachesMustClearTheElr() {
        controller.configure(Type.TOPIC, "t", MIN_IN_SYNC_REPLICAS_CONFIG, "1");
        assertEquals(List.of(), controller.elr("t", 0), "ELR");
    }
}
