package kafka.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Report: late-bytes.md. The leader of epoch 2 has U and V of epoch 0; a follower, still in epoch 1, has M of epoch 1 in U's place. */
class LateBytesTest {
    @TempDir
    private Path folderOfTheLeader;

    @TempDir
    private Path folderOfTheFollower;

    private ReplicaFixture leader;
    private UnifiedLog follower;

    @BeforeEach
    void logsDifferAtOffset2() {
        leader = new ReplicaFixture(folderOfTheLeader);
        leader.leads(0, 1, 2, 3);
        List.of("u", "v", "U", "V").forEach(leader::append);
        leader.follows(3, 1, 1, 2, 3);
        leader.leads(2, 1, 2, 3);
        follower = Logs.empty(folderOfTheFollower);
        follower.appendAsFollower(Logs.stored("u", 0, 0), 0);
        follower.appendAsFollower(Logs.stored("v", 1, 0), 0);
        follower.appendAsFollower(Logs.stored("M", 2, 1), 1);
    }

    /** Whether the leader, asked for what comes after the follower's log, answers where to cut it. */
    private boolean leaderFindsTheDifference() {
        return leader.fetch(2, 2, follower.logEndOffset(), follower.latestEpoch().orElseThrow()).divergingEpoch().isPresent();
    }

    @Test
    void batchOfAnEarlierEpochThanTheLastRecordIsNotAppended() {
        follower.appendAsFollower(Logs.stored("V", 3, 0), 1);
        assertEquals(List.of("u@0", "v@0", "M@1"), Logs.content(follower), "log of the follower");
    }

    @Test
    void leaderFindsThatTheLogsDiffer() {
        follower.appendAsFollower(Logs.stored("V", 3, 0), 1);
        assertTrue(leaderFindsTheDifference(), () ->
            "leader " + Logs.content(leader.log) + ", follower " + Logs.content(follower) + ", difference found");
    }

    @Test
    void withoutTheLateBatchTheLeaderFindsThatTheLogsDiffer() {
        assertTrue(leaderFindsTheDifference());
    }

    @Test
    void batchOfALaterEpochThanTheFetchIsNotAppended() {
        follower.appendAsFollower(Logs.stored("V", 3, 2), 1);
        assertEquals(List.of("u@0", "v@0", "M@1"), Logs.content(follower), "log of the follower");
    }
}
