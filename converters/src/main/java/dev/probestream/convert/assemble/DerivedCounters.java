package dev.probestream.convert.assemble;

import dev.probestream.convert.timeline.DerivedCounter;
import dev.probestream.convert.timeline.ThreadTrack;


/** Numbers the derived counters of a trace. */
final class DerivedCounters {
    private int count;

    DerivedCounter add(ThreadTrack thread, String name, String category, String unit) {
        return new DerivedCounter(count++, thread, name, category, unit);
    }
}
