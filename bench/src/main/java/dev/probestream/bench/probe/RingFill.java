package dev.probestream.bench.probe;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.kernel.BpfProgram;
import dev.probestream.bpf.kernel.Link;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.bpf.kernel.Uprobes;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * A kernel's ring buffer and a probe that fills it: each call of the target adds a record of {@link #RECORD_BYTES}, in
 * which the u64 at byte {@link #NUMBER_OFFSET} is the number of the call.
 */
public final class RingFill implements AutoCloseable {
    static final int RECORD_BYTES = 112;
    static final int NUMBER_OFFSET = 8;
    private static final int RECORD_AND_HEADER_BYTES = RECORD_BYTES + 8;
    /** linux/bpf.h. */
    private static final int BPF_RB_NO_WAKEUP = 1;

    private final BpfMap map;
    private final BpfProgram program;
    private final Link link;
    private final TargetProgram target;

    private RingFill(BpfMap map, BpfProgram program, Link link, TargetProgram target) {
        this.map = map;
        this.program = program;
        this.link = link;
        this.target = target;
    }

    /** Probes the target, which stays the caller's. */
    public static RingFill attach(TargetProgram target, int ringSizeBytes) {
        UprobeAttachMethod means = UprobeAttachMethod.best();
        BpfMap map = BpfMap.create(MapSpec.ringBuffer("bench_ring", ringSizeBytes));
        ProgramSpec spec = new ProgramSpec(
                "bench_fill",
                ProgramType.KPROBE,
                means.attachType(),
                0,
                0,
                instructions(map.spec().name()));
        BpfProgram program = BpfProgram.load(spec, Map.of(map.spec().name(), map));
        Link link = Uprobes.attach(means, program, List.of(target.site(0)), false, target.pid());
        return new RingFill(map, program, link, target);
    }

    public BpfMap map() {
        return map;
    }

    /** How many records fit. */
    public int capacity() {
        return map.spec().maxEntries() / RECORD_AND_HEADER_BYTES;
    }

    /** Has the target call until the ring, which was empty, is full. */
    public void fill() throws IOException {
        target.call(capacity());
    }

    @Override
    public void close() {
        link.close();
        program.close();
        map.close();
    }

    private static List<Instruction> instructions(String ring) {
        RegisterTable registers = RegisterTable.ofJavaArchitecture(System.getProperty("os.arch"))
                .orElseThrow(() -> new IllegalStateException("no table of this machine's registers"));
        Assembler assembler = new Assembler();
        Label full = assembler.newLabel();
        assembler.mov(R6, R1);
        assembler.loadMap(R1, ring).mov(R2, RECORD_BYTES).mov(R3, 0).call(Helper.RINGBUF_RESERVE);
        assembler.jumpIf(Condition.EQUAL, R0, 0, full);
        assembler.mov(R7, R0);
        assembler.load(Width.DOUBLE_WORD, R1, R6, registers.argumentOffset(1));
        for (int offset = 0; offset < RECORD_BYTES; offset += Long.BYTES) {
            assembler.store(Width.DOUBLE_WORD, R7, offset, R1);
        }
        assembler.mov(R1, R7).mov(R2, BPF_RB_NO_WAKEUP).call(Helper.RINGBUF_SUBMIT);
        return assembler.bind(full).mov(R0, 0).exit().assemble();
    }
}
