import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Obeys commands that come through a socket, with the consumer of a group. It answers by the command's number: an error or none, and what it has.
 *
 * It commits what is done of a partition before it gives it up, unless it commits automatically. Partitions are paused when they are assigned: a record comes only from the partition that is polled by its number.
 *
 * After `hold` the next onPartitionsAssigned does not end before `go`. The answer to `hold` comes as soon as it has begun.
 */
public class GroupMember {
    private static BufferedReader commands;
    private static PrintWriter answers;
    private static String topic;
    private static KafkaConsumer<byte[], byte[]> consumer;
    private static boolean commitsByItself;
    private static String holds;
    private static final Map<TopicPartition, OffsetAndMetadata> done = new HashMap<>();
    private static final Set<TopicPartition> revoked = new HashSet<>();

    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        settings.load(new FileInputStream(arguments[0]));
        topic = arguments[1];
        Socket socket = new Socket("127.0.0.1", Integer.parseInt(arguments[2]));
        commands = new BufferedReader(new InputStreamReader(socket.getInputStream(), "UTF-8"));
        answers = new PrintWriter(socket.getOutputStream());
        ByteArrayDeserializer bytes = new ByteArrayDeserializer();
        consumer = new KafkaConsumer<>(settings, bytes, bytes);
        commitsByItself = settings.getProperty("enable.auto.commit").equals("true");
        consumer.subscribe(Collections.singleton(topic), new PausesWhatIsNew());
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ");
            String number = words[0];
            try {
                switch (words[1]) {
                    case "poll": answer(number, null, poll(words[2], words[3])); break;
                    case "assigned": answer(number, null, listed(consumer.assignment())); break;
                    case "revoked":
                        answer(number, null, listed(revoked));
                        revoked.clear();
                        break;
                    case "position":
                        answer(number, null, "" + consumer.position(partition(words[2]), Duration.ofSeconds(10)));
                        break;
                    case "commit":
                        if (words.length == 4) consumer.commitSync(offset(words[2], words[3]));
                        else consumer.commitSync(offset(words[2], words[3]), Duration.ofMillis(Long.parseLong(words[4])));
                        answer(number, null, "");
                        break;
                    case "send":
                        consumer.commitAsync(offset(words[2], words[3]), (offsets, problem) -> answer(number, problem, ""));
                        break;
                    case "done":
                        done.putAll(offset(words[2], words[3]));
                        answer(number, null, "");
                        break;
                    case "hold": holds = number; break;
                    case "close":
                        consumer.close();
                        answer(number, null, "");
                        break;
                    default: throw new IllegalArgumentException(words[1]);
                }
            } catch (Exception problem) {
                answer(number, problem, "");
            }
        }
        Runtime.getRuntime().halt(0);
    }

    /** Polls for so many milliseconds at most: the partition of this number, or none. What is so already is not asked for again. */
    private static String poll(String milliseconds, String wanted) {
        Set<TopicPartition> others = new HashSet<>(consumer.assignment()), paused = consumer.paused();
        if (!wanted.equals("none") && others.remove(partition(wanted)) && paused.contains(partition(wanted)))
            consumer.resume(Collections.singleton(partition(wanted)));
        others.removeAll(paused);
        if (!others.isEmpty()) consumer.pause(others);
        StringBuilder found = new StringBuilder();
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(Long.parseLong(milliseconds))))
            found.append(found.length() == 0 ? "" : ",").append(record.partition()).append(":").append(record.offset());
        return found.toString();
    }

    private static String listed(Collection<TopicPartition> partitions) {
        Set<String> found = new TreeSet<>();
        for (TopicPartition one : partitions) found.add("" + one.partition());
        return String.join(",", found);
    }

    private static TopicPartition partition(String number) {
        return new TopicPartition(topic, Integer.parseInt(number));
    }

    private static Map<TopicPartition, OffsetAndMetadata> offset(String number, String next) {
        return Collections.singletonMap(partition(number), new OffsetAndMetadata(Long.parseLong(next)));
    }

    private static synchronized void answer(String number, Exception problem, String said) {
        answers.println(number + " " + (problem == null ? "" : problem.getClass().getSimpleName()) + " " + said);
        answers.flush();
    }

    private static class PausesWhatIsNew implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            revoked.addAll(partitions);
            done.keySet().retainAll(partitions);
            if (!commitsByItself && !done.isEmpty()) consumer.commitSync(done);
            done.clear();
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            consumer.pause(partitions);
            if (holds == null || partitions.isEmpty()) return;
            answer(holds, null, listed(partitions));
            holds = null;
            try {
                String[] words = commands.readLine().split(" ");
                // Without a position of its own the consumer would ask the coordinator for one, in an epoch that is over (STALE_MEMBER_EPOCH).
                consumer.seek(partition(words[2]), Long.parseLong(words[3]));
                answer(words[0], null, "");
            } catch (IOException problem) {
                throw new UncheckedIOException(problem);
            }
        }
    }
}
