package dev.probestream.bpf.kernel;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.sys.Syscalls;
import java.util.Map;

/**
 * Counts the kill(2) calls that this process makes with signal 0, which changes nothing in the world. Owns its map and
 * its program.
 */
final class KillCounter implements AutoCloseable {
    private static final int KILL_NUMBER = System.getProperty("os.arch", "").equals("aarch64") ? 129 : 62;

    private final BpfMap hits = BpfMap.create(MapSpec.perCpuArray("kills", 8, 1));
    private final BpfProgram program;

    private KillCounter(ProgramType type, int systemCallNumberOffset) {
        ProgramSpec spec = new ProgramSpec(
                "kill_counter",
                type,
                AttachType.NONE,
                0,
                0,
                assemble(systemCallNumberOffset).assemble());
        program = BpfProgram.load(spec, Map.of("kills", hits));
    }

    /** For sys_enter as a raw tracepoint: its second argument is the system call's number. */
    static KillCounter forRawSysEnter() {
        return new KillCounter(ProgramType.RAW_TRACEPOINT, 8);
    }

    /** For syscalls:sys_enter_kill: the number lies behind the 8 bytes that begin every record. */
    static KillCounter forTracepoint() {
        return new KillCounter(ProgramType.TRACEPOINT, 8);
    }

    BpfProgram program() {
        return program;
    }

    long hits() {
        return hits.sumOfLongs(0);
    }

    static void kill(int times) {
        int self = (int) ProcessHandle.current().pid();
        for (int i = 0; i < times; i++) {
            Syscalls.check(Syscalls.kill(self, 0), "ask whether we are there");
        }
    }

    @Override
    public void close() {
        program.close();
        hits.close();
    }

    private static Assembler assemble(int systemCallNumberOffset) {
        Assembler program = new Assembler();
        int key = program.stackSlot(4);
        Label out = program.newLabel();
        return program.load(Width.DOUBLE_WORD, Register.R6, Register.R1, systemCallNumberOffset)
                .zeroExtend(Register.R6, Width.WORD)
                .jumpIf(Condition.NOT_EQUAL, Register.R6, KILL_NUMBER, out)
                .call(Helper.GET_CURRENT_PID_TGID)
                .shiftRight(Register.R0, 32)
                .jumpIf(
                        Condition.NOT_EQUAL,
                        Register.R0,
                        (int) ProcessHandle.current().pid(),
                        out)
                .storeImmediate(Width.WORD, Register.R10, key, 0)
                .mov(Register.R2, Register.R10)
                .add(Register.R2, key)
                .loadMap(Register.R1, "kills")
                .call(Helper.MAP_LOOKUP_ELEM)
                .jumpIf(Condition.EQUAL, Register.R0, 0, out)
                .mov(Register.R1, 1)
                .atomicAdd(Width.DOUBLE_WORD, Register.R0, 0, Register.R1)
                .bind(out)
                .mov(Register.R0, 0)
                .exit();
    }
}
