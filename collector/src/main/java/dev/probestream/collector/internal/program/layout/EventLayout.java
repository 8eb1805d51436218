package dev.probestream.collector.internal.program.layout;

import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ReturnSpec;
import dev.probestream.schema.record.EventKind;
import java.util.List;
import java.util.Optional;

/**
 * Where everything lies in the samples of one probe: drawn here once, written by its program, read by the decoder.
 * Every sample in the ring begins like this (little-endian, 8-aligned):
 *
 * <pre>
 * offset  size  field
 *      0     8  timestampNs   CLOCK_MONOTONIC; of a span its start
 *      8     4  tid           as the initial pid namespace numbers them
 *     12     4  tgid          8 to 15 together are what bpf_get_current_pid_tgid returns
 *     16     2  cpu           of a span the one it began on
 *     18     2  recordType    {@link RecordType#code}
 *     20     4  probeId       0 for the task lifecycle
 *     24     8  durationNs    -1 = none
 *     32     8  unavailable   bit i: argument i could not be read; bit 63: the returned value
 * </pre>
 *
 * and goes on, for {@link RecordType#EVENT}, with
 *
 * <pre>
 *     40        the arguments known at once, numbers first (see {@link ArgumentSlot})
 *  .. entryEndOffset: of a span, all of the above is what its pairing map holds while it is open
 *            8  returnValue   if the probe has one
 *               the arguments at return
 *            4  kernelStackBytes   s32, negative = could not be read   } only if a stack is asked for,
 *            4  userStackBytes     s32, likewise                       } each followed by
 *               u64 addresses of the kernel stack, leaf first, then of the user stack } the room for its depth
 *               {@link JavaScriptRoom}, where JavaScript frames are recorded
 * </pre>
 *
 * @param kind what an event of this sample is
 * @param arguments in the order of the probe's arguments
 * @param entryEndOffset where that part ends which is known when a function is entered
 * @param returnOffset of the returned value; -1 = there is none
 * @param stacks where the stacks lie
 * @param sizeBytes of the whole sample, a multiple of 8
 */
public record EventLayout(
        EventKind kind,
        List<ArgumentSlot> arguments,
        int entryEndOffset,
        int returnOffset,
        StackRoom stacks,
        int sizeBytes) {
    public static final int TIMESTAMP_OFFSET = 0;
    public static final int TID_OFFSET = 8;
    public static final int TGID_OFFSET = 12;
    public static final int CPU_OFFSET = 16;
    public static final int RECORD_TYPE_OFFSET = 18;
    public static final int PROBE_ID_OFFSET = 20;
    public static final int DURATION_OFFSET = 24;
    public static final int UNAVAILABLE_OFFSET = 32;
    public static final int HEADER_SIZE_BYTES = 40;

    /** The bit of {@code unavailable} that stands for the returned value. */
    public static final long RETURN_UNAVAILABLE = 1L << 63;

    public EventLayout {
        arguments = List.copyOf(arguments);
    }

    /** Lays out a sample; types must be known, none {@code DECLARED}. */
    public static EventLayout of(
            EventKind kind, List<ArgumentSpec> arguments, Optional<ReturnSpec> result, StackDepths stackDepths) {
        ArgumentSlot[] slots = new ArgumentSlot[arguments.size()];
        int offset = HEADER_SIZE_BYTES;
        offset = place(arguments, slots, false, false, offset);
        offset = place(arguments, slots, false, true, offset);
        int entryEndOffset = offset;
        int returnOffset = result.isPresent() ? offset : -1;
        offset += result.isPresent() ? Long.BYTES : 0;
        offset = place(arguments, slots, true, false, offset);
        offset = place(arguments, slots, true, true, offset);
        StackRoom stacks = new StackRoom(offset, stackDepths);
        return new EventLayout(kind, List.of(slots), entryEndOffset, returnOffset, stacks, offset + stacks.sizeBytes());
    }

    private static int place(
            List<ArgumentSpec> arguments, ArgumentSlot[] slots, boolean atReturn, boolean text, int firstOffset) {
        int offset = firstOffset;
        for (int i = 0; i < slots.length; i++) {
            ArgumentSpec argument = arguments.get(i);
            if (argument.atReturn() == atReturn && argument.type().isText() == text) {
                slots[i] = new ArgumentSlot(argument.type(), offset, atReturn);
                offset += ArgumentSlot.sizeBytes(argument.type());
            }
        }
        return offset;
    }
}
