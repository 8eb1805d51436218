package dev.probestream.bpf.kernel;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import java.util.Map;

/**
 * Counts hits by cookie (where the method has none: all under index 0), and keeps the last return value register seen
 * under each. Owns its map and its program.
 */
final class CallCounter implements AutoCloseable {
    static final int INDEXES = 16;

    private final BpfMap hits;
    private final BpfMap results;
    private final BpfProgram program;

    CallCounter(UprobeAttachMethod method) {
        this(method, 0);
    }

    CallCounter(UprobeAttachMethod method, int flags) {
        hits = BpfMap.create(MapSpec.perCpuArray("hits", 8, INDEXES));
        results = BpfMap.create(MapSpec.array("results", 8, INDEXES));
        ProgramSpec spec = new ProgramSpec(
                "call_counter",
                ProgramType.KPROBE,
                method.attachType(),
                flags,
                0,
                assemble(method.hasCookies()).assemble());
        program = BpfProgram.load(spec, Map.of("hits", hits, "results", results));
    }

    BpfProgram program() {
        return program;
    }

    long hits(int index) {
        return hits.sumOfLongs(index);
    }

    long lastResult(int index) {
        return results.lookup(BpfMap.key(index)).orElseThrow().getLong();
    }

    @Override
    public void close() {
        program.close();
        results.close();
        hits.close();
    }

    private static Assembler assemble(boolean hasCookies) {
        RegisterTable registers = RegisterTable.ofJavaArchitecture(System.getProperty("os.arch", ""))
                .orElseThrow();
        Assembler program = new Assembler();
        int key = program.stackSlot(4);
        program.load(Width.DOUBLE_WORD, Register.R6, Register.R1, registers.returnValueOffset());
        if (hasCookies) {
            program.call(Helper.GET_ATTACH_COOKIE);
        } else {
            program.mov(Register.R0, 0);
        }
        program.store(Width.WORD, Register.R10, key, Register.R0);
        Label missing = program.newLabel();
        lookUp(program, "hits", key, missing);
        program.mov(Register.R1, 1).atomicAdd(Width.DOUBLE_WORD, Register.R0, 0, Register.R1);
        lookUp(program, "results", key, missing);
        program.store(Width.DOUBLE_WORD, Register.R0, 0, Register.R6);
        return program.bind(missing).mov(Register.R0, 0).exit();
    }

    private static void lookUp(Assembler program, String map, int key, Label missing) {
        program.loadMap(Register.R1, map)
                .mov(Register.R2, Register.R10)
                .add(Register.R2, key)
                .call(Helper.MAP_LOOKUP_ELEM)
                .jumpIf(Condition.EQUAL, Register.R0, 0, missing);
    }
}
