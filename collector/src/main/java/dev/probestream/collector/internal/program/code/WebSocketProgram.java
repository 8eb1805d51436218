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
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout;
import dev.probestream.collector.internal.program.layout.WebSocketLayout;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.FilterCode;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.HitFieldCode;
import dev.probestream.collector.internal.program.snippet.PairingCode;
import dev.probestream.collector.internal.program.snippet.ProbeNumber;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.schema.record.LossReason;
import java.util.List;
import java.util.Optional;

/**
 * Writes the programs that count the messages of WebSocket connections in the kernel ({@link WebSocketLayout}): nothing is in the
 * ring until a connection is closed. A connection is entered where the answer is written or read with which it is upgraded. Of
 * others the first 12 bytes are looked at. How frames are followed is in C (src/main/bpf/websocket.bpf.c).
 */
public final class WebSocketProgram {
    /** Of read_answer() with a turn of its loop, which take the most. */
    private static final int CALLED_STACK_BYTES = 128;

    private final Assembler assembler;
    private final Fragments fragments;
    private final ArgumentCode argumentCode;
    private final int maySleep;
    private final String readAnswer;
    private final String followFrames;
    private final int streamKey;
    private final int lossKey;
    /** Address and number of buffers, or of bytes. */
    private final int address;

    private final int length;
    /** Address and length of the first buffer. */
    private final int pair;

    /** @param maySleep whether programs can sleep: since Linux 6.0, which therefore has bpf_loop (5.17), too */
    public WebSocketProgram(Assembler assembler, TargetFilter filter, ArgumentCode argumentCode, boolean maySleep) {
        this.assembler = assembler;
        this.fragments = new Fragments(assembler, filter);
        this.argumentCode = argumentCode;
        this.maySleep = maySleep ? 1 : 0;
        this.readAnswer = maySleep ? "read_answer" : "read_answer_without_loops";
        this.followFrames = maySleep ? "follow_frames" : "follow_frames_without_loops";
        this.streamKey = assembler.stackSlot(StreamBytesLayout.KEY_SIZE_BYTES);
        this.lossKey = assembler.stackSlot(Integer.BYTES);
        this.address = assembler.stackSlot(Long.BYTES);
        this.length = assembler.stackSlot(Long.BYTES);
        this.pair = assembler.stackSlot(2 * Long.BYTES);
    }

    /** The program of probes that record alike. */
    public List<Instruction> write(
            List<Integer> probeIds, ProbeSpec spec, WebSocketLayout.Role role, EventLayout layout) {
        if (layout.sizeBytes() > WebSocketLayout.IS_SERVER_OFFSET) {
            throw new IllegalArgumentException(spec.text() + " has more arguments than there is room for");
        }
        Label ignored = assembler.newLabel();
        assembler.mov(R6, R1);
        int thread = fragments.currentThread();
        argumentCode.ofThread(thread);
        fragments.rejectUntracedThread(thread, ignored);
        ProbeNumber probe = ProbeNumber.ofProbes(assembler, probeIds, R6);
        fragments.countHit(probe, lossKey);
        spec.filter()
                .ifPresent(condition -> new FilterCode(assembler, argumentCode, HitFieldCode.atEntry(assembler, thread))
                        .rejectUnless(condition, ignored));
        argumentCode.prepare(spec.arguments());
        number(spec, StreamBytesLayout.STREAM, streamKey, ignored);
        assembler.load(Width.WORD, R1, R10, thread + Integer.BYTES);
        assembler.store(Width.DOUBLE_WORD, R10, streamKey + StreamBytesLayout.KEY_TGID_OFFSET, R1);
        switch (role) {
            case WRITE -> {
                number(spec, StreamBytesLayout.BUFFERS, address, ignored);
                number(spec, StreamBytesLayout.COUNT, length, ignored);
                bytes(spec, layout, thread, probe, true, ignored);
            }
            case READ -> {
                number(spec, StreamBytesLayout.DATA, address, ignored);
                number(spec, StreamBytesLayout.LENGTH, length, ignored);
                assembler.load(Width.DOUBLE_WORD, R1, R10, length);
                assembler.jumpIf(Condition.SIGNED_LESS_OR_EQUAL, R1, 0, ignored);
                bytes(spec, layout, thread, probe, false, ignored);
            }
            case CLOSE -> close(probe, ignored);
        }
        assembler.bind(ignored);
        fragments.exit();
        return assembler.assemble();
    }

