package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R8;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.FilterCode;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.HitFieldCode;
import dev.probestream.collector.internal.program.snippet.ProbeNumber;
import dev.probestream.collector.internal.program.snippet.SpanEntry;
import dev.probestream.collector.internal.program.snippet.SpanKey;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.Filter;
import dev.probestream.collector.probe.FilterComparison;
import dev.probestream.schema.record.LossReason;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Writes the program at the entry of a call, or at the beginning of a pair, which stores an entry in the pairing map. How it is
 * stored, and what is counted as lost, is in C (src/main/bpf/spans.bpf.c, open_spans.h).
 *
 * <p>An entry of numbers only is built on the stack and stored whole. One with text is too large for that: zeros are stored,
 * and filled in the map.
 */
public final class SpanEntryProgram {
    /** Of each of the functions in C. */
    private static final int CALLED_STACK_BYTES = 32;

    /** What of the 512 bytes an entry on the stack may take; the rest is for keys and pointers. */
    private static final int MAX_ON_STACK_BYTES = 288;

    private static final int MAX_ON_STACK_OF_THREAD_BYTES = 96;

    private final Assembler assembler;
    private final SpanKey key;
    private final Fragments fragments;
    private final ArgumentCode argumentCode;
    private final String pairingMap;
    private final int lossKeySlot;
    private final int threadSlot;
    private final int keySlot;

    public SpanEntryProgram(
            Assembler assembler, SpanKey key, TargetFilter filter, ArgumentCode argumentCode, String pairingMap) {
        this.assembler = assembler;
        this.key = key;
        this.fragments = new Fragments(assembler, filter);
        this.argumentCode = argumentCode;
        this.pairingMap = pairingMap;
        this.lossKeySlot = assembler.stackSlot(Integer.BYTES);
        this.threadSlot = assembler.stackSlot(Long.BYTES);
        this.keySlot = assembler.stackSlot(key.sizeBytes());
    }

    public List<Instruction> write(
            List<Integer> probeIds, Optional<Filter> filter, List<ArgumentSpec> arguments, SpanEntry entry) {
        Label untraced = assembler.newLabel();
        Label unreadable = assembler.newLabel();
        Label rejected = key.isOfOneSpan() && filter.isPresent() ? assembler.newLabel() : untraced;
        assembler.mov(R6, R1);
        fragments.currentThread(threadSlot);
        fragments.rejectUntracedThread(threadSlot, untraced);
        ProbeNumber probe = ProbeNumber.ofProbes(assembler, probeIds, R6);
        fragments.countHit(probe, lossKeySlot);
        argumentCode.ofThread(threadSlot);
        if (key.isOfValues()) {
            // Before the filter, for what it rejects ends what was open under the key.
            key.writeValues(keySlot, threadSlot, unreadable);
        }
        filter.ifPresent(
                condition -> new FilterCode(assembler, argumentCode, HitFieldCode.atEntry(assembler, threadSlot))
                        .rejectUnless(condition, rejected));
        argumentCode.prepare(
                arguments.stream().filter(argument -> !argument.atReturn()).toList(),
                isBuiltOnStack(arguments, filter, entry) ? 0 : InstantProgram.WINDOWS_BYTES);
        entry.savedArguments().forEach(number -> argumentCode.prepare(List.of(register(number))));
        writeKeyOfThread(probe);
        if (isBuiltOnStack(arguments, filter, entry)) {
            onStack(arguments, entry, probe);
        } else {
            inPlace(arguments, entry, probe, untraced);
        }
        if (rejected != untraced) {
            assembler.jump(untraced);
            assembler.bind(rejected);
            writeKeyOfThread(probe);
            map();
            probe.load(R3);
            assembler.callFunction("reject_span", CALLED_STACK_BYTES);
        }
        if (key.isOfValues()) {
            assembler.jump(untraced);
            assembler.bind(unreadable);
            // No end can have the same key.
            fragments.countLoss(LossReason.RETURN_NOT_SEEN, probe, lossKeySlot);
        }
        assembler.bind(untraced);
        fragments.exit();
        return assembler.assemble();
    }

