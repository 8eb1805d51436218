package dev.probestream.sink;

import dev.probestream.sink.finish.FileMaker;
import dev.probestream.sink.finish.Steps;
import dev.probestream.sink.metadata.MetadataTopic;
import dev.probestream.sink.position.SinkFolder;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/** What a running sink consists of. */
record SinkParts(
        SinkRequest request,
        SinkListener listener,
        SinkFolder folder,
        KafkaConsumer<byte[], byte[]> consumer,
        MetadataTopic metadata,
        Assignment assignment,
        FileMaker files,
        TopicWatch watch,
        Waits waits,
        Counts counts,
        Steps steps) {
    /** @param stopCheck throws to leave a conversion */
    SliceFinisher finisher(Runnable stopCheck) {
        return new SliceFinisher(
                request, folder, files, metadata.store(), listener, counts, steps, (pass, events) -> stopCheck.run());
    }
}