    private void bytes(
            ProbeSpec spec, EventLayout layout, int thread, ProbeNumber probe, boolean isWrite, Label ignored) {
        Label known = assembler.newLabel();
        Label follow = assembler.newLabel();
        int write = isWrite ? 1 : 0;
        fragments.lookup(MapNames.WEB_SOCKETS, streamKey);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, known);
        assembler.mov(R1, R10).add(R1, pair);
        loadBytes(R2, R3).mov(R4, write).mov(R5, maySleep);
        assembler.callFunction("find_upgrade", CALLED_STACK_BYTES).jumpIf(Condition.EQUAL, R0, 0, ignored);
        enter(spec, layout, thread, probe, isWrite, ignored);
        assembler.mov(R1, R7).mov(R2, R10).add(R2, pair).mov(R3, write).mov(R4, maySleep);
        assembler.callFunction(readAnswer, CALLED_STACK_BYTES).jumpIf(Condition.NOT_EQUAL, R0, 0, follow);
        fragments.delete(MapNames.WEB_SOCKETS, streamKey); // upgraded to something else
        assembler.jump(ignored);

        assembler.bind(known);
        assembler.mov(R7, R0);
        rejectOtherLayer(spec, ignored);
        assembler.bind(follow);
        assembler.mov(R1, R7);
        loadBytes(R2, R3).mov(R4, write).mov(R5, maySleep).callFunction(followFrames, CALLED_STACK_BYTES);
    }

    private Assembler loadBytes(Register itsAddress, Register itsLength) {
        return assembler
                .load(Width.DOUBLE_WORD, itsAddress, R10, address)
                .load(Width.DOUBLE_WORD, itsLength, R10, length);
    }

    /** R7 = a new entry of the map. */
    private void enter(
            ProbeSpec spec, EventLayout layout, int thread, ProbeNumber probe, boolean isServer, Label ignored) {
        Label stored = assembler.newLabel();
        PairingCode entries = new PairingCode(assembler, fragments, MapNames.WEB_SOCKETS, streamKey, lossKey);
        Runnable zeros = () -> {
            assembler.storeImmediate(Width.WORD, R10, lossKey, 0);
            fragments.lookup(MapNames.ZERO, lossKey);
            assembler.jumpIf(Condition.EQUAL, R0, 0, ignored);
            assembler.mov(R3, R0);
        };
        entries.put(zeros, probe, stored);
        assembler.jump(ignored);
        assembler.bind(stored);
        fragments.lookup(MapNames.WEB_SOCKETS, streamKey);
        assembler.jumpIf(Condition.EQUAL, R0, 0, ignored).mov(R7, R0);
        fragments.header(thread, RecordType.EVENT, probe);
        assembler.mov(R8, 0);
        argumentCode.readAll(spec.arguments(), layout.arguments(), R7, 0);
        assembler.store(Width.DOUBLE_WORD, R7, EventLayout.UNAVAILABLE_OFFSET, R8);
        int masked = isServer ? WebSocketLayout.RECEIVED_OFFSET : WebSocketLayout.SENT_OFFSET;
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, masked + WebSocketLayout.IS_MASKED_OFFSET, 1);
        assembler.load(Width.DOUBLE_WORD, R1, R10, streamKey);
        assembler.store(Width.DOUBLE_WORD, R7, WebSocketLayout.STREAM_OFFSET, R1);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, WebSocketLayout.IS_SERVER_OFFSET, isServer ? 1 : 0);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, WebSocketLayout.IS_TLS_OFFSET, isTls(spec));
    }

    /** With TLS the bytes of the stream itself are none of frames. */
    private void rejectOtherLayer(ProbeSpec spec, Label ignored) {
        assembler.load(Width.DOUBLE_WORD, R1, R7, WebSocketLayout.IS_TLS_OFFSET);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, isTls(spec), ignored);
    }

    private static int isTls(ProbeSpec spec) {
        return argument(spec, StreamBytesLayout.TLS).isPresent() ? 1 : 0;
    }

    /** The connection's entry becomes its sample. */
    private void close(ProbeNumber probe, Label ignored) {
        Label sent = assembler.newLabel();
        fragments.lookup(MapNames.WEB_SOCKETS, streamKey);
        assembler.jumpIf(Condition.EQUAL, R0, 0, ignored).mov(R7, R0);
        assembler.call(Helper.KTIME_GET_NS);
        assembler.load(Width.DOUBLE_WORD, R1, R7, EventLayout.TIMESTAMP_OFFSET).sub(R0, R1);
        assembler.store(Width.DOUBLE_WORD, R7, EventLayout.DURATION_OFFSET, R0);
        assembler.loadMap(R1, MapNames.EVENTS).mov(R2, R7).mov(R3, WebSocketLayout.SIZE_BYTES);
        assembler.mov(R4, Fragments.BPF_RB_NO_WAKEUP).call(Helper.RINGBUF_OUTPUT);
        assembler.jumpIf(Condition.EQUAL, R0, 0, sent);
        fragments.countLoss(LossReason.RING_FULL, probe, lossKey);
        assembler.bind(sent);
        fragments.delete(MapNames.WEB_SOCKETS, streamKey);
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
}
