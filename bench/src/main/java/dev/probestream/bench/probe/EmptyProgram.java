package dev.probestream.bench.probe;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.kernel.AttachPoint;
import dev.probestream.bpf.kernel.BpfProgram;
import dev.probestream.bpf.kernel.Link;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.bpf.kernel.Uprobes;
import java.util.List;
import java.util.Map;

/** A program that does nothing, attached to the target's function: the kernel's own price of a hit. */
final class EmptyProgram implements Link {
    private final BpfProgram program;
    private final Link link;

    private EmptyProgram(BpfProgram program, Link link) {
        this.program = program;
        this.link = link;
    }

    /**
     * Attaches it.
     *
     * @param isReturn where the function returns, instead of where it begins
     */
    static EmptyProgram attach(TargetProgram target, boolean isReturn) {
        return attach(target.site(0), isReturn, target.pid());
    }

    private static EmptyProgram attach(AttachPoint site, boolean isReturn, int pid) {
        UprobeAttachMethod means = UprobeAttachMethod.best();
        ProgramSpec spec = new ProgramSpec(
                "bench_empty",
                ProgramType.KPROBE,
                means.attachType(),
                0,
                0,
                new Assembler().mov(Register.R0, 0).exit().assemble());
        BpfProgram program = BpfProgram.load(spec, Map.of());
        Link link = Uprobes.attach(means, program, List.of(site), isReturn, pid);
        return new EmptyProgram(program, link);
    }

    @Override
    public void close() {
        link.close();
        program.close();
    }
}
