import java.io.FileInputStream;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends the values v FIRST to v FIRST+COUNT-1, one after the other, and writes what became of each: its times, offset and error. */
public class SendAndTell {
    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        settings.load(new FileInputStream(arguments[0]));
        String topic = arguments[1];
        int first = Integer.parseInt(arguments[2]);
        int count = Integer.parseInt(arguments[3]);
        long pauseMs = Long.parseLong(arguments[4]);
        ByteArraySerializer bytes = new ByteArraySerializer();
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings, bytes, bytes)) {
            for (int value = first; value < first + count; value++) {
                Thread.sleep(pauseMs);
                long began = System.currentTimeMillis();
                String error = "";
                long offset = -1;
                try {
                    RecordMetadata written = producer.send(new ProducerRecord<>(topic, 0, null, ("v" + value).getBytes("UTF-8"))).get();
                    offset = written.offset();
                } catch (ExecutionException problem) {
                    error = problem.getCause().getClass().getSimpleName();
                }
                System.out.println("sent " + value + " " + began + " " + System.currentTimeMillis() + " " + offset + " " + error);
            }
        }
    }
}
