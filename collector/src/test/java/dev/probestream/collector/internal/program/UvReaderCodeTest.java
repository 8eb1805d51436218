package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;
import static dev.probestream.bpf.asm.Register.R6;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.collector.internal.program.layout.KnownStreamLayout;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout;
import dev.probestream.collector.internal.program.layout.v8.AsyncContextLayout;
import dev.probestream.collector.internal.program.layout.v8.BaselineCodeLayout;
import dev.probestream.collector.internal.program.layout.v8.EventLoopLayout;
import dev.probestream.collector.internal.program.layout.v8.KnownThreadLayout;
import dev.probestream.collector.internal.program.layout.v8.StreamListenerLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** find_uv_reader(), run by the kernel over streams of a main thread that lie in this process (BPF_PROG_TEST_RUN). */
@KernelTest(since = "5.11")
class UvReaderCodeTest {
    private static final long SEED = 20_261_130;
    private static final int MUTANTS = 3_000;

    private static final String RESULT = "result";
    private static final String PROGRAM = "find";

    private static final int TGID = 4700;
    private static final long WHO = 0x1234_0000_5678L;
    private static final int FD = 5;
    private static final int TCP = 12;

    // What is returned.
    private static final long UNKNOWN = -1;
    private static final long OTHER = 0;
    private static final long JAVASCRIPT = 1;
    private static final long BETWEEN_MESSAGES = 2;
    private static final long IN_MESSAGE = 3;
    private static final long TLS = 4;

    // Of the Node.js that is laid.
    private static final long PARSER_FUNCTIONS = 0x2232_22d8L;
    private static final long TLS_FUNCTIONS = 0x22c9_6f0L;
    private static final int STREAM_BASE = 88;
    private static final int MESSAGE_START = 0xfd;

    // Places in the memory of the process.
    private static final int THREAD = 0x100;
    private static final int ISOLATE = 0x200;
    private static final int LOOP = 0x300;
    private static final int WATCHER_SLOTS = 0x400;
    private static final int STREAM = 0x500;
    private static final int STREAM_WATCHER = STREAM + 136;
    private static final int WRAP = 0x700;
    private static final int BASE = WRAP + STREAM_BASE;
    private static final int BASE_LISTENER = BASE + 8;
    private static final int BASE_STREAM = BASE + 64;
    private static final int LISTENER = 0x900;
    private static final int LISTENER_STREAM = LISTENER + 8;
    private static final int ERROR = LISTENER + 24 + 24;
    private static final int CURRENT = LISTENER + 24 + 56;
    private static final int TYPE = LISTENER + 24 + 72;
    private static final int SIZE_BYTES = 0xa00;

    private static final String BYTES_READ = "bytes_read";

    private static BpfObjects objects;

    private NativeMemory memory;
    private long base;

    @BeforeAll
    static void load() {
        Assembler assembler = new Assembler();
        assembler.mov(R6, R1);
        int stream = assembler.stackSlot(Long.BYTES);
        assembler.mov(R1, R10).add(R1, stream);
        assembler.load(Width.DOUBLE_WORD, R2, R6, 0).load(Width.DOUBLE_WORD, R3, R6, 8);
        assembler.load(Width.DOUBLE_WORD, R4, R6, 16).load(Width.DOUBLE_WORD, R5, R6, 24);
        assembler.callFunction("find_uv_reader", 224);
        assembler
                .loadMapValue(R1, RESULT)
                .store(Width.DOUBLE_WORD, R1, 0, R0)
                .mov(R0, 0)
                .exit();
        Assembler reading = new Assembler();
        reading.mov(R6, R1).load(Width.DOUBLE_WORD, R1, R6, 0).load(Width.DOUBLE_WORD, R2, R6, 8);
        reading.callFunction("bytes_read_from", 64);
        reading.loadMapValue(R1, RESULT)
                .store(Width.DOUBLE_WORD, R1, 0, R0)
                .mov(R0, 0)
                .exit();
        objects = FunctionsInC.link(new ObjectsSpec(
                        List.of(
                                MapSpec.array(RESULT, Long.BYTES, 1),
                                MapSpec.hash(MapNames.ASYNC_CONTEXTS, Integer.BYTES, AsyncContextLayout.SIZE_BYTES, 16),
                                MapSpec.array(
                                        MapNames.CONTEXT_THREADS,
                                        KnownThreadLayout.SIZE_BYTES,
                                        KnownThreadLayout.MAX_THREADS),
                                MapSpec.array(
                                        MapNames.UV_STREAMS,
                                        KnownStreamLayout.SIZE_BYTES,
                                        KnownStreamLayout.MAX_STREAMS)),
                        List.of(TestRun.spec(PROGRAM, assembler), TestRun.spec(BYTES_READ, reading))))
                .load();
    }

