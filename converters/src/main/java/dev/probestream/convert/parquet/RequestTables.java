package dev.probestream.convert.parquet;

import dev.probestream.convert.assemble.RequestPasses;
import dev.probestream.convert.intake.Window;
import dev.probestream.convert.parquet.row.ParquetTable;
import dev.probestream.convert.parquet.row.RequestEventRows;
import dev.probestream.convert.parquet.row.RequestRows;
import dev.probestream.convert.request.Request;
import dev.probestream.convert.request.context.OwnerSource;
import dev.probestream.convert.shape.LongMap;
import dev.probestream.schema.EventView;
import dev.probestream.schema.recording.RecordingHandler;
import java.io.IOException;
import java.nio.file.FileSystemException;

/**
 * The tables of the requests and of what belongs to them. A request shows only when the events stand in the order of
 * their start, so these tables need the records twice.
 */
final class RequestTables {
    private final boolean isSlice;
    private final RequestPasses readings;
    private final RecordingHandler first;
    private final HourFiles<RequestRows.NumberedRequest> requests;
    private final HourFiles<RequestEventRows.Link> links;
    private final RequestEventRows.Link link = new RequestEventRows.Link();

    /** By capture; of segments only. */
    private final LongMap<Long> idOffsets = new LongMap<>();

    private boolean isReadTwice;

    /**
     * @param isSlice whether the recordings are a part of a capture whose other parts are converted apart: then numbers
     *     count from the sequence of the part's first event, so that no two parts use one, and reading it again gives the
     *     same
     */
    RequestTables(boolean isSlice, Layout layout, Window window, TableFiles files) {
        this.isSlice = isSlice;
        this.readings = new RequestPasses(window, !isSlice);
        this.first = readings.first();
        this.requests = new HourFiles<>(ParquetTable.REQUESTS, new RequestRows(), layout, files);
        this.links = new HourFiles<>(ParquetTable.REQUEST_EVENTS, new RequestEventRows(), layout, files);
    }

    /** What takes the captures, their probes, ends and events the first time. */
    RecordingHandler first() {
        return first;
    }

    /** An event, the first time. */
    void event(EventView event) throws IOException {
        if (!readings.areAnyPossible()) {
            return;
        }
        if (isSlice && idOffsets.get(event.captureId()) == null) {
            idOffsets.put(event.captureId(), event.sequence());
        }
        first.event(event);
    }

    boolean needSecondReading() {
        return readings.areAnyPossible();
    }

    /** @param captures by id */
    RecordingHandler second(LongMap<CaptureTables> captures) throws IOException {
        isReadTwice = true;
        return readings.second(new RequestPasses.Sink() {
            @Override
            public void request(long captureId, Request request) throws IOException {
                CaptureTables capture = known(captures, captureId);
                RequestRows.NumberedRequest row =
                        new RequestRows.NumberedRequest(captureId, idOffset(captureId), request, capture.clock());
                requests.write(row, capture, request.startNs());
            }

            @Override
            public void event(long captureId, long request, OwnerSource source, EventView event) throws IOException {
                link.set(captureId, idOffset(captureId) + request, event.sequence(), source);
                links.write(link, known(captures, captureId), event.timestampNs(), event.sequence());
            }
        });
    }

    private static CaptureTables known(LongMap<CaptureTables> captures, long captureId) throws IOException {
        CaptureTables capture = captures.get(captureId);
        if (capture == null) {
            throw new IOException("capture " + captureId + " was not there when the recording was read first");
        }
        return capture;
    }

    private long idOffset(long captureId) {
        Long offset = idOffsets.get(captureId);
        return offset == null ? 0 : offset;
    }

    /** Everything was read. */
    void finish() throws IOException {
        if (isReadTwice) {
            readings.finish();
        }
    }

    /** See {@link HourFiles#ensure}. */
    void ensure(CaptureTables capture) throws FileSystemException {
        requests.ensure(capture);
        links.ensure(capture);
    }

    /** See {@link HourFiles#deleteOlderParts}. */
    void deleteOlderParts(CaptureTables capture) throws FileSystemException {
        requests.deleteOlderParts(capture);
        links.deleteOlderParts(capture);
    }
}
