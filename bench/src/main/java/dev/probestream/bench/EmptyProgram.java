package dev.probestream.bench;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.kernel.BpfProgram;
import dev.probestream.bpf.kernel.Link;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.kernel.UprobeMeans;
import dev.probestream.bpf.kernel.UprobeSite;
import dev.probestream.bpf.kernel.Uprobes;
import java.io.IOException;
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
    static EmptyProgram attach(Target target, boolean isReturn) {
        return attach(target.site(0), isReturn, target.pid());
    }

    /** Attaches it to the target's USDT probe. */
    static EmptyProgram attachToMark(Target target) throws IOException {
        return attach(target.markSite(), false, target.pid());
    }

    private static EmptyProgram attach(UprobeSite site, boolean isReturn, int pid) {
        UprobeMeans means = UprobeMeans.best();
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
