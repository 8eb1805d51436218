package dev.probestream.collector.internal.program.snippet;

import dev.probestream.collector.internal.program.snippet.ArgumentAccess.Readability;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType.Form;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Numbers that lie so close together behind one pointer that one reading fetches them all.
 *
 * @param indexes of the arguments
 * @param fromOffsetBytes where the reading begins, a multiple of 8
 * @param sizeBytes how long it is
 */
record FieldGroup(List<Integer> indexes, long fromOffsetBytes, int sizeBytes) {
    /** What a reading may fetch; the stack of a program has 512 bytes. */
    static final int MAX_BYTES = 64;

    /** The groups of at least two; all other arguments are read one by one. */
    static List<FieldGroup> of(List<ArgumentSpec> arguments, ArgumentAccess access) {
        List<FieldGroup> groups = new ArrayList<>();
        List<Integer> rest = new ArrayList<>(IntStream.range(0, arguments.size())
                .filter(i -> isField(arguments.get(i), access))
                .boxed()
                .sorted(Comparator.comparingLong(i -> last(arguments.get(i))))
                .toList());
        while (!rest.isEmpty()) {
            ArgumentSpec first = arguments.get(rest.get(0));
            long from = Math.floorDiv(last(first), Long.BYTES) * Long.BYTES;
            List<Integer> together = rest.stream()
                    .filter(i ->
                            isBehindSamePointer(first, arguments.get(i)) && end(arguments.get(i)) - from <= MAX_BYTES)
                    .toList();
            rest.removeAll(together);
            if (together.size() > 1) {
                long end = together.stream()
                        .mapToLong(i -> end(arguments.get(i)))
                        .max()
                        .orElseThrow();
                groups.add(new FieldGroup(together.stream().sorted().toList(), from, (int) (end - from)));
            }
        }
        return groups;
    }

    /** A number in memory, aligned as the verifier requires of numbers on the stack. */
    private static boolean isField(ArgumentSpec argument, ArgumentAccess access) {
        return argument.isDereferenced()
                && !argument.atReturn()
                && !argument.type().isText()
                && argument.type().form() != Form.DECLARED
                && !argument.type().form().isOfLoop()
                && last(argument) % argument.type().capacityBytes() == 0
                && access.readability(argument) == Readability.ALWAYS;
    }

    private static boolean isBehindSamePointer(ArgumentSpec one, ArgumentSpec other) {
        return one.source().equals(other.source()) && one.addend() == other.addend() && way(one).equals(way(other));
    }

    /** The offsets of the pointers before the last. */
    private static List<Long> way(ArgumentSpec argument) {
        List<Long> offsets = argument.dereferenceOffsetsBytes();
        return offsets.subList(0, offsets.size() - 1);
    }

    static long last(ArgumentSpec argument) {
        List<Long> offsets = argument.dereferenceOffsetsBytes();
        return offsets.get(offsets.size() - 1);
    }

    private static long end(ArgumentSpec argument) {
        return last(argument) + argument.type().capacityBytes();
    }
}
