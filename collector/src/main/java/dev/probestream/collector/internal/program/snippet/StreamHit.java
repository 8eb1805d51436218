package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R8;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout;
import dev.probestream.collector.internal.program.layout.StreamHitLayout;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.List;
import java.util.Optional;

/**
 * Emits the code with which every program of streams begins: it ignores hits that are not to be recorded, counts the others,
 * and writes to the stack what the functions in C take ({@link StreamHitLayout}).
 */
public final class StreamHit {
    /** What libuv makes of the end, where read(2) returns 0 (uv/errno.h). */
    private static final int UV_EOF = -4095;

    /** Of bytes_read_from(). */
    private static final int READ_STACK_BYTES = 32;

    private final Assembler assembler;
    private final ArgumentCode argumentCode;
    private final ProbeSpec spec;
    private final Label ignored;
    private final int slot;
    private final int threadSlot;
    private final ProbeNumber probe;
    /** Whether the hit is at the return of a system call, which tells how many bytes it has written or read. */
    private final boolean isReturn;

    /** @param ignored where to go when the hit is not to be recorded, or an argument cannot be read */
    public StreamHit(
            Assembler assembler,
            TargetFilter filter,
            ArgumentCode argumentCode,
            List<Integer> probeIds,
            ProbeSpec spec,
            int lossKeySlot,
            Label ignored) {
        this.assembler = assembler;
        this.argumentCode = argumentCode;
        this.spec = spec;
        this.ignored = ignored;
        this.slot = assembler.stackSlot(StreamHitLayout.SIZE_BYTES);
        this.isReturn = spec.kind().isOneSyscall();

        Fragments fragments = new Fragments(assembler, filter);
        assembler.mov(R6, R1);
        this.threadSlot = fragments.currentThread();
        argumentCode.ofThread(threadSlot);
        fragments.rejectUntracedThread(threadSlot, ignored);
        argumentCode.rejectOthers(ignored);
        this.probe = ProbeNumber.ofProbes(assembler, probeIds, R6);
        fragments.countHit(probe, lossKeySlot);
        spec.filter()
                .ifPresent(condition -> new FilterCode(
                                assembler, argumentCode, HitFieldCode.atEntry(assembler, threadSlot))
                        .rejectUnless(condition, ignored));
    }

    /** Whether the hit is at the return of a system call. */
    public boolean isAtReturn() {
        return isReturn;
    }

    /** Whether the probe is hit by bytes above TLS. */
    public boolean isAboveTls() {
        return argument(StreamBytesLayout.TLS).isPresent();
    }

    /** Puts the descriptor, by which a system call has its stream, into a register. */
    public void descriptor(Register destination) {
        ArgumentSpec stream = argument(StreamBytesLayout.STREAM).orElseThrow();
        argumentCode.loadPlain(destination, stream);
    }

    /** Writes the key of the stream whose address the argument is. */
    public void writeStream(String argument) {
        write(argument, StreamHitLayout.STREAM_OFFSET);
        assembler.load(Width.WORD, R1, R10, threadSlot + Integer.BYTES);
        assembler.store(
                Width.DOUBLE_WORD, R10, slot + StreamHitLayout.STREAM_OFFSET + StreamBytesLayout.KEY_TGID_OFFSET, R1);
    }

    /** Writes where the buffers of a write are, and how many; or of write(2) where the bytes are. */
    public void writeBuffers() {
        boolean isOnly = argument(StreamBytesLayout.DATA).isPresent();
        write(isOnly ? StreamBytesLayout.DATA : StreamBytesLayout.BUFFERS, StreamHitLayout.ADDRESS_OFFSET);
        store(StreamHitLayout.TAKEN_OFFSET, -1);
        store(StreamHitLayout.ONLY_OFFSET, 0);
        if (isOnly) {
            store(StreamHitLayout.LENGTH_OFFSET, 1);
        } else {
            write(StreamBytesLayout.COUNT, StreamHitLayout.LENGTH_OFFSET);
        }
        if (isReturn) {
            argumentCode.loadReturned(R1);
            int offset = isOnly ? StreamHitLayout.ONLY_OFFSET : StreamHitLayout.TAKEN_OFFSET;
            assembler.jumpIf(Condition.SIGNED_LESS_OR_EQUAL, R1, 0, ignored);
            assembler.store(Width.DOUBLE_WORD, R10, slot + offset, R1);
        }
    }

    /** Writes where the bytes of a read are, and how many. */
    public void writeRead() {
        write(StreamBytesLayout.DATA, StreamHitLayout.ADDRESS_OFFSET);
        if (!isReturn) {
            write(StreamBytesLayout.LENGTH, StreamHitLayout.LENGTH_OFFSET);
            if (argument(StreamBytesLayout.RECEIVED).isPresent()) {
                write(StreamBytesLayout.RECEIVED, StreamHitLayout.RECEIVED_OFFSET);
            } else {
                store(StreamHitLayout.RECEIVED_OFFSET, -1);
            }
            return;
        }
        load(R1, StreamHitLayout.STREAM_OFFSET);
        assembler.load(Width.WORD, R2, R10, threadSlot + Integer.BYTES);
        assembler.callFunction("bytes_read_from", READ_STACK_BYTES);
        Label isKnown = assembler.newLabel();
        Label some = assembler.newLabel();
        argumentCode.loadReturned(R1);
        assembler.jumpIf(Condition.SIGNED_LESS, R0, 0, isKnown).add(R0, R1);
        assembler.bind(isKnown);
        assembler.store(Width.DOUBLE_WORD, R10, slot + StreamHitLayout.RECEIVED_OFFSET, R0);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, 0, some).mov(R1, UV_EOF);
        assembler.bind(some);
        assembler.store(Width.DOUBLE_WORD, R10, slot + StreamHitLayout.LENGTH_OFFSET, R1);
    }

    private void store(int offset, int value) {
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, slot + offset, value);
    }

    private void write(String name, int offset) {
        ArgumentSpec argument = argument(name)
                .orElseThrow(() -> new IllegalArgumentException(spec.text() + " has no argument " + name));
        assembler.mov(R8, 0);
        argumentCode.read(argument, 0, new ArgumentSlot(argument.type(), 0, false), R10, slot + offset);
        assembler.jumpIf(Condition.NOT_EQUAL, R8, 0, ignored);
    }

    private Optional<ArgumentSpec> argument(String name) {
        return spec.arguments().stream()
                .filter(argument -> argument.name().equals(name))
                .findFirst();
    }

    /** Puts one of the numbers into a register. */
    public void load(Register destination, int offset) {
        assembler.load(Width.DOUBLE_WORD, destination, R10, slot + offset);
    }

    /** Puts the address of all of it into a register. */
    public void address(Register destination) {
        assembler.mov(destination, R10).add(destination, slot);
    }

    public int threadSlot() {
        return threadSlot;
    }

    public ProbeNumber probe() {
        return probe;
    }
}
