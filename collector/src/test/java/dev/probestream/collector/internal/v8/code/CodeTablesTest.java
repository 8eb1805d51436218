package dev.probestream.collector.internal.v8.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.internal.v8.NodeExecutables;
import dev.probestream.collector.internal.v8.code.FrameTranslation.Closure;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout.Safepoints;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout.Translations;
import dev.probestream.collector.internal.v8.layout.V8CodeLayoutReader;
import dev.probestream.collector.internal.v8.layout.V8Symbols;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** V8's tables: bytes in, values out. Tables are written here as V8's builders write them. */
class CodeTablesTest {
    private static final int MUTATIONS = 200_000;

    private static V8CodeLayout layout;

    @BeforeAll
    static void readLayout() throws Exception {
        try (ElfFile elf = ElfFile.open(NodeExecutables.installed())) {
            layout = V8CodeLayoutReader.read(elf, V8Symbols.read(elf));
        }
    }

    @Test
    void positionIsThatOfTheLastEntryAtOrBeforeTheOffset() throws Exception {
        byte[] table = positions(-1, 10, 0, 17, 5, 400, 9, 30, 300, 70_000);
        assertThat(SourcePositionTable.positionAt(table, -2, false)).isEqualTo(SourcePositionTable.UNKNOWN);
        assertThat(SourcePositionTable.positionAt(table, -1, false)).isEqualTo(10);
        assertThat(SourcePositionTable.positionAt(table, 4, false)).isEqualTo(17);
        assertThat(SourcePositionTable.positionAt(table, 5, false)).isEqualTo(400);
        assertThat(SourcePositionTable.positionAt(table, 299, false)).isEqualTo(30);
        assertThat(SourcePositionTable.positionAt(table, 5_000, false)).isEqualTo(70_000);
        assertThat(SourcePositionTable.positionAt(new byte[0], 3, false)).isEqualTo(SourcePositionTable.UNKNOWN);
    }

    /** Of Node 26; V8 prints the positions with --print-bytecode. */
    @Test
    void offsetsAboveFlagsAreRead() throws Exception {
        byte[] table = HexFormat.of().parseHex("023c072c0a181b1c074022001f640b140a00");
        int[][] expected = {{-1, 14}, {0, 25}, {2, 31}, {8, 38}, {9, 54}, {17, 54}, {24, 79}, {26, 84}, {28, 84}};
        for (int[] offsetAndPosition : expected) {
            assertThat(SourcePositionTable.positionAt(table, offsetAndPosition[0], true))
                    .isEqualTo(offsetAndPosition[1]);
        }
    }

    @Test
    void positionTellsTheInlinedFunction() {
        long raw = (5L << 31) | (124 << 1);
        assertThat(SourcePositionTable.inlinedFunction(raw)).isEqualTo(4);
        assertThat(SourcePositionTable.scriptOffset(raw)).isEqualTo(123);
        assertThat(SourcePositionTable.inlinedFunction(124 << 1)).isEqualTo(SourcePositionTable.UNKNOWN);
    }

    @Test
    void tableThatEndsInTheMiddleOfANumberIsMalformed() {
        byte[] table = positions(0, 17, 5, 70_000);
        assertThatThrownBy(() -> SourcePositionTable.positionAt(Arrays.copyOf(table, table.length - 1), 5, false))
                .isInstanceOf(CodeFormatException.class)
                .hasMessage("source position table at byte " + (table.length - 1) + ": ends too early");
        byte[] endless = new byte[20];
        Arrays.fill(endless, (byte) 0xff);
        assertThatThrownBy(() -> SourcePositionTable.positionAt(endless, 5, false))
                .isInstanceOf(CodeFormatException.class)
                .hasMessageContaining("longer than 64 bits");
    }

