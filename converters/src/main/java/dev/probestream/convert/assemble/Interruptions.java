package dev.probestream.convert.assemble;

import dev.probestream.convert.request.RequestAssembler;
import dev.probestream.convert.timeline.CaptureTracks;
import java.io.IOException;

/** Reports to the assembler of a capture's requests where a gap begins, before the first event after it. */
final class Interruptions {
    private final long[] startsNs;
    private final long clockShiftNs;
    private int next;

    Interruptions(CaptureTracks capture) {
        this.startsNs = capture.unwatched().starts(capture.roles().requestCategories());
        this.clockShiftNs = capture.clockShiftNs();
    }

    /** @param atNs of the next event, on the trace's clock */
    void before(long atNs, RequestAssembler assembler) throws IOException {
        while (next < startsNs.length && startsNs[next] <= atNs) {
            assembler.interrupt(startsNs[next++] - clockShiftNs);
        }
    }
}
