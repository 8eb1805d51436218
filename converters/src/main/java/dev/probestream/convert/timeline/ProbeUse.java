package dev.probestream.convert.timeline;

import dev.probestream.schema.EventView;

/** How events use a probe: enough to show them if the recording does not describe it. */
final class ProbeUse {
    private int numbers;
    private int strings;

    void note(EventView event) {
        numbers = Math.max(numbers, event.numberCount());
        strings = Math.max(strings, event.stringCount());
    }

    int numbers() {
        return numbers;
    }

    int strings() {
        return strings;
    }
}
