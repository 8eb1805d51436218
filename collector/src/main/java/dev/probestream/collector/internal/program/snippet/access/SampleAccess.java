package dev.probestream.collector.internal.program.snippet.access;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Register;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ArgumentType.Form;
import java.util.List;

/**
 * The argument of a cpu sample: the time that it stands for, so that sums are right whatever the
 * frequency was.
 */
public final class SampleAccess implements ArgumentAccess {
    private static final long NS_PER_S = 1_000_000_000;

    private final Assembler assembler;
    private final int frequencyHz;

    public SampleAccess(Assembler assembler, int frequencyHz) {
        this.assembler = assembler;
        this.frequencyHz = frequencyHz;
    }

    public static List<ArgumentSpec> arguments() {
        return List.of(ArgumentSpec.of("period_ns", ArgumentSource.field("period_ns"), ArgumentType.number(Form.S64))
                .measuredIn("ns"));
    }

    @Override
    public void load(Register destination, ArgumentSpec argument) {
        assembler.loadImmediate64(destination, NS_PER_S / frequencyHz);
    }

    @Override
    public Memory memory(ArgumentSpec argument) {
        return Memory.KERNEL;
    }
}
