package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R8;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.OpenCall;
import dev.probestream.collector.internal.program.snippet.SpanKey;
import dev.probestream.collector.internal.program.snippet.StackCode;
import dev.probestream.collector.internal.program.snippet.access.SavedAccess;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Filter;
import dev.probestream.collector.probe.ReturnSpec;
import dev.probestream.schema.record.LossReason;
import java.util.List;
import java.util.Optional;

/**
 * Writes the program that makes a sample of a stored entry when its call returns or its pair ends. A return without
 * an entry (the call began before the probe was there, or the entry was counted as lost) is ignored. The entry is deleted
 * in any case.
 */
public final class SpanReturnProgram {
    /** Up to this many bytes are copied word by word, which is cheaper than calling the kernel for it. */
    private static final int MAX_COPIED_BY_WORDS = 192;

    private final Assembler assembler;
    private final RegisterTable registers;
    private final SpanKey key;
    private final TargetFilter filter;
    private final Fragments fragments;
    private final ArgumentCode argumentCode;
    private final String pairingMap;

    /**
     * @param argumentCode reading through {@link SavedAccess}, or what a pair has at its end
     */
    public SpanReturnProgram(
            Assembler assembler,
            RegisterTable registers,
            SpanKey key,
            TargetFilter filter,
            ArgumentCode argumentCode,
            String pairingMap) {
        this.assembler = assembler;
        this.registers = registers;
        this.key = key;
        this.filter = filter;
        this.fragments = new Fragments(assembler, filter);
        this.argumentCode = argumentCode;
        this.pairingMap = pairingMap;
    }

    public List<Instruction> write(
            List<Integer> probeIds,
            Optional<Filter> condition,
            List<ArgumentSpec> arguments,
            Optional<ReturnSpec> result,
            EventLayout layout) {
        Label ignored = assembler.newLabel();
        Label full = assembler.newLabel();
        Label delete = assembler.newLabel();
        int lossKeySlot = assembler.stackSlot(Integer.BYTES);
        OpenCall call = new OpenCall(assembler, filter, key, pairingMap, probeIds, ignored);
        argumentCode.ofThread(call.threadSlot());
        call.rejectUnless(condition, argumentCode, delete);
        argumentCode.prepare(arguments.stream().filter(ArgumentSpec::atReturn).toList());
        fragments.reserve(layout.sizeBytes(), full);
        copyEntry(layout);
        call.loadDuration();
        assembler.store(Width.DOUBLE_WORD, R7, EventLayout.DURATION_OFFSET, R1);
        result.ifPresent(returned -> {
            argumentCode.loadReturned(R1);
            ArgumentCode.extend(assembler, R1, returned.type());
            assembler.store(Width.DOUBLE_WORD, R7, layout.returnOffset(), R1);
        });
        assembler.load(Width.DOUBLE_WORD, R8, R9, EventLayout.UNAVAILABLE_OFFSET);
        for (int i = 0; i < arguments.size(); i++) {
            if (arguments.get(i).atReturn()) {
                argumentCode.read(arguments.get(i), i, layout.arguments().get(i), R7, 0);
            }
        }
        new StackCode(assembler, registers).read(layout.stacks());
        assembler.store(Width.DOUBLE_WORD, R7, EventLayout.UNAVAILABLE_OFFSET, R8);
        if (call.mayBeEndedByOthers()) {
            call.submitIfFirst();
            fragments.exit();
        } else {
            fragments.submit();
        }
        assembler.bind(delete);
        call.delete();
        assembler.bind(ignored);
        fragments.exit();
        assembler.bind(full);
        fragments.countLoss(LossReason.RING_FULL, call.probe(), lossKeySlot);
        assembler.jump(delete);
        return assembler.assemble();
    }

    private void copyEntry(EventLayout layout) {
        copyWords(0, EventLayout.DURATION_OFFSET);
        int sizeBytes = layout.entryEndOffset() - EventLayout.HEADER_SIZE_BYTES;
        if (sizeBytes <= MAX_COPIED_BY_WORDS) {
            copyWords(EventLayout.HEADER_SIZE_BYTES, layout.entryEndOffset());
        } else {
            assembler.mov(R1, R7).add(R1, EventLayout.HEADER_SIZE_BYTES).mov(R2, sizeBytes);
            assembler.mov(R3, R9).add(R3, EventLayout.HEADER_SIZE_BYTES);
            assembler.call(Helper.PROBE_READ_KERNEL); // cannot fail: both sides are the kernel's own
        }
    }

    private void copyWords(int fromOffset, int toOffset) {
        for (int offset = fromOffset; offset < toOffset; offset += Long.BYTES) {
            assembler.load(Width.DOUBLE_WORD, R1, R9, offset).store(Width.DOUBLE_WORD, R7, offset, R1);
        }
    }
}