    @AfterAll
    static void unload() {
        objects.close();
    }

    /** A stream that an HTTP server's parser reads, before the first message. */
    @BeforeEach
    void lay() {
        memory = NativeMemory.allocate(SIZE_BYTES);
        // Memory that is allocated stays where it is.
        base = memory.lend(address -> address);
        memory.putLong(THREAD - 8, base + ISOLATE);
        memory.putLong(LOOP + 0x68, base + WATCHER_SLOTS).putInt(LOOP + 0x70, FD + 1);
        memory.putLong(WATCHER_SLOTS + 8 * FD, base + STREAM_WATCHER);
        memory.putLong(STREAM, base + WRAP);
        memory.putLong(STREAM + 8, base + LOOP).putInt(STREAM + 16, TCP).putInt(STREAM_WATCHER + 48, FD);
        memory.putLong(BASE_LISTENER, base + LISTENER).putLong(BASE_STREAM, base + STREAM);
        memory.putLong(LISTENER, PARSER_FUNCTIONS).putLong(LISTENER_STREAM, base + BASE);
        memory.putLong(CURRENT, MESSAGE_START).putInt(TYPE, 1);
        know(new StreamListenerLayout(PARSER_FUNCTIONS, TLS_FUNCTIONS, STREAM_BASE, MESSAGE_START));
        clear(MapNames.CONTEXT_THREADS, TGID & (KnownThreadLayout.MAX_THREADS - 1), KnownThreadLayout.SIZE_BYTES);
        clear(
                MapNames.UV_STREAMS,
                (int) (WHO ^ FD) & (KnownStreamLayout.MAX_STREAMS - 1),
                KnownStreamLayout.SIZE_BYTES);
    }

    private static void clear(String map, int key, int sizeBytes) {
        objects.map(map).update(BpfMap.key(key), ByteBuffer.allocate(sizeBytes));
    }

    private void know(StreamListenerLayout listeners) {
        AsyncContextLayout layout = new AsyncContextLayout(
                -8,
                0,
                0,
                0x10,
                0x20,
                0,
                0,
                0,
                0,
                AsyncCallerLayout.NONE,
                0,
                0,
                0,
                BaselineCodeLayout.NONE,
                new EventLoopLayout(base + LOOP, 0x28, 0x30),
                listeners);
        objects.map(MapNames.ASYNC_CONTEXTS).update(BpfMap.key(TGID), layout.encode());
    }

    private long find(long fd) {
        TestRun.run(objects.program(PROGRAM), fd, (long) TGID << 32 | TGID, WHO, base + THREAD);
        return result();
    }

    private static long result() {
        return objects.map(RESULT)
                .lookup(BpfMap.key(0))
                .orElseThrow()
                .order(ByteOrder.nativeOrder())
                .getLong(0);
    }

    private long find() {
        return find(FD);
    }

    @Test
    void bytesThatWereReadAreInTheStreamBase() {
        memory.putLong(BASE + 16, 4_294_967_296L);
        TestRun.run(objects.program(BYTES_READ), base + STREAM, TGID);
        assertThat(result()).isEqualTo(4_294_967_296L);
        TestRun.run(objects.program(BYTES_READ), 8, TGID);
        assertThat(result()).as("of what cannot be read").isEqualTo(-1);
        TestRun.run(objects.program(BYTES_READ), base + STREAM, TGID + 1);
        assertThat(result()).as("of another process").isEqualTo(-1);
    }

