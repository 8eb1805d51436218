package dev.probestream.bpf.kernel;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import java.util.Map;

/**
 * Counts the kill(2) calls that this process makes with signal 0, which changes nothing in the world. Owns its map and
 * its program.
 */
final class KillCounter implements AutoCloseable {
    private static final int KILL_NUMBER = System.getProperty("os.arch", "").equals("aarch64") ? 129 : 62;

    /**
     * Where the context has the system call's number: the second u64 of sys_enter as a raw tracepoint, and what follows
     * the 8 bytes that begin every record of a tracepoint by perf event.
     */
    private static final int SYSTEM_CALL_NUMBER_OFFSET = 8;

    private final BpfMap hits = BpfMap.create(MapSpec.perCpuArray("kills", 8, 1));
    private final BpfProgram program;

    private KillCounter(ProgramType type, AttachType attachType, int attachBtfId) {
        ProgramSpec spec = new ProgramSpec(
                "kill_counter", type, attachType, 0, attachBtfId, assemble().assemble());
        program = BpfProgram.load(spec, Map.of("kills", hits));
    }

    static KillCounter forRawSysEnter() {
        return new KillCounter(ProgramType.RAW_TRACEPOINT, AttachType.NONE, 0);
    }

    static KillCounter forTracepoint() {
        return new KillCounter(ProgramType.TRACEPOINT, AttachType.NONE, 0);
    }

    /** @param sysEnter the BTF id of btf_trace_sys_enter */
    static KillCounter forTypedSysEnter(int sysEnter) {
        return new KillCounter(ProgramType.TRACING, AttachType.TRACE_RAW_TP, sysEnter);
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

    private static Assembler assemble() {
        Assembler program = new Assembler();
        int key = program.stackSlot(4);
        Label out = program.newLabel();
        return program.load(Width.DOUBLE_WORD, Register.R6, Register.R1, SYSTEM_CALL_NUMBER_OFFSET)
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
