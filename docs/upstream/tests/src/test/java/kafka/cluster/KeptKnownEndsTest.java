package kafka.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Report: kept-known-ends.md. Broker 1 leads epoch 0 with m, which broker 2 has fetched, and epoch 2. Broker 3 led epoch 1. */
class KeptKnownEndsTest {
    @TempDir
    private Path folder;

    private ReplicaFixture broker1;

    @BeforeEach
    void broker2HasM() {
        broker1 = new ReplicaFixture(folder);
        broker1.leads(0, 1, 2, 3);
        broker1.append("m");
        broker1.fetch(2, 0, 0, null);
        broker1.fetch(2, 0, 1, 0);
    }

    private void broker3FetchesM() {
        broker1.fetch(3, 2, 0, null);
        broker1.fetch(3, 2, 1, 0);
    }

    @Test
    void fetchOfAnEarlierEpochMovesNoHighWatermark() {
        broker1.leads(2, 1, 2, 3);
        broker3FetchesM();
        assertEquals(0, broker1.log.highWatermark(), "high watermark, broker 2 has not fetched in epoch 2");
    }

    @Test
    void leaderThatHearsOfEveryEpochWaitsForBroker2() {
        broker1.follows(3, 1, 1, 2, 3);
        broker1.leads(2, 1, 2, 3);
        broker3FetchesM();
        assertEquals(0, broker1.log.highWatermark(), "high watermark");
    }

    @Test
    void fetchInTheNewEpochMovesIt() {
        broker1.leads(2, 1, 2, 3);
        broker3FetchesM();
        broker1.fetch(2, 2, 1, 0);
        assertEquals(1, broker1.log.highWatermark(), "high watermark");
    }
}
