package dev.probestream.bench.kafka;

import dev.probestream.bench.measure.ChildJvm;
import dev.probestream.bench.measure.WorkTime;
import java.nio.file.Path;

/**
 * A JVM that sends records to Kafka in one way. Its arguments: which, the broker's address, a folder. For each line of
 * its input, the number of records to send, it answers with a {@link WorkTime}.
 */
final class ProducerChild {
    /** The ways. */
    enum Way {
        /** Kafka's own tool, kafka-producer-perf-test, as it comes; its records are random letters. */
        TOOL("perf-test"),
        /** The same with our producer's properties. */
        TOOL_TUNED("perf-test, our properties"),
        /** And with records that are made beforehand and compress like events. */
        TOOL_FILE("perf-test, our properties, from a file"),
        /** Kafka's producer, handed our bytes and nothing else to do: the limit. */
        PRODUCER("KafkaProducer alone, our properties"),
        /** What a collector does. */
        PUBLISHER("KafkaPublisher");

        private final String title;

        Way(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    private ProducerChild() {}

    public static void main(String[] arguments) throws Exception {
        String address = arguments[1];
        Path folder = Path.of(arguments[2]);
        ChildJvm.Work.serve(
                switch (Way.valueOf(arguments[0])) {
                    case TOOL -> ToolProducing.plain(address);
                    case TOOL_TUNED -> ToolProducing.tuned(address);
                    case TOOL_FILE -> ToolProducing.fromFile(address, folder.resolve("records"));
                    case PRODUCER -> new PlainProducing(address);
                    case PUBLISHER -> new PublisherProducing(address);
                });
    }
}
