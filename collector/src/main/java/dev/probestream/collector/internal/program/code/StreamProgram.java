package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R8;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout.Room;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.FilterCode;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.HitFieldCode;
import dev.probestream.collector.internal.program.snippet.ProbeNumber;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.schema.record.LossReason;
import java.util.List;
import java.util.Optional;

/**
 * Writes the programs that record the bytes between a client and a database ({@link StreamBytesLayout}). A stream is taken for
 * a database's once a write begins like a message to one: it is entered in {@link MapNames#STREAMS} and counts its hits
 * there. Of other streams nothing is recorded. Leaves the stream's number of hits in the sample, from which the
 * collector detects hits that were lost. What the bytes are and how they are copied is in C (src/main/bpf/stream_bytes.bpf.c).
 */
public final class StreamProgram {
    /** Of copy_write(), which takes the most. */
    private static final int CALLED_STACK_BYTES = 96;

    private final Assembler assembler;
    private final Fragments fragments;
    private final ArgumentCode argumentCode;
    private final int maySleep;
    private final String copyWrite;
    private final int streamKey;
    private final int sequence;
    private final int address;
    private final int length;

    /** @param maySleep whether programs can sleep: since Linux 6.0, which therefore has bpf_loop (5.17), too */
    public StreamProgram(Assembler assembler, TargetFilter filter, ArgumentCode argumentCode, boolean maySleep) {
        this.assembler = assembler;
        this.fragments = new Fragments(assembler, filter);
        this.argumentCode = argumentCode;
        this.maySleep = maySleep ? 1 : 0;
        this.copyWrite = maySleep ? "copy_write" : "copy_write_without_loops";
        this.streamKey = assembler.stackSlot(StreamBytesLayout.KEY_SIZE_BYTES);
        this.sequence = assembler.stackSlot(Long.BYTES);
        this.address = assembler.stackSlot(Long.BYTES);
        this.length = assembler.stackSlot(Long.BYTES);
    }

    /** The program of probes that record alike. */
    public List<Instruction> write(
            List<Integer> probeIds, ProbeSpec spec, StreamBytesLayout.Role role, EventLayout layout) {
        Label ignored = assembler.newLabel();
        Label full = assembler.newLabel();
        int keySlot = assembler.stackSlot(Integer.BYTES);

        assembler.mov(R6, R1);
        int thread = fragments.currentThread();
        argumentCode.ofThread(thread);
        fragments.rejectUntracedThread(thread, ignored);
        ProbeNumber probe = ProbeNumber.ofProbes(assembler, probeIds, R6);
        fragments.countHit(probe, keySlot);
        spec.filter()
                .ifPresent(condition -> new FilterCode(assembler, argumentCode, HitFieldCode.atEntry(assembler, thread))
                        .rejectUnless(condition, ignored));
        // The others cost more, and are read of streams that are recorded only.
        argumentCode.prepare(spec.arguments().stream()
                .filter(argument -> argument.source().kind() != ArgumentSource.Kind.CONTEXT)
                .toList());
        key(spec, thread, ignored);
        switch (role) {
            case WRITE -> {
                number(spec, StreamBytesLayout.BUFFERS, address, ignored);
                number(spec, StreamBytesLayout.COUNT, length, ignored);
                countOrEnter(ignored);
                argumentCode.prepare(spec.arguments());
                Label large = assembler.newLabel();
                Label many = assembler.newLabel();
                assembler.load(Width.DOUBLE_WORD, R1, R10, address).load(Width.DOUBLE_WORD, R2, R10, length);
                assembler.mov(R3, maySleep).callFunction("room_of_write", CALLED_STACK_BYTES);
                assembler.jumpIf(Condition.EQUAL, R0, Room.LARGE.number(), large);
                assembler.jumpIf(Condition.EQUAL, R0, Room.MANY_BUFFERS.number(), many);
                sample(spec, layout, thread, probe, Room.SMALL, full);
                copy(copyWrite, layout, Room.SMALL);
                submit();
                assembler.bind(large);
                sample(spec, layout, thread, probe, Room.LARGE, full);
                copy(copyWrite, layout, Room.LARGE);
                submit();
                assembler.bind(many);
                sample(spec, layout, thread, probe, Room.MANY_BUFFERS, full);
                copy(copyWrite, layout, Room.MANY_BUFFERS);
                submit();
            }
            case READ -> {
                count(ignored);
                number(spec, StreamBytesLayout.DATA, address, ignored);
                number(spec, StreamBytesLayout.LENGTH, length, ignored);
                Label large = assembler.newLabel();
                assembler.load(Width.DOUBLE_WORD, R1, R10, length);
                assembler.jumpIf(Condition.SIGNED_GREATER, R1, StreamBytesLayout.SMALL_BYTES, large);
                sample(spec, layout, thread, probe, Room.SMALL, full);
                copy("copy_read", layout, Room.SMALL);
                submit();
                assembler.bind(large);
                sample(spec, layout, thread, probe, Room.LARGE, full);
                copy("copy_read", layout, Room.LARGE);
                submit();
            }
            case CLOSE -> {
                fragments.delete(MapNames.STREAMS, streamKey);
                assembler.storeImmediate(Width.DOUBLE_WORD, R10, sequence, 0);
                assembler.storeImmediate(Width.DOUBLE_WORD, R10, length, 0);
                sample(spec, layout, thread, probe, Room.SMALL, full);
                submit();
            }
        }
        assembler.bind(ignored);
        fragments.exit();
        assembler.bind(full);
        fragments.countLoss(LossReason.RING_FULL, probe, keySlot);
        fragments.exit();
        return assembler.assemble();
    }

