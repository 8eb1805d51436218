package dev.probestream.sink;

import dev.probestream.sink.finish.FaultPoints;
import dev.probestream.sink.finish.FileMaker;
import dev.probestream.sink.metadata.MetadataTopic;
import dev.probestream.sink.position.SinkFolder;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/** The components of a running sink. */
record SinkParts(
        SinkRequest request,
        SinkListener listener,
        SinkFolder folder,
        GroupFolder groupFolder,
        KafkaConsumer<byte[], byte[]> consumer,
        MetadataTopic metadata,
        LoadingMetadata loading,
        Assignment assignment,
        FileMaker files,
        TopicWatch watch,
        WaitReports waits,
        Counts counts,
        FaultPoints faultPoints) {
    /** @param stopCheck throws to abort a conversion, or a wait for the broker */
    SegmentFinisher finisher(Runnable stopCheck) {
        loading.setStopCheck(stopCheck);
        return new SegmentFinisher(
                request,
                folder,
                files,
                metadata,
                loading,
                listener,
                counts,
                faultPoints,
                (pass, events) -> stopCheck.run());
    }
}
