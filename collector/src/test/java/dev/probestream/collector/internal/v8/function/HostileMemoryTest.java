package dev.probestream.collector.internal.v8.function;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.internal.v8.heap.HeapException.Reason;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.heap.MemoryImage;
import dev.probestream.collector.internal.v8.heap.TargetMemory;
import dev.probestream.collector.internal.v8.layout.V8Layout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memory that a program has made to mislead us, by hand. */
class HostileMemoryTest {
    private static final int CONS = 33;
    private static final int CONS_ONE_BYTE = 41;
    private static final int SEQ_ONE_BYTE = 40;
    private static final int SLICED_ONE_BYTE = 43;
    private static final int THIN_ONE_BYTE = 45;
    private static final int EXTERNAL_ONE_BYTE = 42;
    private static final int UNCACHED_EXTERNAL_ONE_BYTE = 58;

    private final MemoryImage memory = new MemoryImage();
    private V8Layout layout;
    private FunctionReader reader;
    private long free = 0x10_0000;
    private long mapOfMaps;

    @BeforeEach
    void makeHeap() throws Exception {
        layout = MemoryImage.read(Path.of("src/test/resources/testdata/v8/functions-24.image"))
                .layout();
        mapOfMaps = allocate(64);
        memory.putLong(mapOfMaps - 1, mapOfMaps);
        putType(mapOfMaps, layout.types().map());
        reader = new FunctionReader(new HeapReader(memory, layout));
    }

    @Test
    void functionWithAnOrdinaryNameIsRead() {
        assertThat(reader.function(functionNamed(text("plain")))).hasValueSatisfying(function -> {
            assertThat(function.name()).isEqualTo("plain");
            assertThat(function.script()).isEmpty();
        });
    }

    @Test
    void stringThatContainsItselfEnds() {
        long cons = string(CONS_ONE_BYTE, 1000);
        memory.putLong(cons - 1 + 16, cons);
        memory.putLong(cons - 1 + 24, cons);
        assertUnnamed(cons, Reason.BUDGET);
    }

    @Test
    void twoStringsThatContainEachOtherEnd() {
        long one = string(CONS, 1000);
        long other = string(CONS, 1000);
        memory.putLong(one - 1 + 16, other);
        memory.putLong(one - 1 + 24, text(""));
        memory.putLong(other - 1 + 16, one);
        memory.putLong(other - 1 + 24, text(""));
        assertUnnamed(one, Reason.BUDGET);
    }

    @Test
    void thinStringThatIsItselfEnds() {
        long thin = string(THIN_ONE_BYTE, 5);
        memory.putLong(thin - 1 + 16, thin);
        assertUnnamed(thin, Reason.BUDGET);
    }

    @Test
    void slicesOfSlicesEnd() {
        long slice = string(SLICED_ONE_BYTE, 5);
        memory.putLong(slice - 1 + 16, slice);
        memory.putLong(slice - 1 + 24, 0L);
        assertUnnamed(slice, Reason.BUDGET);
    }

    @Test
    void sliceBeyondItsParentIsRefused() {
        long slice = string(SLICED_ONE_BYTE, 5);
        memory.putLong(slice - 1 + 16, text("parent"));
        memory.putLong(slice - 1 + 24, 3L << 32);
        assertUnnamed(slice, Reason.UNEXPECTED);
    }

    @Test
    void stringOfTwoGigabytesIsRefused() {
        assertUnnamed(string(SEQ_ONE_BYTE, Integer.MAX_VALUE), Reason.UNEXPECTED);
        assertUnnamed(string(SEQ_ONE_BYTE, -1), Reason.UNEXPECTED);
    }

    @Test
    void longestStringThatV8AllowsIsCutToAName() {
        long longest = text("x".repeat(5_000));
        memory.putInt(longest - 1 + 12, 500_000_000);
        assertThat(reader.function(functionNamed(longest)).orElseThrow().name()).isEqualTo("x".repeat(4_096));
    }

