package dev.probestream.bpf.ring;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.kernel.AttachPoint;
import dev.probestream.bpf.kernel.BpfProgram;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.bpf.kernel.UprobeAttachment;
import dev.probestream.bpf.kernel.Uprobes;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import java.util.List;
import java.util.Map;

/**
 * Sends one sample for each call of the fixture's {@code tick(n)}, and counts those that found no room.
 *
 * <pre>
 * sample  0  8  n
 *         8  8  tgid and tid, as get_current_pid_tgid gives them
 *        16  8  n once more, inverted: a torn sample would not match
 * </pre>
 */
final class TickProgram implements AutoCloseable {
    static final int SAMPLE_BYTES = 24;
    private static final int BPF_RB_NO_WAKEUP = 1;
    private static final int BPF_RB_FORCE_WAKEUP = 2;

    private final BpfMap events;
    private final BpfMap losses = BpfMap.create(MapSpec.perCpuArray("losses", 8, 1));
    private final BpfProgram program;
    private final UprobeAttachment attachment;

    /** @param discardsOdd discard the samples of odd n instead of submitting them */
    TickProgram(CProgram calls, CProgram.Running process, int ringBytes, boolean discardsOdd) throws Exception {
        this(calls, process, ringBytes, discardsOdd, false);
    }

    /** @param wakes whether each sample wakes who waits for it */
    TickProgram(CProgram calls, CProgram.Running process, int ringBytes, boolean discardsOdd, boolean wakes)
            throws Exception {
        UprobeAttachMethod method = UprobeAttachMethod.best();
        events = BpfMap.create(MapSpec.ringBuffer("events", ringBytes));
        ProgramSpec spec = new ProgramSpec(
                "ticks",
                ProgramType.KPROBE,
                method.attachType(),
                0,
                0,
                assemble(discardsOdd, wakes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP)
                        .assemble());
        program = BpfProgram.load(spec, Map.of("events", events, "losses", losses));
        AttachPoint attachPoint = new AttachPoint(calls.executable(), calls.functionOffset("tick"), 0, 0);
        attachment = Uprobes.attach(method, program, List.of(attachPoint), false, process.pid());
    }

    BpfMap events() {
        return events;
    }

    long lost() {
        return losses.sumOfLongs(0);
    }

    @Override
    public void close() {
        attachment.close();
        program.close();
        losses.close();
        events.close();
    }

    private static Assembler assemble(boolean discardsOdd, int submitFlags) {
        int firstArgument = RegisterTable.ofJavaArchitecture(System.getProperty("os.arch", ""))
                .orElseThrow()
                .argumentOffset(1);
        Assembler program = new Assembler();
        Label lost = program.newLabel();
        Label discard = program.newLabel();
        Label out = program.newLabel();
        program.load(Width.DOUBLE_WORD, Register.R6, Register.R1, firstArgument)
                .loadMap(Register.R1, "events")
                .mov(Register.R2, SAMPLE_BYTES)
                .mov(Register.R3, 0)
                .call(Helper.RINGBUF_RESERVE)
                .jumpIf(Condition.EQUAL, Register.R0, 0, lost)
                .mov(Register.R7, Register.R0)
                .store(Width.DOUBLE_WORD, Register.R7, 0, Register.R6)
                .call(Helper.GET_CURRENT_PID_TGID)
                .store(Width.DOUBLE_WORD, Register.R7, 8, Register.R0)
                .mov(Register.R1, Register.R6)
                .xor(Register.R1, -1)
                .store(Width.DOUBLE_WORD, Register.R7, 16, Register.R1)
                .mov(Register.R1, Register.R7)
                .mov(Register.R2, submitFlags);
        if (discardsOdd) {
            program.jumpIf(Condition.BITS_SET, Register.R6, 1, discard);
        }
        program.call(Helper.RINGBUF_SUBMIT).jump(out);
        if (discardsOdd) {
            program.bind(discard).call(Helper.RINGBUF_DISCARD).jump(out);
        }
        countLoss(program.bind(lost), out);
        return program.bind(out).mov(Register.R0, 0).exit();
    }

    private static void countLoss(Assembler program, Label out) {
        int key = program.stackSlot(4);
        program.storeImmediate(Width.WORD, Register.R10, key, 0)
                .mov(Register.R2, Register.R10)
                .add(Register.R2, key)
                .loadMap(Register.R1, "losses")
                .call(Helper.MAP_LOOKUP_ELEM)
                .jumpIf(Condition.EQUAL, Register.R0, 0, out)
                .mov(Register.R1, 1)
                .atomicAdd(Width.DOUBLE_WORD, Register.R0, 0, Register.R1);
    }
}