    private void writeKeyOfThread(ProbeNumber probe) {
        if (!key.isOfValues()) {
            key.write(keySlot, threadSlot, probe);
        }
    }

    public static boolean isBuiltOnStack(List<ArgumentSpec> arguments, Optional<Filter> filter, SpanEntry entry) {
        return filter.stream()
                        .allMatch(condition -> condition.comparisons().stream().noneMatch(FilterComparison::isOfText))
                && entry.valueSizeBytes() + entry.keySizeBytes()
                        <= maxOnStackBytes(arguments, filter) + SpanEntry.KEY_SIZE_BYTES
                && arguments.stream().noneMatch(argument -> argument.type().isText() && !argument.atReturn());
    }

    /** Finding the async context, or a stream of the thread's loop, takes room of its own. */
    private static int maxOnStackBytes(List<ArgumentSpec> arguments, Optional<Filter> filter) {
        boolean isOfThread = Stream.concat(
                        arguments.stream(), filter.stream().flatMap(condition -> condition.arguments().stream()))
                .anyMatch(ArgumentSpec::isOfThread);
        return isOfThread ? MAX_ON_STACK_OF_THREAD_BYTES : MAX_ON_STACK_BYTES;
    }

    /** Puts the map and the address of the key into the registers of a call. */
    private Assembler map() {
        return assembler.loadMap(R1, pairingMap).mov(R2, R10).add(R2, keySlot);
    }

    private void onStack(List<ArgumentSpec> arguments, SpanEntry entry, ProbeNumber probe) {
        int valueSlot = assembler.stackSlot(entry.valueSizeBytes());
        fill(R10, valueSlot, arguments, entry, probe);
        map().mov(R3, R10).add(R3, valueSlot);
        probe.load(R4);
        assembler.callFunction("begin_span", CALLED_STACK_BYTES);
    }

    private void inPlace(List<ArgumentSpec> arguments, SpanEntry entry, ProbeNumber probe, Label lost) {
        map();
        probe.load(R3);
        assembler.callFunction("begin_large_span", CALLED_STACK_BYTES).jumpIf(Condition.EQUAL, R0, 0, lost);
        assembler.mov(R7, R0);
        fill(R7, 0, arguments, entry, probe);
    }

    private static ArgumentSpec register(int number) {
        return ArgumentSpec.of("arg" + number, ArgumentSource.argument(number), ArgumentType.S64);
    }

    /** Writes the value; the time last, so that the span does not hold our own work. */
    private void fill(Register base, int baseOffset, List<ArgumentSpec> arguments, SpanEntry entry, ProbeNumber probe) {
        assembler.load(Width.DOUBLE_WORD, R1, R10, threadSlot);
        assembler.store(Width.DOUBLE_WORD, base, baseOffset + EventLayout.TID_OFFSET, R1);
        fragments.cpuTypeProbe(base, baseOffset, RecordType.EVENT, probe);
        assembler.storeImmediate(Width.DOUBLE_WORD, base, baseOffset + EventLayout.DURATION_OFFSET, -1);
        assembler.mov(R8, 0);
        argumentCode.readAll(arguments, entry.layout().arguments(), base, baseOffset);
        for (int number : entry.savedArguments()) {
            argumentCode.save(
                    register(number), entry.bitsOf(number, arguments), base, baseOffset + entry.savedOffset(number));
        }
        assembler.store(Width.DOUBLE_WORD, base, baseOffset + EventLayout.UNAVAILABLE_OFFSET, R8);
        assembler.call(Helper.KTIME_GET_NS);
        assembler.store(Width.DOUBLE_WORD, base, baseOffset + EventLayout.TIMESTAMP_OFFSET, R0);
    }
}
