package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R8;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout.Room;
import dev.probestream.collector.internal.program.layout.StreamHitLayout;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.StreamHit;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.schema.record.LossReason;
import java.util.List;

/**
 * Writes the programs that record the bytes between a client and a database ({@link StreamBytesLayout}). Which streams are a
 * database's, how much room a sample takes and what is copied is in C (src/main/bpf/stream_bytes.bpf.c); here are the arguments
 * of the probe and the sample around the bytes.
 */
public final class StreamProgram {
    /** Of the functions in C, which take the most. */
    private static final int CALLED_STACK_BYTES = 96;

    private final Assembler assembler;
    private final TargetFilter filter;
    private final Fragments fragments;
    private final ArgumentCode argumentCode;
    private final int maySleep;
    private final String copyWrite;
    /** Where on the stack it stands when the system call was entered at whose return the program is; 0 = the hit is the moment. */
    private int entrySlot;

    /**
     * @param maySleep whether the program can sleep
     * @param hasLoops whether the kernel has bpf_loop (Linux 5.17)
     */
    public StreamProgram(
            Assembler assembler, TargetFilter filter, ArgumentCode argumentCode, boolean maySleep, boolean hasLoops) {
        this.assembler = assembler;
        this.filter = filter;
        this.fragments = new Fragments(assembler, filter);
        this.argumentCode = argumentCode;
        this.maySleep = maySleep ? 1 : 0;
        this.copyWrite = hasLoops ? "copy_write" : "copy_write_without_loops";
    }

    /** The program of probes that record alike. */
    public List<Instruction> write(
            List<Integer> probeIds, ProbeSpec spec, StreamBytesLayout.Role role, EventLayout layout) {
        Label ignored = assembler.newLabel();
        Label full = assembler.newLabel();
        int lossKeySlot = assembler.stackSlot(Integer.BYTES);
        StreamHit hit = new StreamHit(assembler, filter, argumentCode, probeIds, spec, lossKeySlot, ignored);
        // The others cost more, and are read of streams that are recorded only.
        argumentCode.prepare(spec.arguments().stream()
                .filter(argument -> argument.source().kind() != ArgumentSource.Kind.CONTEXT)
                .toList());
        if (hit.isAtReturn()) {
            rejectOtherDescriptors(role, hit, ignored);
        }
        hit.writeStream(hit.isAboveTls() ? StreamBytesLayout.TLS : StreamBytesLayout.STREAM);
        hit.load(R1, StreamHitLayout.STREAM_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R1, 0, ignored);
        Label large = assembler.newLabel();
        switch (role) {
            case WRITE -> {
                Label many = assembler.newLabel();
                if (!hit.isAtReturn()) {
                    hit.writeBuffers();
                }
                callOfWrite("count_write", hit).jumpIf(Condition.EQUAL, R0, 0, ignored);
                if (hit.isAtReturn()) {
                    entrySlot = assembler.stackSlot(Long.BYTES);
                    assembler
                            .callFunction("entry_of_write", CALLED_STACK_BYTES)
                            .jumpIf(Condition.EQUAL, R0, 0, ignored);
                    assembler.store(Width.DOUBLE_WORD, R10, entrySlot, R0);
                }
                argumentCode.prepare(spec.arguments());
                callOfWrite("room_of_write", hit).jumpIf(Condition.EQUAL, R0, Room.LARGE.number(), large);
                assembler.jumpIf(Condition.EQUAL, R0, Room.MANY_BUFFERS.number(), many);
                sample(copyWrite, Room.SMALL, spec, layout, hit, full);
                assembler.bind(large);
                sample(copyWrite, Room.LARGE, spec, layout, hit, full);
                assembler.bind(many);
                sample(copyWrite, Room.MANY_BUFFERS, spec, layout, hit, full);
            }
            case READ -> {
                hit.address(R1);
                assembler.callFunction("count_read", CALLED_STACK_BYTES).jumpIf(Condition.EQUAL, R0, 0, ignored);
                hit.writeRead();
                hit.load(R1, StreamHitLayout.LENGTH_OFFSET);
                assembler.jumpIf(Condition.SIGNED_GREATER, R1, StreamBytesLayout.SMALL_BYTES, large);
                sample("copy_read", Room.SMALL, spec, layout, hit, full);
                assembler.bind(large);
                sample("copy_read", Room.LARGE, spec, layout, hit, full);
            }
            case CLOSE -> {
                hit.address(R1);
                assembler.callFunction("close_stream", CALLED_STACK_BYTES);
                sample("copy_read", Room.SMALL, spec, layout, hit, full);
            }
        }
        assembler.bind(ignored);
        fragments.exit();
        assembler.bind(full);
        fragments.countLoss(LossReason.RING_FULL, hit.probe(), lossKeySlot);
        fragments.exit();
        return assembler.assemble();
    }

    /** Most system calls of a server are on other streams. */
    private void rejectOtherDescriptors(StreamBytesLayout.Role role, StreamHit hit, Label ignored) {
        if (role == StreamBytesLayout.Role.WRITE) {
            hit.writeBuffers();
            hit.descriptor(R2);
            hit.address(R1);
            assembler.callFunction("may_write_to_database", CALLED_STACK_BYTES);
        } else {
            hit.descriptor(R1);
            assembler.callFunction("may_read_from_database", CALLED_STACK_BYTES);
        }
        assembler.jumpIf(Condition.EQUAL, R0, 0, ignored);
    }

    private Assembler callOfWrite(String function, StreamHit hit) {
        hit.address(R1);
        return assembler.mov(R2, maySleep).callFunction(function, CALLED_STACK_BYTES);
    }

    /** Sends a sample with so much room, and ends the program. */
    private void sample(String copy, Room room, ProbeSpec spec, EventLayout layout, StreamHit hit, Label full) {
        fragments.reserve(layout.sizeBytes() + room.sizeBytes(), full);
        fragments.header(hit.threadSlot(), RecordType.EVENT, hit.probe());
        if (entrySlot != 0) {
            assembler.load(Width.DOUBLE_WORD, R1, R10, entrySlot);
            assembler.store(Width.DOUBLE_WORD, R7, EventLayout.TIMESTAMP_OFFSET, R1);
        }
        assembler.mov(R8, 0);
        argumentCode.readAll(spec.arguments(), layout.arguments(), R7, 0);
        assembler.store(Width.DOUBLE_WORD, R7, EventLayout.UNAVAILABLE_OFFSET, R8);
        assembler.mov(R1, R7).add(R1, layout.sizeBytes());
        hit.address(R2);
        assembler.mov(R3, room.number()).mov(R4, maySleep).callFunction(copy, CALLED_STACK_BYTES);
        fragments.submit();
        fragments.exit();
    }
}
