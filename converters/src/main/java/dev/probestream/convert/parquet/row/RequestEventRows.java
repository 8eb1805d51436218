package dev.probestream.convert.parquet.row;

import dev.probestream.convert.request.context.OwnerSource;
import java.util.List;
import org.apache.parquet.schema.MessageType;

/** The table of the events that belong to a request. */
public final class RequestEventRows implements RowShape<RequestEventRows.Link> {
    /** One of them. Reused for the next: valid for one call. */
    public static final class Link {
        private long captureId;
        private long requestId;
        private long sequence;
        private OwnerSource source = OwnerSource.MESSAGE;

        /** @param newSource by what the request is known */
        public void set(long newCaptureId, long newRequestId, long newSequence, OwnerSource newSource) {
            captureId = newCaptureId;
            requestId = newRequestId;
            sequence = newSequence;
            source = newSource;
        }
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
