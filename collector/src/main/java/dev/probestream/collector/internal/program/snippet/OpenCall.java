package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.probe.Filter;
import java.util.List;
import java.util.Optional;

/**
 * Emits the code with which every program at a return begins: it finds the stored entry of the call, to which R9
 * points from then on.
 */
public final class OpenCall {
    /** Of the function in C. */
    private static final int CALLED_STACK_BYTES = 32;

    private final Assembler assembler;
    private final Fragments fragments;
    private final String pairingMap;
    private final int timeSlot;
    private final int keySlot;
    private final int threadSlot;
    private final ProbeNumber probe;
    private final boolean isOfValues;

    /** @param none where to go when no entry was stored, or the thread is not to be recorded */
    public OpenCall(
            Assembler assembler,
            TargetFilter filter,
            SpanKey key,
            String pairingMap,
            List<Integer> probeIds,
            Label none) {
        this.assembler = assembler;
        this.fragments = new Fragments(assembler, filter);
        this.pairingMap = pairingMap;
        this.timeSlot = assembler.stackSlot(Long.BYTES);
        this.keySlot = assembler.stackSlot(key.sizeBytes());
        this.isOfValues = key.isOfValues();

        assembler.mov(R6, R1);
        this.threadSlot = fragments.currentThread();
        if (filter.mode() == TargetFilter.Mode.ONE_PROCESS && !isOfValues) {
            // Otherwise the look-up of the entry is the filter: only recorded processes have any. A span by values may
            // end on any thread, also in an interrupt of another process.
            fragments.rejectUntracedThread(threadSlot, none);
        }
        // First of all, so that the duration does not hold our own work.
        assembler.call(Helper.KTIME_GET_NS).store(Width.DOUBLE_WORD, R10, timeSlot, R0);
        this.probe = ProbeNumber.ofProbes(assembler, probeIds, R6);
        if (isOfValues) {
            key.writeValues(keySlot, threadSlot, none);
        } else {
            key.write(keySlot, threadSlot, probe);
        }
        fragments.lookup(pairingMap, keySlot);
        assembler.jumpIf(Condition.EQUAL, R0, 0, none);
        assembler.mov(R9, R0);
        if (isOfValues) {
            // 0 while another thread writes the entry: this hit is not its end.
            assembler.load(Width.DOUBLE_WORD, R1, R9, EventLayout.TIMESTAMP_OFFSET);
            assembler.jumpIf(Condition.EQUAL, R1, 0, none);
        }
    }

    /** Jumps unless the call passes. */
    public void rejectUnless(Optional<Filter> condition, ArgumentCode argumentCode, Label rejected) {
        condition.ifPresent(filter -> new FilterCode(
                        assembler, argumentCode, HitFieldCode.atReturn(assembler, threadSlot, timeSlot))
                .rejectUnless(filter, rejected));
    }

    /** Puts the nanoseconds from entry to return into R1; may lose R2. */
    public void loadDuration() {
        assembler.load(Width.DOUBLE_WORD, R1, R10, timeSlot);
        assembler.load(Width.DOUBLE_WORD, R2, R9, EventLayout.TIMESTAMP_OFFSET);
        assembler.sub(R1, R2);
        if (isOfValues) {
            // A begin on another thread may have read the clock after this hit did, and -1 means no duration.
            Label isPositive = assembler.newLabel();
            assembler.jumpIf(Condition.SIGNED_GREATER_OR_EQUAL, R1, 0, isPositive);
            assembler.mov(R1, 0);
            assembler.bind(isPositive);
        }
    }

    /** Whether another thread may end the same span: after {@link #delete} R0 is 0 only on the one that has ended it. */
    public boolean mayBeEndedByOthers() {
        return isOfValues;
    }

    /** Deletes the entry: R9 points to nothing then. */
    public void delete() {
        fragments.delete(pairingMap, keySlot);
    }

    /** Deletes the entry, and submits the sample at R7 if no other thread has deleted it before. */
    public void submitIfFirst() {
        assembler.loadMap(R1, pairingMap).mov(R2, R10).add(R2, keySlot).mov(R3, R7);
        assembler.callFunction("end_shared_span", CALLED_STACK_BYTES);
    }

    public int threadSlot() {
        return threadSlot;
    }

    public ProbeNumber probe() {
        return probe;
    }
}