    /** Writes the key of the stream that is read and written: the one above TLS, if there is one. */
    private void key(ProbeSpec spec, int thread, Label ignored) {
        boolean isTls = argument(spec, StreamBytesLayout.TLS).isPresent();
        number(spec, isTls ? StreamBytesLayout.TLS : StreamBytesLayout.STREAM, streamKey, ignored);
        assembler.load(Width.DOUBLE_WORD, R1, R10, streamKey).jumpIf(Condition.EQUAL, R1, 0, ignored);
        assembler.load(Width.WORD, R1, R10, thread + Integer.BYTES);
        assembler.store(Width.DOUBLE_WORD, R10, streamKey + StreamBytesLayout.KEY_TGID_OFFSET, R1);
    }

    private static Optional<ArgumentSpec> argument(ProbeSpec spec, String name) {
        return spec.arguments().stream()
                .filter(argument -> argument.name().equals(name))
                .findFirst();
    }

    private void number(ProbeSpec spec, String name, int slot, Label ignored) {
        ArgumentSpec argument = argument(spec, name)
                .orElseThrow(() -> new IllegalArgumentException(spec.text() + " has no argument " + name));
        assembler.mov(R8, 0);
        argumentCode.read(argument, 0, new ArgumentSlot(argument.type(), 0, false), R10, slot);
        assembler.jumpIf(Condition.NOT_EQUAL, R8, 0, ignored);
    }

    /** Counts the hit, if the stream is a database's. */
    private void count(Label ignored) {
        fragments.lookup(MapNames.STREAMS, streamKey);
        assembler.jumpIf(Condition.EQUAL, R0, 0, ignored);
        increment();
    }

    /** The same; a stream that is not known yet becomes a database's if what is written begins like a message to one. */
    private void countOrEnter(Label ignored) {
        Label known = assembler.newLabel();
        fragments.lookup(MapNames.STREAMS, streamKey);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, known);
        assembler.load(Width.DOUBLE_WORD, R1, R10, address).mov(R2, maySleep);
        assembler.callFunction("is_database_message", CALLED_STACK_BYTES).jumpIf(Condition.EQUAL, R0, 0, ignored);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, sequence, 0);
        assembler.loadMap(R1, MapNames.STREAMS).mov(R2, R10).add(R2, streamKey);
        assembler.mov(R3, R10).add(R3, sequence).mov(R4, 0).call(Helper.MAP_UPDATE_ELEM);
        fragments.lookup(MapNames.STREAMS, streamKey);
        assembler.jumpIf(Condition.EQUAL, R0, 0, ignored);
        assembler.bind(known);
        increment();
    }

    /** A stream is read and written by the thread of its loop alone. */
    private void increment() {
        assembler.load(Width.DOUBLE_WORD, R1, R0, 0).add(R1, 1).store(Width.DOUBLE_WORD, R0, 0, R1);
        assembler.store(Width.DOUBLE_WORD, R10, sequence, R1);
    }

    private void sample(ProbeSpec spec, EventLayout layout, int thread, ProbeNumber probe, Room room, Label full) {
        int offset = layout.sizeBytes();
        fragments.reserve(offset + room.sizeBytes(), full);
        fragments.header(thread, RecordType.EVENT, probe);
        assembler.mov(R8, 0);
        argumentCode.readAll(spec.arguments(), layout.arguments(), R7, 0);
        assembler.load(Width.DOUBLE_WORD, R1, R10, sequence);
        assembler.store(Width.DOUBLE_WORD, R7, offset + StreamBytesLayout.SEQUENCE_OFFSET, R1);
        assembler.load(Width.DOUBLE_WORD, R1, R10, length);
        assembler.store(Width.DOUBLE_WORD, R7, offset + StreamBytesLayout.TOTAL_OFFSET, R1);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, offset + StreamBytesLayout.HEAD_BYTES_OFFSET, 0);
    }

    /** Copies what is written or was read into the sample, behind its arguments. */
    private void copy(String function, EventLayout layout, Room room) {
        assembler.mov(R1, R7).add(R1, layout.sizeBytes());
        assembler.load(Width.DOUBLE_WORD, R2, R10, address).load(Width.DOUBLE_WORD, R3, R10, length);
        assembler.mov(R4, room.number()).mov(R5, maySleep).callFunction(function, CALLED_STACK_BYTES);
    }

    private void submit() {
        assembler.store(Width.DOUBLE_WORD, R7, EventLayout.UNAVAILABLE_OFFSET, R8);
        fragments.submit();
        fragments.exit();
    }
}