    @Test
    void consOfManyPartsIsReadInOrder() {
        long joined = text("");
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            String piece = "part" + i + " ";
            expected.append(piece);
            long cons = string(CONS_ONE_BYTE, expected.length());
            memory.putLong(cons - 1 + 16, joined);
            memory.putLong(cons - 1 + 24, text(piece));
            joined = cons;
        }
        assertThat(reader.function(functionNamed(joined)).orElseThrow().name()).isEqualTo(expected.toString());
    }

    @Test
    void consThatIsShorterThanItsHalvesIsReadToItsLength() {
        long cons = string(CONS_ONE_BYTE, 3);
        memory.putLong(cons - 1 + 16, text("abcdef"));
        memory.putLong(cons - 1 + 24, text("ghi"));
        assertThat(reader.function(functionNamed(cons)).orElseThrow().name()).isEqualTo("abc");
    }

    @Test
    void externalStringIsReadWhereItPointsAndNowhereElse() {
        long external = string(EXTERNAL_ONE_BYTE, 3);
        long characters = allocate(16);
        memory.putByte(characters - 1, (byte) 'c');
        memory.putByte(characters, (byte) '+');
        memory.putByte(characters + 1, (byte) '+');
        memory.putLong(external - 1 + 24, characters - 1);
        assertThat(reader.function(functionNamed(external)).orElseThrow().name())
                .isEqualTo("c++");
        reader.forget();
        memory.putLong(external - 1 + 24, -1);
        assertUnnamed(external, Reason.UNREADABLE);
        assertUnnamed(string(UNCACHED_EXTERNAL_ONE_BYTE, 3), Reason.UNEXPECTED);
    }

    @Test
    void functionWhoseScriptIsItselfIsRefused() {
        long function = functionNamed(text("plain"));
        memory.putLong(function - 1 + layout.sharedFunctions().script(), function);
        assertThat(reader.function(function)).isEmpty();
        assertThat(reader.failures()).containsOnlyKeys(Reason.UNEXPECTED);
    }

    @Test
    void functionThatIsItsOwnNameOrMapIsRefused() {
        long function = functionNamed(text("plain"));
        assertUnnamed(function, Reason.UNEXPECTED);
        memory.putLong(function - 1, function);
        assertThat(reader.function(function)).isEmpty();
    }

    @Test
    void wordsThatAreNoPointersAreRefused() {
        for (long word :
                new long[] {0, 1, 2, 3, -1, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE - 2, 0x7fff_ffff_fffdL}) {
            assertThat(reader.function(word)).as(Long.toHexString(word)).isEmpty();
        }
    }

    @Test
    void memoryThatIsReadableEverywhereEndsWithinTheBudget() {
        for (long word : new long[] {0, 1, 0x101, 0x0000_0110_0000_0111L, -1, 0x4141_4141_4141_4141L}) {
            long[] bytes = {0};
            TargetMemory everywhere = (address, into) -> {
                bytes[0] += into.remaining();
                into.order(ByteOrder.LITTLE_ENDIAN);
                while (into.remaining() >= Long.BYTES) {
                    into.putLong(word);
                }
                into.position(into.limit());
                return true;
            };
            Optional<FunctionDescription> found =
                    new FunctionReader(new HeapReader(everywhere, layout)).function(0x1001);
            assertThat(found).isEmpty();
            assertThat(bytes[0]).isLessThanOrEqualTo(FunctionReader.NAME_BUDGET.bytes());
        }
    }

    @Test
    void manyScriptsWithOneHugeSourceAreCountedOnlyForAWhile() {
        long source = string(EXTERNAL_ONE_BYTE, 60 << 20);
        memory.putLong(source - 1 + 24, 0x7000_0000_0000L);
        long[] bytes = {0};
        TargetMemory huge = (address, into) -> {
            bytes[0] += into.remaining();
            if (address >= 0x7000_0000_0000L) {
                into.position(into.limit());
                return true;
            }
            return memory.read(address, into);
        };
        FunctionReader limited = new FunctionReader(new HeapReader(huge, layout));
        int withLine = 0;
        for (int i = 0; i < 100; i++) {
            withLine += Math.min(
                    1,
                    limited.function(functionIn(script(source))).orElseThrow().line());
        }
        assertThat(withLine).isBetween(1, 8);
        assertThat(bytes[0]).isLessThan(600L << 20);
        assertThat(limited.failures()).containsOnlyKeys(Reason.BUDGET);
    }

    /** A scavenge moves young strings without notice; a mark-compact, which our probes see, moves the others. */
    @Test
    void sourceThatMovesBetweenTwoQuestionsIsReadWhereItIs() {
        long script = script(text("\n\nfirst\nsecond\n"));
        Script read = reader.function(functionIn(script)).orElseThrow().script().orElseThrow();
        assertThat(read.positionOf(10)).contains(new SourcePosition(4, 3));
        moveSource(script);
        assertThat(read.positionOf(10)).contains(new SourcePosition(4, 3));
    }

    @Test
    void sourceThatMovesWhileItIsReadIsReadAgain() {
        long script = script(text("\n\nfirst\nsecond\n"));
        long function = functionIn(script);
        int[] reads = {0};
        // At each number of reads, the string moves just then, and its old place is overwritten.
        for (int moveAt = 1; moveAt < 150; moveAt++) {
            int at = moveAt;
            reads[0] = 0;
            TargetMemory moving = (address, into) -> {
                if (++reads[0] == at) {
                    moveSource(script);
                }
                return memory.read(address, into);
            };
            FunctionReader limited = new FunctionReader(new HeapReader(moving, layout));
            assertThat(limited.function(function)).as("moved at read " + at).hasValueSatisfying(found -> {
                assertThat(found.line()).isEqualTo(3);
                assertThat(found.script().orElseThrow().positionOf(10)).contains(new SourcePosition(4, 3));
            });
        }
        assertThat(reads[0]).as("reads of both questions").isBetween(20, 149);
    }

    /** While a scavenge runs, the script refers to where the source was, and there is where it went (MapWord). */
    @Test
    void sourceThatIsMovingWhenItIsReadIsReadAgain() {
        long source = text("\n\nfirst\nsecond\n");
        long function = functionIn(script(source));
        long map = memory.longAt(source - 1);
        for (int moveAt = 1; moveAt < 80; moveAt++) {
            int at = moveAt;
            int[] reads = {0};
            TargetMemory moving = new TargetMemory() {
                @Override
                public boolean read(long address, ByteBuffer into) {
                    if (++reads[0] == at) {
                        memory.putLong(source - 1, source + 4095);
                    }
                    return memory.read(address, into);
                }

                @Override
                public void awaitMove() {
                    memory.putLong(source - 1, map);
                }
            };
            assertThat(new FunctionReader(new HeapReader(moving, layout)).function(function))
                    .as("moving from read " + at)
                    .hasValueSatisfying(found -> assertThat(found.line()).isEqualTo(3));
            memory.putLong(source - 1, map);
        }
    }

    @Test
    void piecesOfANameThatMoveWhileTheyAreReadAreReadAgain() {
        long cons = string(CONS_ONE_BYTE, 6);
        memory.putLong(cons - 1 + 16, text("abc"));
        memory.putLong(cons - 1 + 24, text("def"));
        long function = functionNamed(cons);
        for (int moveAt = 1; moveAt < 30; moveAt++) {
            int at = moveAt;
            int[] reads = {0};
            TargetMemory moving = (address, into) -> {
                if (++reads[0] == at) {
                    move(cons, 24, "def");
                }
                return memory.read(address, into);
            };
            assertThat(new FunctionReader(new HeapReader(moving, layout))
                            .function(function)
                            .orElseThrow()
                            .name())
                    .as("moved at read " + at)
                    .isEqualTo("abcdef");
        }
    }

    private void moveSource(long script) {
        move(script, layout.scripts().source(), "\n\nfirst\nsecond\n");
    }

    /** As a scavenge does: the holder points to the new place, the old one is used for something else. */
    private void move(long holder, int offset, String text) {
        long old = memory.longAt(holder - 1 + offset);
        memory.putLong(holder - 1 + offset, text(text));
        for (int i = 0; i < text.length(); i++) {
            memory.putByte(old - 1 + 16 + i, (byte) '\n');
        }
    }

    @Test
    void lineEndsThatDoNotAscendEnd() {
        long script = script(text("a\nb\nc\n"));
        long ends = object(layout.types().fixedArray(), 100);
        memory.putLong(ends - 1 + 8, 8L << 32);
        for (int i = 0; i < 8; i++) {
            memory.putLong(ends - 1 + 16 + 8L * i, (long) (i % 2 == 0 ? 5 - i : Integer.MAX_VALUE) << 32);
        }
        memory.putLong(script - 1 + layout.scripts().lineEnds(), ends);
        Optional<FunctionDescription> function = reader.function(functionIn(script));
        assertThat(function).isPresent();
        assertThat(function.get().line()).isNotNegative();
    }

    private void assertUnnamed(long name, Reason reason) {
        Map<Reason, Long> before = reader.failures();
        assertThat(reader.function(functionNamed(name))).isEmpty();
        assertThat(reader.failures().getOrDefault(reason, 0L))
                .as(reason + " in " + reader.failures())
                .isEqualTo(before.getOrDefault(reason, 0L) + 1);
    }

    private long functionNamed(long name) {
        long function = object(layout.types().sharedFunctionInfo(), 64);
        memory.putLong(function - 1 + layout.sharedFunctions().nameOrScopeInfo(), name);
        memory.putLong(
                function - 1 + layout.sharedFunctions().script(),
                object(layout.types().oddball(), 48));
        return function;
    }

    /** Uncompiled, so that it contains its start position. */
    private long functionIn(long script) {
        long function = functionNamed(text("within"));
        memory.putLong(function - 1 + layout.sharedFunctions().script(), script);
        long uncompiled = object(layout.types().firstUncompiledData(), 32);
        memory.putLong(uncompiled - 1 + layout.uncompiledFunctions().inferredName(), text(""));
        memory.putInt(uncompiled - 1 + layout.uncompiledFunctions().startPosition(), 2);
        memory.putLong(function - 1 + layout.sharedFunctions().data(), uncompiled);
        return function;
    }

    private long script(long source) {
        long script = object(layout.types().script(), 160);
        long undefined = object(layout.types().oddball(), 48);
        memory.putLong(script - 1 + layout.scripts().source(), source);
        memory.putLong(script - 1 + layout.scripts().name(), text("file.js"));
        memory.putLong(script - 1 + layout.scripts().lineEnds(), undefined);
        memory.putLong(script - 1 + layout.scripts().sourceUrl(), undefined);
        return script;
    }

    private long text(String text) {
        long string = string(SEQ_ONE_BYTE, text.length());
        allocate(text.length());
        for (int i = 0; i < text.length(); i++) {
            memory.putByte(string - 1 + 16 + i, (byte) text.charAt(i));
        }
        return string;
    }

    private long string(int type, int length) {
        long string = object(type, 32);
        memory.putInt(string - 1 + 12, length);
        return string;
    }

    private long object(int type, int sizeBytes) {
        long map = allocate(64);
        memory.putLong(map - 1, mapOfMaps);
        putType(map, type);
        long object = allocate(sizeBytes);
        memory.putLong(object - 1, map);
        return object;
    }

    private void putType(long map, int type) {
        memory.putByte(map - 1 + layout.maps().instanceType(), (byte) type);
        memory.putByte(map - 1 + layout.maps().instanceType() + 1, (byte) (type >>> 8));
    }

    /** Tagged. */
    private long allocate(int sizeBytes) {
        long address = free;
        free += (sizeBytes + 15) / 8 * 8L;
        for (long at = address; at < free; at += 8) {
            memory.putLong(at, 0);
        }
        return address + 1;
    }
}
