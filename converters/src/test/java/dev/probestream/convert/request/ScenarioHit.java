package dev.probestream.convert.request;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.MalformedEventException;
import dev.probestream.schema.record.EventKind;
import java.util.List;

/**
 * One event of a {@link Scenario} as it would be recorded.
 *
 * @param label what the test calls it; "" = nothing
 * @param durationNs -1 = it is no span
 */
record ScenarioHit(
        String label,
        int probeId,
        EventKind kind,
        long atNs,
        long durationNs,
        int tid,
        List<Long> numbers,
        List<String> texts,
        long returnValue,
        long stackId) {

    /** The same as a span that ends then. */
    ScenarioHit until(long endNs) {
        return new ScenarioHit(
                label, probeId, EventKind.SPAN, atNs, endNs - atNs, tid, numbers, texts, returnValue, stackId);
    }

    /** The event as the assembler reads it. */
    EventView view(int pid) {
        EventEncoder encoder = new EventEncoder();
        encoder.begin(1, 0, atNs, durationNs, pid, tid, 0, probeId, kind);
        encoder.beginNumbers(numbers.size());
        for (long number : numbers) {
            encoder.number(number);
        }
        encoder.beginStrings(texts.size());
        for (String text : texts) {
            encoder.string(text);
        }
        encoder.end(returnValue, stackId, 0);
        EventView view = new EventView();
        try {
            view.wrap(encoder.bytes(), encoder.offset(), encoder.offset() + encoder.length());
        } catch (MalformedEventException e) {
            throw new AssertionError(e);
        }
        return view;
    }
}
