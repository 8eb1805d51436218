package dev.probestream.cli.live;

import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.schema.RecordVisitor;
import java.util.List;
import java.util.Optional;
import org.apache.avro.specific.SpecificRecord;

/** A publisher that prints a live collection to standard output. */
public interface LivePublisher extends EventPublisher, RecordVisitor<RuntimeException> {
    @Override
    default void publish(SpecificRecord metadata) {
        RecordVisitor.visit(metadata, this);
    }

    /** Called several times a second, with or without hits. */
    void tick();

    /** Why the output is complete, as text; empty while it is not. */
    Optional<String> completionReason();

    /** The lines of the summary: what was printed and what is missing. */
    List<String> summary(CollectionOutcome outcome);
}
