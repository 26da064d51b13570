package kafka.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Report: late-counted-fetch.md. Broker 1 leads epoch 0 with m, which broker 2 has, then follows broker 3, then leads epoch 2. */
class LateCountedFetchTest {
    @TempDir
    private Path folder;

    private ReplicaFixture broker1;

    @BeforeEach
    void broker2HasM() {
        broker1 = new ReplicaFixture(folder);
        broker1.leads(0, 1, 2, 3);
        broker1.append("m");
        broker1.fetch(2, 0, 0, null);
    }

    /** In epoch 1 broker 1 cuts m and gets x; broker 2 cuts m and leaves the ISR. In epoch 2 broker 2, whose log is empty, asks for x. */
    private void leadershipGoesAndComesBack() {
        broker1.follows(3, 1, 1, 2, 3);
        broker1.copies("x", 0, 1);
        broker1.follows(3, 1, 1, 3);
        broker1.leads(2, 1, 3);
        broker1.fetch(2, 2, 0, null);
    }

    @Test
    void fetchOfAnEarlierEpochBringsNobodyIntoTheIsr() {
        broker1.fetch(2, 0, 1, 0, this::leadershipGoesAndComesBack);
        assertEquals(List.of("x@1"), Logs.content(broker1.log));
        assertEquals(List.of(), broker1.askedFor, "ISRs asked for, broker 2 has no record of epoch 1");
    }

    @Test
    void fetchOfAnEarlierEpochMovesNoHighWatermarkOfALeaderThatMissedAnEpoch() {
        broker1.fetch(2, 0, 1, 0, () -> broker1.leads(2, 1, 2, 3));
        broker1.fetch(3, 2, 0, null);
        broker1.fetch(3, 2, 1, 0);
        assertEquals(0, broker1.log.highWatermark(), "high watermark, broker 2 has not fetched in epoch 2");
    }

    @Test
    void fetchThatIsCountedAtOnceBringsNobodyIntoTheIsr() {
        broker1.fetch(2, 0, 1, 0);
        leadershipGoesAndComesBack();
        assertEquals(List.of(), broker1.askedFor, "ISRs asked for");
    }

    @Test
    void fetchAfterXInTheNewEpochBringsBroker2IntoTheIsr() {
        leadershipGoesAndComesBack();
        broker1.fetch(2, 2, 1, 1);
        assertEquals(List.of(List.of(1, 2, 3)), broker1.askedFor, "ISRs asked for");
    }
}