    @Test
    void parserBeforeAMessageIsBetweenTwo() {
        assertThat(find()).isEqualTo(BETWEEN_MESSAGES);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, MESSAGE_START - 1, MESSAGE_START + 1, 1L << 32 | MESSAGE_START, -1})
    void parserInAnyOtherStateIsInAMessage(long state) {
        memory.putLong(CURRENT, state);
        assertThat(find()).isEqualTo(IN_MESSAGE);
    }

    @ParameterizedTest
    @ValueSource(ints = {21, 22, 5, -1}) // paused, for an upgrade; closed
    void parserWithAnErrorBeginsNoMessage(int error) {
        memory.putInt(ERROR, error);
        assertThat(find()).isEqualTo(IN_MESSAGE);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 3, 255})
    void parserOfResponsesIsAnother(int type) {
        memory.putInt(TYPE, type);
        assertThat(find()).isEqualTo(OTHER);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 24, 40, 56, 63})
    void listenerInTheStreamBaseIsOfJavaScript(int place) {
        memory.putLong(BASE_LISTENER, base + BASE + place);
        assertThat(find()).isEqualTo(JAVASCRIPT);
    }

    @ParameterizedTest
    @ValueSource(ints = {-8, -1, 64, 72})
    void listenerBesideTheStreamBaseIsAnother(int place) {
        memory.putLong(BASE_LISTENER, base + BASE + place);
        assertThat(find()).isEqualTo(OTHER);
    }

    @Test
    void tlsSessionIsKnownByItsFunctions() {
        memory.putLong(LISTENER, TLS_FUNCTIONS).putLong(CURRENT, 0).putInt(TYPE, 0);
        assertThat(find()).isEqualTo(TLS);
    }

    @ParameterizedTest
    @CsvSource({"0", "8", "-8", "-16"})
    void functionsOfOtherClassesAreAnother(long distance) {
        memory.putLong(LISTENER, distance == 0 ? 0 : PARSER_FUNCTIONS + distance);
        assertThat(find()).isEqualTo(OTHER);
        memory.putLong(LISTENER, distance == 0 ? 0 : TLS_FUNCTIONS + distance);
        assertThat(find()).isEqualTo(OTHER);
    }

    @Test
    void listenerOfAnotherStreamIsAnother() {
        memory.putLong(LISTENER_STREAM, base + BASE + 8);
        assertThat(find()).isEqualTo(OTHER);
        memory.putLong(LISTENER_STREAM, 0);
        assertThat(find()).isEqualTo(OTHER);
    }

    @Test
    void streamOfAnotherLibraryHasAnotherReader() {
        memory.putLong(BASE_STREAM, base + STREAM + 8);
        assertThat(find()).isEqualTo(OTHER);
        memory.putLong(BASE_STREAM, base + STREAM).putLong(STREAM, 0);
        assertThat(find()).isEqualTo(OTHER);
        memory.putLong(STREAM, 8);
        assertThat(find()).isEqualTo(OTHER);
        memory.putLong(STREAM, base + WRAP).putLong(BASE_LISTENER, 0);
        assertThat(find()).isEqualTo(OTHER);
    }

    @Test
    void withoutAStreamOrALayoutItIsUnknown() {
        assertThat(find(FD + 1)).isEqualTo(UNKNOWN);
        assertThat(find(-1)).isEqualTo(UNKNOWN);
        memory.putInt(STREAM + 16, 8);
        assertThat(find()).as("no stream").isEqualTo(UNKNOWN);
        memory.putInt(STREAM + 16, TCP);
        assertThat(find()).isEqualTo(BETWEEN_MESSAGES);
        know(StreamListenerLayout.NONE);
        assertThat(find()).isEqualTo(UNKNOWN);
        objects.map(MapNames.ASYNC_CONTEXTS).delete(BpfMap.key(TGID));
        assertThat(find()).isEqualTo(UNKNOWN);
    }

    @Test
    void damagedMemoryIsReadWithoutHarm() {
        Random random = new Random(SEED);
        for (int i = 0; i < MUTANTS; i++) {
            lay();
            for (int change = 1 + random.nextInt(3); change > 0; change--) {
                memory.putLong(
                        8 * random.nextInt(SIZE_BYTES / 8),
                        switch (random.nextInt(4)) {
                            case 0 -> random.nextLong();
                            case 1 -> base + random.nextInt(SIZE_BYTES);
                            case 2 -> base + 8L * random.nextInt(SIZE_BYTES / 8);
                            default -> 0;
                        });
            }
            assertThat(find()).as("mutant " + i + " of seed " + SEED).isBetween(UNKNOWN, TLS);
        }
    }
}
