package dev.probestream.collector.internal.program.snippet.stream;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.WebSocketLayout;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess.Memory;
import dev.probestream.collector.internal.program.snippet.MemoryCode;

/**
 * Emits the code that finds the answer with which a connection becomes a WebSocket, and its end: R7 = the connection's
 * {@link WebSocketLayout}, where {@code position} and {@code length} give what is left to look at, and {@code known}
 * the last 8 bytes.
 */
final class UpgradeAnswerCode {
    /** {@code HTTP/1.1}, in memory, read little-endian, and the rest of the beginning of a status line. */
    private static final long VERSION = 0x312e_312f_5054_5448L;

    private static final int STATUS = 0x3130_3120;
    private static final int BEGINNING_BYTES = 12;

    static final int CHUNK_BYTES = 64;
    /** So much of an answer is searched for its end. */
    static final int MAX_CHUNKS = 16;
    /** The last bytes, the latest in the lowest: in lower case {@code websocke}, of Upgrade or Sec-WebSocket-Accept. */
    private static final long WORD = 0x7765_6273_6f63_6b65L;

    private static final long LOWER_CASE = 0x2020_2020_2020_2020L;
    private static final int TWO_LINE_ENDS = 0x0d0a_0d0a;

    private final Assembler assembler;
    private final MemoryCode memory;
    private final int chunkSlot;

    /** @param chunkSlot {@link #CHUNK_BYTES} of stack to be used */
    UpgradeAnswerCode(Assembler assembler, MemoryCode memory, int chunkSlot) {
        this.assembler = assembler;
        this.memory = memory;
        this.chunkSlot = chunkSlot;
    }

    /**
     * Jumps unless these bytes begin like an answer with the status 101. May lose R0 to R5.
     *
     * @param addressSlot where on the stack their address stands
     */
    void rejectOthers(int addressSlot, Label others) {
        memory.bytes(
                destination -> assembler.load(Width.DOUBLE_WORD, destination, R10, addressSlot),
                BEGINNING_BYTES,
                Memory.USER,
                R10,
                chunkSlot,
                others);
        assembler.load(Width.DOUBLE_WORD, R1, R10, chunkSlot).loadImmediate64(R2, VERSION);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, R2, others);
        assembler.load(Width.WORD, R1, R10, chunkSlot + Long.BYTES);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, STATUS, others);
    }

    /**
     * Looks for the end of the answer in the next bytes. Never falls through.
     *
     * @param position the address of these bytes
     * @param found where R2 = how many bytes lie before the end
     * @param missing there are no more bytes
     */
    void chunk(MemoryCode.Load position, Label next, Label found, Label missing) {
        Label end = assembler.newLabel();
        for (int i = 0; i < CHUNK_BYTES; i += Long.BYTES) {
            assembler.storeImmediate(Width.DOUBLE_WORD, R10, chunkSlot + i, 0);
        }
        MemoryCode.Load rest = destination -> {
            Label fits = assembler.newLabel();
            assembler.load(Width.DOUBLE_WORD, destination, R7, WebSocketLayout.LENGTH_OFFSET);
            assembler
                    .load(Width.DOUBLE_WORD, R0, R7, WebSocketLayout.POSITION_OFFSET)
                    .sub(destination, R0);
            assembler.jumpIf(Condition.LESS_OR_EQUAL, destination, CHUNK_BYTES, fits);
            assembler.mov(destination, CHUNK_BYTES);
            assembler.bind(fits);
        };
        assembler.load(Width.DOUBLE_WORD, R1, R7, WebSocketLayout.LENGTH_OFFSET);
        assembler.load(Width.DOUBLE_WORD, R2, R7, WebSocketLayout.POSITION_OFFSET);
        assembler.jumpIf(Condition.LESS_OR_EQUAL, R1, R2, missing);
        memory.bytes(position, rest, Memory.USER, R10, chunkSlot, missing);
        assembler.load(Width.DOUBLE_WORD, R9, R7, WebSocketLayout.KNOWN_OFFSET);
        assembler.loadImmediate64(R3, LOWER_CASE).loadImmediate64(R4, WORD);
        for (int i = 0; i < CHUNK_BYTES; i++) {
            Label noWord = assembler.newLabel();
            Label goOn = assembler.newLabel();
            assembler.load(Width.BYTE, R1, R10, chunkSlot + i);
            assembler.shiftLeft(R9, Byte.SIZE).or(R9, R1);
            assembler.mov(R1, R9).or(R1, R3).jumpIf(Condition.NOT_EQUAL, R1, R4, noWord);
            assembler.storeImmediate(Width.DOUBLE_WORD, R7, WebSocketLayout.IS_UPGRADED_OFFSET, 1);
            assembler.bind(noWord);
            assembler.mov32(R1, R9).jumpIf(Condition.NOT_EQUAL, R1, TWO_LINE_ENDS, goOn);
            assembler.mov(R2, i + 1).jump(end);
            assembler.bind(goOn);
        }
        assembler.store(Width.DOUBLE_WORD, R7, WebSocketLayout.KNOWN_OFFSET, R9);
        assembler
                .load(Width.DOUBLE_WORD, R1, R7, WebSocketLayout.POSITION_OFFSET)
                .add(R1, CHUNK_BYTES);
        assembler
                .store(Width.DOUBLE_WORD, R7, WebSocketLayout.POSITION_OFFSET, R1)
                .jump(next);
        assembler.bind(end);
        assembler
                .load(Width.DOUBLE_WORD, R1, R7, WebSocketLayout.POSITION_OFFSET)
                .add(R2, R1)
                .jump(found);
    }
}
