package kafka.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Report: taken-back-proposal.md. Broker 1 leads alone; broker 3 and then broker 2 come back. */
class TakenBackProposalTest {
    @TempDir
    private Path folder;

    private ReplicaFixture broker1;

    @BeforeEach
    void broker3IsInTheIsrByTheAnswer() {
        broker1 = new ReplicaFixture(folder);
        broker1.leads(0, 1);
        broker1.fetch(3, 0, 0, null);
        broker1.granted();
    }

    private void metadataWithBroker3() {
        broker1.leads(0, 1, 3);
    }

    private void broker1AppendsAndAsksForBroker2() {
        broker1.append("m");
        broker1.fetch(2, 0, 0, null);
        assertEquals(List.of(List.of(1, 3), List.of(1, 2, 3)), broker1.askedFor, "ISRs asked for");
    }

    private void broker3HasM() {
        broker1.fetch(3, 0, 0, null);
        broker1.fetch(3, 0, 1, 0);
    }

    @Test
    void highWatermarkWaitsForABrokerThatTheControllerMayHaveTakenIn() {
        broker1AppendsAndAsksForBroker2();
        metadataWithBroker3();
        broker3HasM();
        assertEquals(0, broker1.log.highWatermark(), "high watermark, broker 2 may be in the ISR and has no record");
    }

    @Test
    void highWatermarkWaitsForItIfTheMetadataComesInTime() {
        metadataWithBroker3();
        broker1AppendsAndAsksForBroker2();
        broker3HasM();
        assertEquals(0, broker1.log.highWatermark(), "high watermark");
    }

    @Test
    void highWatermarkNeedsNotWaitForABrokerThatWasNotAskedFor() {
        broker1.append("m");
        metadataWithBroker3();
        broker3HasM();
        assertEquals(1, broker1.log.highWatermark(), "high watermark");
    }
}
