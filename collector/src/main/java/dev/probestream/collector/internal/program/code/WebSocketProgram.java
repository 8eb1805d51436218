package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;
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
import dev.probestream.collector.internal.program.layout.WebSocketLayout;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.StreamHit;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.List;

/**
 * Writes the programs that count the messages of WebSocket connections in the kernel ({@link WebSocketLayout}). How connections
 * begin, are followed and end is in C (src/main/bpf/websocket.bpf.c); here are the arguments of the probe, which are written
 * into the entry of a connection that begins.
 */
public final class WebSocketProgram {
    /** Of the functions in C, which take the most. */
    private static final int CALLED_STACK_BYTES = 128;

    private final Assembler assembler;
    private final TargetFilter filter;
    private final Fragments fragments;
    private final ArgumentCode argumentCode;
    private final int maySleep;
    private final String suffix;

    /** @param maySleep whether programs can sleep: since Linux 6.0, which therefore has bpf_loop (5.17), too */
    public WebSocketProgram(Assembler assembler, TargetFilter filter, ArgumentCode argumentCode, boolean maySleep) {
        this.assembler = assembler;
        this.filter = filter;
        this.fragments = new Fragments(assembler, filter);
        this.argumentCode = argumentCode;
        this.maySleep = maySleep ? 1 : 0;
        this.suffix = maySleep ? "" : "_without_loops";
    }

    /** The program of probes that record alike. */
    public List<Instruction> write(
            List<Integer> probeIds, ProbeSpec spec, WebSocketLayout.Role role, EventLayout layout) {
        if (layout.sizeBytes() > WebSocketLayout.IS_SERVER_OFFSET) {
            throw new IllegalArgumentException(spec.text() + " has more arguments than there is room for");
        }
        Label ignored = assembler.newLabel();
        int lossKeySlot = assembler.stackSlot(Integer.BYTES);
        StreamHit hit = new StreamHit(assembler, filter, argumentCode, probeIds, spec, lossKeySlot, ignored);
        argumentCode.prepare(spec.arguments());
        hit.writeStream(StreamBytesLayout.STREAM);
        switch (role) {
            case WRITE -> {
                hit.writeBuffers();
                follow(spec, layout, hit, true, ignored);
            }
            case READ -> {
                hit.writeRead();
                follow(spec, layout, hit, false, ignored);
            }
            case CLOSE -> {
                hit.address(R1);
                hit.probe().load(R2);
                assembler.callFunction("close_web_socket", CALLED_STACK_BYTES);
            }
        }
        assembler.bind(ignored);
        fragments.exit();
        return assembler.assemble();
    }

    private void follow(ProbeSpec spec, EventLayout layout, StreamHit hit, boolean isWrite, Label ignored) {
        Label known = assembler.newLabel();
        int write = isWrite ? 1 : 0;
        hit.address(R1);
        hit.probe().load(R2);
        assembler.mov(R3, write).mov(R4, hit.isAboveTls() ? 1 : 0).mov(R5, maySleep);
        assembler.callFunction("find_web_socket", CALLED_STACK_BYTES).jumpIf(Condition.EQUAL, R0, 0, ignored);
        assembler.mov(R7, R0).load(Width.DOUBLE_WORD, R1, R7, EventLayout.TIMESTAMP_OFFSET);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, 0, known);
        fragments.header(hit.threadSlot(), RecordType.EVENT, hit.probe());
        assembler.mov(R8, 0);
        argumentCode.readAll(spec.arguments(), layout.arguments(), R7, 0);
        assembler.store(Width.DOUBLE_WORD, R7, EventLayout.UNAVAILABLE_OFFSET, R8);
        call("begin_web_socket", hit, write).jumpIf(Condition.EQUAL, R0, 0, ignored);
        assembler.bind(known);
        call("follow_frames", hit, write);
    }

    private Assembler call(String function, StreamHit hit, int write) {
        assembler.mov(R1, R7);
        hit.address(R2);
        return assembler.mov(R3, write).mov(R4, maySleep).callFunction(function + suffix, CALLED_STACK_BYTES);
    }
}
