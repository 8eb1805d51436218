package dev.probestream.convert.assemble;

import dev.probestream.convert.timeline.ThreadTrack;
import dev.probestream.convert.timeline.TraceWriter;

/** Numbers the derived counters of a trace. */
final class DerivedCounters {
    private int count;

    TraceWriter.DerivedCounter add(ThreadTrack thread, String name, String category, String unit) {
        return new TraceWriter.DerivedCounter(count++, thread, name, category, unit);
    }
}
