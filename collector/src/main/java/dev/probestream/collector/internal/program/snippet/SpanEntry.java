package dev.probestream.collector.internal.program.snippet;

import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import java.util.List;

/**
 * What the pairing map of a span holds while a call is open. The key names the call: recursion gives each its own stack
 * pointer, and a function that tail-calls another shares the stack pointer but not the probe.
 *
 * <pre>
 * key:    0  8  stackPointer  at the function's first instruction; 0 for a span between two probes
 *         8  4  tid
 *        12  4  probeId
 *         or, of a span by values of its two probes,
 *         0  8  for each value, without sign, in the width of the narrower of the two
 *        ..  8  tgid, if both probes are in user space
 * value:  the sample as {@link EventLayout} draws it up to entryEndOffset, durationNs -1;
 *         timestampNs is 0 while the entry is being written
 *         entryEndOffset.. 8 bytes for each register argument that an argument at return needs
 * </pre>
 *
 * @param layout of the samples
 * @param savedArguments the numbers of the register arguments that are kept, ascending
 * @param keySizeBytes of the key
 */
public record SpanEntry(EventLayout layout, List<Integer> savedArguments, int keySizeBytes) {
    public static final int KEY_SIZE_BYTES = 16;
    static final int KEY_STACK_POINTER_OFFSET = 0;
    static final int KEY_TID_OFFSET = 8;
    static final int KEY_PROBE_ID_OFFSET = 12;

    public SpanEntry {
        savedArguments = List.copyOf(savedArguments);
    }

    /**
     * The entry of a call.
     *
     * @param arguments those recorded and those that the filter looks at when the function returns
     */
    public static SpanEntry of(EventLayout layout, List<ArgumentSpec> arguments) {
        return new SpanEntry(
                layout,
                arguments.stream()
                        .filter(ArgumentSpec::atReturn)
                        .flatMap(argument -> ArgumentCode.sources(argument).stream())
                        .map(ArgumentSpec::source)
                        .filter(source -> source.kind() == ArgumentSource.Kind.ARGUMENT)
                        .map(ArgumentSource::number)
                        .distinct()
                        .sorted()
                        .toList(),
                KEY_SIZE_BYTES);
    }

    /** The entry of a span between two probes: what its end reads is the end's own. */
    public static SpanEntry ofPair(EventLayout layout, int keySizeBytes) {
        return new SpanEntry(layout, List.of(), keySizeBytes);
    }

    /** Where the value keeps a register argument. */
    public int savedOffset(int argumentNumber) {
        return layout.entryEndOffset() + savedArguments.indexOf(argumentNumber) * Long.BYTES;
    }

    /** The bits of the arguments that cannot be read at return when this one could not be kept. */
    public long bitsOf(int argumentNumber, List<ArgumentSpec> arguments) {
        long bits = 0;
        for (int i = 0; i < arguments.size(); i++) {
            ArgumentSpec argument = arguments.get(i);
            boolean needsIt = argument.atReturn()
                    && ArgumentCode.sources(argument).stream()
                            .anyMatch(source -> source.source().equals(ArgumentSource.argument(argumentNumber)));
            bits |= needsIt ? 1L << i : 0;
        }
        return bits;
    }

    public int valueSizeBytes() {
        return layout.entryEndOffset() + savedArguments.size() * Long.BYTES;
    }
}
