package dev.probestream.collector.internal.v8.async;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.collector.internal.program.layout.v8.StreamListenerLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Reads how it is found who reads a stream of Node.js. Where a class has a base is in the names of its thunks: the compiler calls
 * {@code _ZThn56_F} the function F that is given the base at 56. The base's part of the class's table of virtual functions begins
 * with -56, the distance to the object's beginning, and a pointer (Itanium C++ ABI, 2.5.2).
 *
 * <p>A position independent executable, in whose file the tables are not filled in, has no contexts at all ({@link
 * AsyncContextReader}).
 */
final class StreamListenerReader {
    private static final String READ_START = "N4node15LibuvStreamWrap9ReadStartEv";
    private static final String TLS = "N4node6crypto7TLSWrap";
    /** Node 18 and 20, then 22 and later. */
    private static final List<String> PARSERS = List.of("N4node12_GLOBAL__N_16Parser", "N4node11http_parser6Parser");

    private static final String ON_READ = "12OnStreamReadElRK8uv_buf_t";

    private static final String INIT = "llhttp__internal_init";

    /** Bases lie at multiples of 8; those looked for are at 56 to 144. */
    private static final int MAX_BASE = 512;

    /** The tables have some 260 to 540 bytes. */
    private static final int MAX_TABLE_BYTES = 1024;

    /** From the distance to the functions of a base. */
    private static final int FUNCTIONS = 16;

    /** Of a StreamListener, behind two destructors and OnStreamAlloc. */
    private static final int ON_READ_FUNCTION = 3 * Long.BYTES;

    private static final int MAX_CODE_BYTES = 128;
    private static final int MOVE_BYTES = 8;

    /** In llhttp_t: _current. */
    private static final int CURRENT = 0x38;

    private StreamListenerReader() {}

    /** Of a Node.js that has one of these otherwise, {@link StreamListenerLayout#NONE}. */
    static StreamListenerLayout read(ElfFile elf) throws IOException {
        OptionalInt streamBase = base(elf, READ_START);
        OptionalInt start = messageStart(elf);
        OptionalLong tls = listener(elf, TLS);
        OptionalLong parser = OptionalLong.empty();
        for (String name : PARSERS) {
            parser = parser.isPresent() ? parser : listener(elf, name);
        }
        boolean isKnown = streamBase.isPresent() && start.isPresent() && tls.isPresent() && parser.isPresent();
        return isKnown
                ? new StreamListenerLayout(parser.getAsLong(), tls.getAsLong(), streamBase.getAsInt(), start.getAsInt())
                : StreamListenerLayout.NONE;
    }

    /** The offset of the base through which the function is called. */
    private static OptionalInt base(ElfFile elf, String function) throws IOException {
        for (int offset = Long.BYTES; offset < MAX_BASE; offset += Long.BYTES) {
            if (elf.function(thunk(offset, function)).isPresent()) {
                return OptionalInt.of(offset);
            }
        }
        return OptionalInt.empty();
    }

    private static String thunk(int offset, String function) {
        return "_ZThn" + offset + "_" + function;
    }

    /** The address of the virtual functions that the class has as a StreamListener. */
    private static OptionalLong listener(ElfFile elf, String type) throws IOException {
        OptionalInt base = base(elf, type + ON_READ);
        OptionalLong table = elf.symbolAddress("_ZTV" + type + "E");
        if (base.isEmpty() || table.isEmpty()) {
            return OptionalLong.empty();
        }
        ElfSymbol onRead = elf.function(thunk(base.getAsInt(), type + ON_READ)).orElseThrow();
        ByteBuffer words = elf.bytesAt(table.getAsLong(), MAX_TABLE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        int end = words.remaining() - FUNCTIONS - ON_READ_FUNCTION - Long.BYTES;
        for (int at = 0; at <= end; at += Long.BYTES) {
            if (words.getLong(at) == -base.getAsInt()
                    && words.getLong(at + FUNCTIONS + ON_READ_FUNCTION) == onRead.virtualAddress()) {
                return OptionalLong.of(table.getAsLong() + at + FUNCTIONS);
            }
        }
        return OptionalLong.empty();
    }

    /** What {@code movq $STATE,0x38(...)} in llhttp's initialization puts into its current state. */
    private static OptionalInt messageStart(ElfFile elf) throws IOException {
        Optional<ElfSymbol> function = elf.function(INIT);
        if (function.isEmpty()) {
            return OptionalInt.empty();
        }
        MachineCode code = new MachineCode(elf.code(function.get(), MAX_CODE_BYTES));
        for (int at = 0; at + MOVE_BYTES <= code.bytes().length; at++) {
            boolean isMove = code.at(at) == 0x48 && code.at(at + 1) == 0xc7 && (code.at(at + 2) & 0xf8) == 0x40;
            if (isMove && code.at(at + 3) == CURRENT && code.word(at + 4) > 0) {
                return OptionalInt.of(code.word(at + 4));
            }
        }
        return OptionalInt.empty();
    }
}