    /** Wide and ExtraWide, 0 and 1, are prefixes; operation 6 is DebugBreak1, of one operand. */
    @Test
    void returnAddressBelongsToTheBytecodeThatMadeTheCall() throws Exception {
        byte[] bytecode = {5, 9, 0, 5, 9, 9, 1, 5, 9, 9, 9, 9, 4};
        byte[] table = {20, 10, 5, (byte) 0x85, 1, 7};
        int[][] expected = {{20, -1}, {21, 0}, {30, 0}, {31, 2}, {35, 2}, {36, 6}, {168, 6}, {169, 12}};
        for (int[] pcAndBytecode : expected) {
            assertThat(BytecodeOffsetTable.bytecodeOffsetAt(
                            table, bytecode, layout.bytecodes().sizes(), pcAndBytecode[0]))
                    .as("pc " + pcAndBytecode[0])
                    .isEqualTo(pcAndBytecode[1]);
        }
        assertThatThrownBy(() -> BytecodeOffsetTable.bytecodeOffsetAt(
                        table, bytecode, layout.bytecodes().sizes(), 10_000))
                .isInstanceOf(CodeFormatException.class);
        assertThatThrownBy(() -> BytecodeOffsetTable.bytecodeOffsetAt(
                        table, new byte[] {(byte) 0xff}, layout.bytecodes().sizes(), 25))
                .hasMessageContaining("no bytecode at 0");
    }

    /** Of Node 22: 5 entries; of each 2 bytes of pc, 1 of deoptimisation, 2 of trampoline. */
    @Test
    void safepointIsFoundByItsPcAndByItsTrampoline() throws Exception {
        Safepoints turbofan = new Safepoints(0, 4, 8, 0);
        byte[] table =
                bytes(5, 0, 0, 0, 0xa1, 4, 0, 0, 0x70, 0, 8, 0x19, 2, 0x12, 1, 9, 0x1d, 2, 0x1a, 1, 0xa, 0x21, 2);
        SafepointTable header = new SafepointTable(turbofan, Arrays.copyOf(table, 8));
        assertThat(header.entryBytes()).isEqualTo(25);
        byte[] entries = Arrays.copyOfRange(table, 8, 8 + 25);
        assertThat(header.deoptimisationAt(entries, 0x70)).hasValue(7);
        assertThat(header.deoptimisationAt(entries, 0x112)).hasValue(8);
        assertThat(header.deoptimisationAt(entries, 0x21c)).hasValue(8);
        assertThat(header.deoptimisationAt(entries, 0x71)).isEmpty();
        assertThatThrownBy(() -> new SafepointTable(turbofan, bytes(255, 255, 255, 255, 0, 0, 0, 0)))
                .isInstanceOf(CodeFormatException.class);
    }

    @Test
    void translationSharesOperationsWithTheOneBefore() throws Exception {
        Translations operations = layout.translations();
        int begin = operations.firstBegin();
        int frame = operations.lastInterpreted();
        int builtin = operations.firstContinuation();
        int other = operations.matchPrevious() - 1;
        int slot = operations.stackSlot();
        Translation first =
                new Translation().unsigned(begin).unsigned(0).signed(3).signed(3);
        first.unsigned(frame).operands(operations, frame, 12, 0);
        first.unsigned(operations.literal()).unsigned(4);
        first.unsigned(other).operands(operations, other, 1, 2);
        first.unsigned(builtin).operands(operations, builtin, 99, 1);
        first.unsigned(frame).operands(operations, frame, 200, 2);
        first.unsigned(slot).signed(5);
        int second = first.size();
        first.unsigned(begin).unsigned(second).signed(3).signed(3);
        // Two operations and their operands as before, one of its own, one as before.
        first.unsigned(operations.operands().size() + 2);
        first.unsigned(frame).operands(operations, frame, 77, 5);
        first.unsigned(operations.register()).signed(0);
        first.unsigned(frame).operands(operations, frame, 78, 6);
        first.unsigned(operations.matchPrevious()).unsigned(1);
        assertThat(FrameTranslation.frames(first.bytes(), 0, operations))
                .containsExactly(
                        new FrameTranslation.Frame(false, 12, 0, Closure.OF_CODE),
                        new FrameTranslation.Frame(true, 99, 1, Closure.OF_CODE),
                        new FrameTranslation.Frame(false, 200, 2, new Closure(Closure.Kind.IN_SLOT, -32)));
        assertThat(FrameTranslation.frames(first.bytes(), second, operations))
                .containsExactly(
                        new FrameTranslation.Frame(false, 12, 0, Closure.OF_CODE),
                        new FrameTranslation.Frame(false, 77, 5, Closure.NOT_KNOWN),
                        new FrameTranslation.Frame(false, 78, 6, new Closure(Closure.Kind.IN_SLOT, -32)));
        assertThatThrownBy(() -> FrameTranslation.frames(first.bytes(), 1, operations))
                .isInstanceOf(CodeFormatException.class)
                .hasMessageContaining("is not the begin of a translation");
    }

