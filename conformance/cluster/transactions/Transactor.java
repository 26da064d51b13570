import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.Socket;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Obeys commands that come through a socket, with a transactional producer. It answers each by its number, with an error if there is one. */
public class Transactor {
    private static PrintWriter answers;

    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        settings.load(new FileInputStream(arguments[0]));
        String topic = arguments[1];
        Socket socket = new Socket("127.0.0.1", Integer.parseInt(arguments[2]));
        BufferedReader commands = new BufferedReader(new InputStreamReader(socket.getInputStream(), "UTF-8"));
        answers = new PrintWriter(socket.getOutputStream());
        ByteArraySerializer bytes = new ByteArraySerializer();
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings, bytes, bytes);
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ");
            String number = words[0];
            try {
                switch (words[1]) {
                    case "init": producer.initTransactions(); break;
                    case "begin": producer.beginTransaction(); break;
                    case "commit": producer.commitTransaction(); break;
                    case "abort": producer.abortTransaction(); break;
                    default:
                        producer.send(
                            new ProducerRecord<>(topic, Integer.parseInt(words[2]), null, words[3].getBytes("UTF-8")),
                            (record, problem) -> answer(number, problem));
                        continue;
                }
                answer(number, null);
            } catch (Exception problem) {
                answer(number, problem);
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static synchronized void answer(String number, Exception problem) {
        answers.println(number + " " + (problem == null ? "" : problem.getClass().getSimpleName()));
        answers.flush();
    }
}
