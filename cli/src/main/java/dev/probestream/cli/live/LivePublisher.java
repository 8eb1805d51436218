package dev.probestream.cli.live;

import dev.probestream.collector.CollectionOutcome;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.schema.RecordVisitor;
import java.util.List;
import java.util.Optional;
import org.apache.avro.specific.SpecificRecord;

/** A publisher that shows a live collection on standard output. */
public interface LivePublisher extends EventPublisher, RecordVisitor<RuntimeException> {
    @Override
    default void publish(SpecificRecord metadata) {
        RecordVisitor.visit(metadata, this);
    }

    /** Called a few times a second, whether or not there was a hit. */
    void look();

    /** Why nothing more is wanted, in words; empty while there is no such reason. */
    Optional<String> enough();

    /** What it did and what is missing, in words for the end. */
    List<String> summary(CollectionOutcome outcome);
}
