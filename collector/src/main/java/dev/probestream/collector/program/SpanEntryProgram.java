package dev.probestream.collector.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R8;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.probe.ArgumentCondition;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.schema.record.LossReason;
import java.util.List;
import java.util.Optional;

/**
 * Writes the program that notes the entry of a call in the pairing map.
 *
 * <p>An entry of numbers only is built on the stack and put into the map. One with text is too large for that: a value
 * of zeros is put into the map, looked up, and filled in place. (A per-CPU scratch would be torn: uprobe programs can
 * be preempted and may sleep.)
 */
final class SpanEntryProgram {
    /** What of the 512 bytes an entry on the stack may take; the rest is for keys and pointers. */
    private static final int MAX_ON_STACK_BYTES = 320;

    private final Assembler assembler;
    private final RegisterTable registers;
    private final Fragments fragments;
    private final ArgumentCode argumentCode;
    private final String pairingMap;
    private final int lossKeySlot;
    private final int threadSlot;
    private final int keySlot;
    private final PairingCode pairing;

    SpanEntryProgram(
            Assembler assembler,
            RegisterTable registers,
            TargetFilter filter,
            ArgumentCode argumentCode,
            String pairingMap) {
        this.assembler = assembler;
        this.registers = registers;
        this.fragments = new Fragments(assembler, filter);
        this.argumentCode = argumentCode;
        this.pairingMap = pairingMap;
        this.lossKeySlot = assembler.stackSlot(Integer.BYTES);
        this.threadSlot = assembler.stackSlot(Long.BYTES);
        this.keySlot = assembler.stackSlot(SpanEntry.KEY_SIZE_BYTES);
        this.pairing = new PairingCode(assembler, fragments, pairingMap, keySlot, lossKeySlot);
    }

    List<Instruction> write(
            List<Integer> probeIds,
            Optional<ArgumentCondition> condition,
            List<ArgumentSpec> arguments,
            SpanEntry entry) {
        Label foreign = assembler.newLabel();
        assembler.mov(R6, R1);
        fragments.currentThread(threadSlot);
        fragments.rejectForeignThread(threadSlot, foreign);
        condition.ifPresent(wanted -> argumentCode.rejectUnless(wanted, foreign));
        ProbeNumber probe = ProbeNumber.ofProbes(assembler, probeIds, R6);
        key(assembler, registers, keySlot, threadSlot, 0, probe);
        if (isBuiltOnStack(arguments, entry)) {
            onStack(arguments, entry, probe);
        } else {
            inPlace(arguments, entry, probe);
        }
        assembler.bind(foreign);
        fragments.exit();
        return assembler.assemble();
    }

    static boolean isBuiltOnStack(List<ArgumentSpec> arguments, SpanEntry entry) {
        return entry.valueSizeBytes() <= MAX_ON_STACK_BYTES
                && arguments.stream().noneMatch(argument -> argument.type().isText() && !argument.atReturn());
    }

    /** Writes the key of the running call to the stack. */
    static void key(
            Assembler assembler,
            RegisterTable registers,
            int keySlot,
            int threadSlot,
            int stackPointerRiseBytes,
            ProbeNumber probe) {
        assembler.load(Width.DOUBLE_WORD, R1, R6, registers.stackPointerOffset());
        if (stackPointerRiseBytes != 0) {
            assembler.sub(R1, stackPointerRiseBytes);
        }
        assembler.store(Width.DOUBLE_WORD, R10, keySlot + SpanEntry.KEY_STACK_POINTER_OFFSET, R1);
        assembler.load(Width.WORD, R1, R10, threadSlot);
        assembler.store(Width.WORD, R10, keySlot + SpanEntry.KEY_TID_OFFSET, R1);
        probe.store(R10, keySlot + SpanEntry.KEY_PROBE_ID_OFFSET);
    }

    private void onStack(List<ArgumentSpec> arguments, SpanEntry entry, ProbeNumber probe) {
        int valueSlot = assembler.stackSlot(entry.valueSizeBytes());
        fill(R10, valueSlot, arguments, entry, probe);
        Label noted = assembler.newLabel();
        pairing.put(() -> assembler.mov(R3, R10).add(R3, valueSlot), probe, noted);
        assembler.bind(noted);
    }

    private void inPlace(List<ArgumentSpec> arguments, SpanEntry entry, ProbeNumber probe) {
        Label noted = assembler.newLabel();
        Label done = assembler.newLabel();
        Label gone = assembler.newLabel();
        Runnable zeros = () -> {
            assembler.storeImmediate(Width.WORD, R10, lossKeySlot, 0);
            fragments.lookup(MapNames.ZERO, lossKeySlot);
            assembler.jumpIf(Condition.EQUAL, R0, 0, gone);
            assembler.mov(R3, R0);
        };
        pairing.put(zeros, probe, noted);
        assembler.jump(done);
        assembler.bind(noted);
        fragments.lookup(pairingMap, keySlot);
        assembler.jumpIf(Condition.EQUAL, R0, 0, gone);
        assembler.mov(R7, R0);
        fill(R7, 0, arguments, entry, probe);
        assembler.jump(done);
        assembler.bind(gone); // cannot be: the key is this thread's own. But the verifier wants it said.
        fragments.countLoss(LossReason.TOO_MANY_OPEN_SPANS, probe, lossKeySlot);
        assembler.bind(done);
    }

    /** Writes the value; the time last, so that the span does not hold our own work. */
    private void fill(Register base, int baseOffset, List<ArgumentSpec> arguments, SpanEntry entry, ProbeNumber probe) {
        assembler.load(Width.DOUBLE_WORD, R1, R10, threadSlot);
        assembler.store(Width.DOUBLE_WORD, base, baseOffset + EventLayout.TID_OFFSET, R1);
        fragments.cpuFormProbe(base, baseOffset, SampleForm.EVENT, probe);
        assembler.storeImmediate(Width.DOUBLE_WORD, base, baseOffset + EventLayout.DURATION_OFFSET, -1);
        assembler.mov(R8, 0);
        for (int i = 0; i < arguments.size(); i++) {
            if (!arguments.get(i).atReturn()) {
                argumentCode.read(
                        arguments.get(i), i, entry.layout().arguments().get(i), base, baseOffset);
            }
        }
        assembler.store(Width.DOUBLE_WORD, base, baseOffset + EventLayout.UNAVAILABLE_OFFSET, R8);
        for (int number : entry.savedArguments()) {
            assembler.load(Width.DOUBLE_WORD, R1, R6, registers.argumentOffset(number));
            assembler.store(Width.DOUBLE_WORD, base, baseOffset + entry.savedOffset(number), R1);
        }
        assembler.call(Helper.KTIME_GET_NS);
        assembler.store(Width.DOUBLE_WORD, base, baseOffset + EventLayout.TIMESTAMP_OFFSET, R0);
    }
}
