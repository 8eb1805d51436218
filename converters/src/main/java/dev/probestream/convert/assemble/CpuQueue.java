package dev.probestream.convert.assemble;

import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.convert.timeline.CpuSwitch;
import dev.probestream.convert.timeline.TraceWriter;
import java.io.IOException;

/**
 * Holds back the last context switch of a cpu until the next one shows whether the thread that came stayed.
 *
 * <p>A recording knows the switches from and to the traced threads only. If a traced thread gives way to an untraced one
 * and a second untraced one gives way to a traced thread later, then it is unknown how long the first one ran. Drawn as
 * recorded it would seem to have run all the time, so the cpu is shown idle where it is not known who ran.
 */
final class CpuQueue {
    private CpuSwitch held = new CpuSwitch();
    private CpuSwitch coming = new CpuSwitch();
    private final CpuSwitch inserted = new CpuSwitch();
    private boolean isHolding;

    /** For the next switch of this cpu; to be filled before {@link #offer}. */
    CpuSwitch coming() {
        return coming;
    }

    /** Writes the held switch and holds the coming one. */
    void offer(CaptureTracks capture, TraceWriter writer) throws IOException {
        boolean isKnownGap = isHolding && held.nextTid() != coming.prevTid();
        if (isKnownGap) {
            held.setNextIdle();
        }
        flush(writer);
        if (isKnownGap && coming.prevTid() != 0) {
            if (capture.isTraced(coming.prevPid())) {
                inserted.setArrivalOfPrev(coming);
                writer.cpuSwitch(inserted);
            } else {
                coming.setPrevIdle();
            }
        }
        CpuSwitch free = held;
        held = coming;
        coming = free;
        isHolding = true;
    }

    /** Nothing more comes. */
    void finish(CaptureTracks capture, TraceWriter writer) throws IOException {
        if (!capture.isTraced(held.nextPid())) {
            held.setNextIdle();
        }
        flush(writer);
    }

    private void flush(TraceWriter writer) throws IOException {
        if (isHolding) {
            writer.cpuSwitch(held);
        }
        isHolding = false;
    }
}