    @Test
    void mutatedTablesAreReadOrRefused() throws Exception {
        Random random = new Random(14);
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] bytes = new byte[random.nextInt(60)];
            random.nextBytes(bytes);
            for (int j = 0; j < bytes.length; j++) {
                // Mostly small numbers, so that operations and lengths make sense now and then.
                bytes[j] = random.nextInt(4) > 0 ? (byte) (bytes[j] & 0x2f) : bytes[j];
            }
            int number = random.nextInt(100) - 2;
            readAll(bytes, number);
        }
    }

    private static void readAll(byte[] bytes, int number) {
        Reading[] readings = {
            () -> SourcePositionTable.rawPositionAt(bytes, number, false),
            () -> SourcePositionTable.rawPositionAt(bytes, number, true),
            () -> BytecodeOffsetTable.bytecodeOffsetAt(
                    bytes, bytes, layout.bytecodes().sizes(), number),
            () -> new SafepointTable(layout.turbofanSafepoints(), bytes).deoptimisationAt(bytes, number),
            () -> new SafepointTable(layout.maglevSafepoints(), bytes).deoptimisationAt(bytes, number),
            () -> FrameTranslation.frames(bytes, number, layout.translations()),
        };
        for (Reading reading : readings) {
            try {
                reading.read();
            } catch (CodeFormatException e) {
                assertThat(e.getMessage()).contains(" at byte ");
            }
        }
    }

    private interface Reading {
        void read() throws CodeFormatException;
    }

    /** Pairs of code offset, ascending, and offset in the script: SourcePositionTableBuilder. */
    private static byte[] positions(int... pairs) {
        Translation table = new Translation();
        int offset = -1;
        long position = 0;
        for (int i = 0; i < pairs.length; i += 2) {
            int step = pairs[i] - offset;
            // Every other entry begins no statement.
            table.zigzag(i % 4 == 0 ? step : -step - 1);
            long raw = (long) (pairs[i + 1] + 1) << 1;
            table.zigzag(raw - position);
            offset = pairs[i];
            position = raw;
        }
        return table.bytes();
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[Math.max(values.length, 33)];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    /** Writes numbers as V8 does (v8/src/base/vlq.h). */
    private static final class Translation {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Translation unsigned(long value) {
            for (; value > 0x7f || value < 0; value >>>= 7) {
                out.write(((int) value & 0x7f) | 0x80);
            }
            out.write((int) value);
            return this;
        }

        Translation signed(int value) {
            return unsigned((long) Math.abs(value) << 1 | (value < 0 ? 1 : 0));
        }

        Translation zigzag(long value) {
            return unsigned(value << 1 ^ value >> 63);
        }

        Translation operands(Translations operations, int operation, int first, int second) {
            for (int i = 0; i < operations.operands().of(operation); i++) {
                signed(i == 0 ? first : i == 1 ? second : 1_000 + i);
            }
            return this;
        }

        int size() {
            return out.size();
        }

        byte[] bytes() {
            return out.toByteArray();
        }
    }
}
