package dev.probestream.collector.internal.counter;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The values of one event.
 *
 * @param atNs when they were read, CLOCK_MONOTONIC
 * @param unavailable bit i = argument i could not be read
 */
public record CounterValues(
        ProcessCounter counter, int pid, long atNs, List<Long> numbers, List<String> texts, long unavailable) {
    /** Stands for a number that could not be read. */
    static final long UNKNOWN = -1;

    static CounterValues of(ProcessCounter counter, int pid, long atNs, long... numbers) {
        long unavailable = 0;
        for (int i = 0; i < numbers.length; i++) {
            unavailable |= numbers[i] == UNKNOWN ? 1L << i : 0;
        }
        return new CounterValues(
                counter, pid, atNs, Arrays.stream(numbers).boxed().toList(), List.of(), unavailable);
    }

    /** As {@link #of}; empty if none of the numbers could be read. */
    static Optional<CounterValues> ofKnown(ProcessCounter counter, int pid, long atNs, long... numbers) {
        return Arrays.stream(numbers).allMatch(number -> number == UNKNOWN)
                ? Optional.empty()
                : Optional.of(of(counter, pid, atNs, numbers));
    }

    /** Of a probe whose only argument is a text. */
    static CounterValues ofText(ProcessCounter counter, int pid, long atNs, String text) {
        return new CounterValues(counter, pid, atNs, List.of(), List.of(text), 0);
    }

    /** Of a probe whose arguments are texts; empty ones could not be read. */
    static CounterValues ofTexts(ProcessCounter counter, int pid, long atNs, List<Optional<String>> texts) {
        long unavailable = 0;
        for (int i = 0; i < texts.size(); i++) {
            unavailable |= texts.get(i).isEmpty() ? 1L << i : 0;
        }
        List<String> written = texts.stream().map(text -> text.orElse("")).toList();
        return new CounterValues(counter, pid, atNs, List.of(), written, unavailable);
    }

    /** The argument local is the first one. */
    static CounterValues ofListeningSocket(int pid, long atNs, String local, long queued, long limit, long drops) {
        return new CounterValues(
                ProcessCounter.LISTENING_SOCKET, pid, atNs, List.of(queued, limit, drops), List.of(local), 0);
    }
}
