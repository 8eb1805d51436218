package dev.probestream.collector.internal.program.snippet.histogram;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R8;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.internal.program.layout.histogram.HistogramKeyPart;
import dev.probestream.collector.internal.program.layout.histogram.HistogramLayout;
import dev.probestream.collector.internal.program.layout.histogram.HistogramValue;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.ProbeNumber;
import dev.probestream.schema.record.LossReason;
import java.util.Optional;

/** Emits the code that builds a key on the stack and counts one up under it (src/main/bpf/histogram.bpf.c). */
public final class HistogramKeyCode {
    /** Of each function in C but hash_stacks(). */
    static final int CALLED_STACK_BYTES = 32;

    private final Assembler assembler;
    private final Fragments fragments;
    private final HistogramLayout layout;
    private final Optional<HistogramStackCode> stack;
    private final Optional<HistogramSumsCode> sums;
    private final int keySlot;

    public HistogramKeyCode(Assembler assembler, Fragments fragments, ProgramOptions options, HistogramLayout layout) {
        this.assembler = assembler;
        this.fragments = fragments;
        this.layout = layout;
        this.stack = layout.stack().map(each -> new HistogramStackCode(assembler, fragments, options, each));
        this.sums = layout.sums().map(each -> new HistogramSumsCode(assembler, fragments, layout, each));
        this.keySlot = assembler.stackSlot(layout.sizeBytes());
    }

    /** Where on the stack the key lies. */
    public int slot() {
        return keySlot;
    }

    /** Makes all of it zeros: equal texts are equal keys only when what follows them is the same. */
    public void clear() {
        for (int offset = 0; offset < layout.sizeBytes(); offset += Long.BYTES) {
            assembler.storeImmediate(Width.DOUBLE_WORD, R10, keySlot + offset, 0);
        }
    }

    /** Writes a part that is no argument. */
    public void write(HistogramKeyPart part, int threadSlot, ProbeNumber probe, Runnable cpuToR0) {
        int offset = keySlot + part.slot().offset();
        switch (part.source()) {
            case TID, PID -> {
                int half = part.source() == HistogramKeyPart.Source.TID ? 0 : Integer.BYTES;
                assembler.load(Width.WORD, R1, R10, threadSlot + half);
                assembler.store(Width.DOUBLE_WORD, R10, offset, R1);
            }
            case CPU -> {
                cpuToR0.run();
                assembler.store(Width.DOUBLE_WORD, R10, offset, R0);
            }
            case COMM -> {
                assembler
                        .mov(R1, R10)
                        .add(R1, offset)
                        .mov(R2, part.slot().type().capacityBytes());
                assembler.call(Helper.GET_CURRENT_COMM);
            }
            case PROBE -> probe.store(R10, offset);
            case STACK -> {} // at the end, when it takes all registers
            case COMPUTED -> {} // when the arguments in it have been read
            case ARGUMENT -> throw new IllegalArgumentException(part.name() + " is an argument");
        }
    }

    /** Writes what could not be read (R8), the parts that are computed, and the bucket of the value. */
    public void writeValues(HistogramValueCode values) {
        assembler.store(Width.DOUBLE_WORD, R10, keySlot + HistogramLayout.UNREADABLE_OFFSET, R8);
        for (HistogramKeyPart part : layout.parts()) {
            part.computed().ifPresent(value -> {
                Label unreadable = assembler.newLabel();
                jumpIfUnreadable(value, unreadable);
                values.load(value);
                assembler.store(Width.DOUBLE_WORD, R10, keySlot + part.slot().offset(), R1);
                assembler.bind(unreadable);
            });
        }
        Label found = assembler.newLabel();
        assembler.mov(R2, Bucketing.UNREADABLE);
        jumpIfUnreadable(layout.value(), found);
        values.load(layout.value());
        sums.ifPresent(HistogramSumsCode::keepValue);
        new BucketCode(assembler, layout.bucketing()).find(layout.value().isSigned());
        assembler.bind(found);
        assembler.store(Width.DOUBLE_WORD, R10, keySlot + HistogramLayout.BUCKET_OFFSET, R2);
    }

    /** Loses R3. */
    private void jumpIfUnreadable(HistogramValue value, Label unreadable) {
        if (value.argumentBits() != 0) {
            assembler.loadImmediate64(R3, value.argumentBits()).and(R3, R8);
            assembler.jumpIf(Condition.NOT_EQUAL, R3, 0, unreadable);
        }
    }

    /**
     * Counts one up under the key, whose other parts have been written; counts a loss when there is no room for a new one, or
     * for a new stack. R6 = the context; loses all registers.
     *
     * @param threadSlot where on the stack the running thread's ids stand
     */
    public void count(int threadSlot, ProbeNumber probe, int lossKeySlot) {
        Label done = assembler.newLabel();
        Label full = assembler.newLabel();
        stack.ifPresent(code -> code.write(threadSlot, probe, keySlot, full));
        if (sums.isPresent()) {
            sums.get().add(keySlot, full);
        } else {
            assembler.loadMap(R1, layout.mapName()).mov(R2, R10).add(R2, keySlot);
            assembler.callFunction("count_key", CALLED_STACK_BYTES).jumpIf(Condition.NOT_EQUAL, R0, 0, full);
        }
        assembler.jump(done);
        assembler.bind(full);
        fragments.countLoss(LossReason.RING_FULL, probe, lossKeySlot);
        assembler.bind(done);
    }
}
