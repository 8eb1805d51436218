package dev.probestream.bpf.kernel;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.map.BpfMap;
import java.util.Map;

/**
 * Runs an assembled program once in the kernel, attached to nothing (BPF_PROG_TEST_RUN for raw tracepoints, since
 * 5.10).
 */
public final class TestRun {
    private static final int BPF_PROG_TEST_RUN = 10;

    private TestRun() {}

    /** A program that can be run so. */
    public static ProgramSpec spec(String name, Assembler program) {
        return new ProgramSpec(name, ProgramType.RAW_TRACEPOINT, AttachType.NONE, 0, 0, program.assemble());
    }

    /** The lower 32 bits of the program's result; its context is {@code u64[] arguments}. */
    static int of(Assembler program, Map<String, BpfMap> maps, long... arguments) {
        try (BpfProgram loaded = BpfProgram.load(spec("test_run", program), maps)) {
            return run(loaded, arguments);
        }
    }

    /** The same of a program that is loaded. */
    public static int run(BpfProgram program, long... arguments) {
        NativeMemory attr = NativeMemory.allocate(80)
                .putInt(0, program.descriptorNumber())
                .putInt(40, arguments.length * Long.BYTES);
        if (arguments.length > 0) {
            attr.putPointer(48, NativeMemory.ofLongs(arguments));
        }
        Syscalls.check(Syscalls.bpf(BPF_PROG_TEST_RUN, attr), "test-run " + program);
        return attr.getInt(4);
    }
}
