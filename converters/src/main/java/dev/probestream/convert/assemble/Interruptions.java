package dev.probestream.convert.assemble;

import dev.probestream.convert.request.RequestAssembler;
import dev.probestream.convert.timeline.CaptureTracks;
import java.io.IOException;

/**
 * Reports to the assembler of a capture's requests where a gap begins and where it ends, before the first event after it. A few hits come while
 * the programs are being detached; what they begin is as unknown after the gap as what began before it.
 */
final class Interruptions {
    private final long[] edgesNs;
    private final long clockShiftNs;
    private int next;

    Interruptions(CaptureTracks capture) {
        this.edgesNs = capture.unwatched().edges(capture.roles().requestCategories());
        this.clockShiftNs = capture.clockShiftNs();
    }

    /** @param atNs of the next event, on the trace's clock */
    void before(long atNs, RequestAssembler assembler) throws IOException {
        while (next < edgesNs.length && edgesNs[next] <= atNs) {
            assembler.interrupt(edgesNs[next++] - clockShiftNs);
        }
    }
}
