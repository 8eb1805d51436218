package dev.probestream.convert.timeline;

import dev.probestream.schema.record.Clock;
import java.util.ArrayList;
import java.util.List;

/**
 * How far CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC: it grows when the machine is suspended, and only then. The clocks
 * are read one after the other, so that the measured distance trembles by the time that takes; what trembles less than
 * {@value #STEP_NS} ns is taken as one distance, which makes every conversion exact both ways.
 */
final class BoottimeOffsets {
    private static final long STEP_NS = 1_000_000;

    private record Step(long fromMonotonicNs, long offsetNs) {}

    private final List<Step> steps = new ArrayList<>();

    BoottimeOffsets(long monotonicNs, long boottimeNs) {
        steps.add(new Step(Long.MIN_VALUE, boottimeNs - monotonicNs));
    }

    void add(Clock clock) {
        Step last = steps.get(steps.size() - 1);
        long offsetNs = clock.getBoottimeNs() - clock.getMonotonicNs();
        if (Math.abs(offsetNs - last.offsetNs) >= STEP_NS && clock.getMonotonicNs() > last.fromMonotonicNs) {
            steps.add(new Step(clock.getMonotonicNs(), offsetNs));
        }
    }

    long at(long monotonicNs) {
        int index = steps.size() - 1;
        while (steps.get(index).fromMonotonicNs > monotonicNs) {
            index--;
        }
        return steps.get(index).offsetNs;
    }
}
