package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R8;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import java.util.List;

/**
 * Writes the program that has the stream of a connection known before anything is written to it. When libuv is told that a connection may be
 * there, it asks with getsockopt(2) whether it is (libuv's src/unix/stream.c, uv__stream_connect). At that moment it still watches the
 * descriptor; behind it no longer, until the stream is read, and what Node calls then may write. Nothing is recorded.
 */
public final class ConnectedStreamProgram {
    /** The system call at whose return the program is. */
    public static final String SYSCALL = "getsockopt";

    private static final ArgumentSpec STREAM =
            ArgumentSpec.of("stream", ArgumentSource.argument(1), ArgumentType.number(ArgumentType.Form.UVSTREAM));

    private ConnectedStreamProgram() {}

    /**
     * The program.
     *
     * @param arguments those at the return of the system call
     */
    public static List<Instruction> write(Assembler assembler, TargetFilter filter, ArgumentCode arguments) {
        Label ignored = assembler.newLabel();
        Fragments fragments = new Fragments(assembler, filter);
        assembler.mov(R6, R1);
        int thread = fragments.currentThread();
        fragments.rejectUntracedThread(thread, ignored);
        arguments.rejectOthers(ignored);
        arguments.ofThread(thread);
        arguments.prepare(List.of(STREAM));
        int unused = assembler.stackSlot(Long.BYTES);
        assembler.mov(R8, 0);
        arguments.read(STREAM, 0, new ArgumentSlot(STREAM.type(), 0, false), R10, unused);
        assembler.bind(ignored);
        fragments.exit();
        return assembler.assemble();
    }
}
