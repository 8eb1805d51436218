package dev.probestream.convert.parquet;

import dev.probestream.convert.request.context.OwnerSource;
import java.util.List;
import org.apache.parquet.schema.MessageType;

/** The table of the events that belong to a request. */
final class RequestEventRows implements RowShape<RequestEventRows.Link> {
    /** One of them. Reused for the next: valid for one call. */
    static final class Link {
        long captureId;
        long requestId;
        long sequence;
        /** By what the request is known. */
        OwnerSource source = OwnerSource.MESSAGE;
    }

    @Override
    public MessageType schema() {
        return new Columns()
                .required64("capture_id")
                .required64("request_id")
                .required64("sequence")
                .text("source")
                .named(ParquetTable.REQUEST_EVENTS.folderName());
    }

    @Override
    public List<String> ascending() {
        return List.of("request_id", "sequence");
    }

    @Override
    public void write(Link link, Row row) {
        row.integer64(link.captureId)
                .integer64(link.requestId)
                .integer64(link.sequence)
                .text(link.source.word());
    }
}
