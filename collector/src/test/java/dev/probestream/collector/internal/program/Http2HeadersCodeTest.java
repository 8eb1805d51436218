package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.collector.internal.program.layout.Http2SearchLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The functions of http2_headers.bpf.c, run by the kernel over memory of this process (BPF_PROG_TEST_RUN), beside the same in
 * Java. Http2HeadersTest has the structures of a C++ compiler; here any word of them may be anything.
 */
@KernelTest(since = "5.17")
class Http2HeadersCodeTest {
    private static final String SEARCH = "search";
    private static final String NAME = "grpc-status";
    private static final int ROUNDS = 3_000;
    private static final int WORDS = 512;

    // Where the structures lie, in words.
    private static final int FRAME = 0;
    private static final int SESSION = 4;
    private static final int STREAMS_PLACE = 2;
    private static final int BUCKETS = 16;
    private static final int BUCKET_COUNT = 7;
    private static final int NODES = 32;
    private static final int NODE_WORDS = 3;
    private static final int STREAM = 100;
    private static final int HEADERS_PLACE = 5;
    private static final int HEADERS = 120;
    private static final int HEADER_WORDS = 9;
    private static final int RCBUFS = 260;
    private static final int RCBUF_WORDS = 4;
    private static final int TEXTS = 400;

    private static final int MAX_NODES = 8;
    private static final int MAX_HEADERS = 64;
    private static final long UNREADABLE = 8;

    private static BpfObjects objects;

    private final long[] words = new long[WORDS];
    private long base;

    @BeforeAll
    static void load() {
        objects = FunctionsInC.link(new ObjectsSpec(
                        List.of(MapSpec.array(SEARCH, Http2SearchLayout.SIZE_BYTES, 1)),
                        List.of(program(""), program("_without_loops"))))
                .load();
    }

    @AfterAll
    static void unload() {
        objects.close();
    }

    private static ProgramSpec program(String suffix) {
        Assembler assembler =
                new Assembler().mov(R6, R1).loadMapValue(R7, SEARCH).mov(R1, R7);
        assembler.mov(R2, NAME.length()).mov(R3, 0).callFunction("find_http2_header" + suffix, 256);
        return TestRun.spec("find" + suffix, assembler.exit());
    }

    private long address(int word) {
        return base + (long) word * Long.BYTES;
    }

    /** A session with streams of which one has headers, and what the search is of. */
    private void build(Random random) {
        Arrays.fill(words, 0);
        int id = random.nextInt(1, 40);
        words[FRAME + 1] = id;
        words[SESSION + STREAMS_PLACE] = address(BUCKETS);
        words[SESSION + STREAMS_PLACE + 1] = BUCKET_COUNT;
        int nodes = random.nextInt(1, 5);
        int own = random.nextInt(nodes);
        words[BUCKETS + id % BUCKET_COUNT] = address(NODES);
        words[NODES] = address(NODES + NODE_WORDS);
        for (int i = 0; i < nodes; i++) {
            int node = NODES + (i + 1) * NODE_WORDS;
            words[node] = i + 1 < nodes ? address(node + NODE_WORDS) : 0;
            words[node + 1] = i == own ? id : id + BUCKET_COUNT;
            words[node + 2] = address(STREAM);
        }
        int headers = random.nextInt(12);
        words[STREAM + HEADERS_PLACE] = address(HEADERS);
        words[STREAM + HEADERS_PLACE + 1] = address(HEADERS + headers * HEADER_WORDS);
        for (int i = 0; i < headers; i++) {
            int header = HEADERS + i * HEADER_WORDS;
            boolean isNamed = random.nextInt(8) == 0;
            words[header + 3] =
                    rcbuf(2 * i, isNamed ? TEXTS : TEXTS + 2, NAME.length() - (isNamed ? 0 : random.nextInt(2)));
            words[header + 6] = rcbuf(2 * i + 1, TEXTS + 4, random.nextInt(6));
        }
        text(TEXTS, NAME);
        text(TEXTS + 2, "grpc-statut");
        text(TEXTS + 4, "13");
    }

    private long rcbuf(int index, int text, int length) {
        int rcbuf = RCBUFS + index * RCBUF_WORDS;
        words[rcbuf + 2] = address(text);
        words[rcbuf + 3] = length;
        return address(rcbuf);
    }

    private void text(int word, String text) {
        ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(text.getBytes(StandardCharsets.US_ASCII)).rewind();
        words[word] = bytes.getLong();
        words[word + 1] = bytes.getLong();
    }

    /** What a word of the memory is; empty = it is not there. */
    private OptionalLong read(long address) {
        long offset = address - base;
        return offset >= 0 && offset % Long.BYTES == 0 && offset < (long) WORDS * Long.BYTES
                ? OptionalLong.of(words[(int) (offset / Long.BYTES)])
                : OptionalLong.empty();
    }

    private boolean isThere(long address, int count) {
        return read(address).isPresent()
                && read(address + (count - 1L) * Long.BYTES).isPresent();
    }

    private long word(long address) {
        return read(address).orElseThrow();
    }

    /** The address and the length that are expected; empty = not readable. */
    private long[] expected(boolean isFirst) {
        long bucketCount = words[SESSION + STREAMS_PLACE + 1];
        int id = (int) words[FRAME + 1];
        if (bucketCount == 0) {
            return new long[0];
        }
        long bucket = words[SESSION + STREAMS_PLACE]
                + Long.remainderUnsigned(Integer.toUnsignedLong(id), bucketCount) * Long.BYTES;
        if (!isThere(bucket, 1) || !isThere(word(bucket), 1)) {
            return new long[0];
        }
        long node = word(word(bucket));
        for (int i = 0; i < MAX_NODES && node != 0; i++) {
            if (!isThere(node, NODE_WORDS)) {
                return new long[0];
            }
            if ((int) word(node + Long.BYTES) == id) {
                return header(word(node + 2L * Long.BYTES), isFirst);
            }
            node = word(node);
        }
        return new long[0];
    }

    private long[] header(long stream, boolean isFirst) {
        long vector = stream + (long) HEADERS_PLACE * Long.BYTES;
        if (stream == 0 || !isThere(vector, 2)) {
            return new long[0];
        }
        long[] found = {0, 0};
        boolean isFound = false;
        long end = word(vector + Long.BYTES);
        long at = word(vector);
        for (int i = 0;
                i < MAX_HEADERS && Long.compareUnsigned(at, end) < 0;
                i++, at += (long) HEADER_WORDS * Long.BYTES) {
            if (!isThere(at, HEADER_WORDS) || !isThere(word(at + 24) + 16, 2)) {
                return new long[0];
            }
            long name = word(at + 24) + 16;
            if (word(name + Long.BYTES) != NAME.length()) {
                continue;
            }
            if (!isThere(word(name), 2)) {
                return new long[0];
            }
            if (word(word(name)) != words[TEXTS] || (word(word(name) + Long.BYTES) & 0xffffff) != words[TEXTS + 1]) {
                continue;
            }
            long value = word(at + 48) + 16;
            if (isFound || !isThere(value, 2)) {
                return new long[0];
            }
            isFound = true;
            found = new long[] {word(value), word(value + Long.BYTES)};
            if (isFirst) {
                return found;
            }
        }
        return Long.compareUnsigned(at, end) < 0 ? new long[0] : found;
    }

    private long[] find(String suffix, boolean isFirst) {
        ByteBuffer search = ByteBuffer.allocate(Http2SearchLayout.SIZE_BYTES).order(ByteOrder.nativeOrder());
        search.putLong(Http2SearchLayout.SESSION_OFFSET, address(SESSION));
        search.putLong(Http2SearchLayout.FRAME_OFFSET, address(FRAME));
        search.putLong(Http2SearchLayout.STREAMS_PLACE_OFFSET, (long) STREAMS_PLACE * Long.BYTES);
        search.putLong(Http2SearchLayout.HEADERS_PLACE_OFFSET, (long) HEADERS_PLACE * Long.BYTES);
        search.putLong(Http2SearchLayout.IS_FIRST_OFFSET, isFirst ? 1 : 0);
        search.put(Http2SearchLayout.NAME_OFFSET, NAME.getBytes(StandardCharsets.US_ASCII));
        BpfMap map = objects.map(SEARCH);
        map.update(BpfMap.key(0), search);
        if (TestRun.run(objects.program("find" + suffix)) != 0) {
            return new long[0];
        }
        ByteBuffer found = map.lookup(BpfMap.key(0)).orElseThrow().order(ByteOrder.nativeOrder());
        long length = found.getLong(Http2SearchLayout.VALUE_OFFSET + Long.BYTES);
        return new long[] {length == 0 ? 0 : found.getLong(Http2SearchLayout.VALUE_OFFSET), length};
    }

    private void mutate(Random random) {
        for (int i = random.nextInt(3); i > 0; i--) {
            int word = random.nextInt(TEXTS);
            words[word] = switch (random.nextInt(5)) {
                case 0 -> 0;
                case 1 -> UNREADABLE;
                case 2 -> address(random.nextInt(WORDS - 2 * HEADER_WORDS));
                case 3 -> words[random.nextInt(WORDS)];
                default -> random.nextLong();
            };
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "_without_loops"})
    void headerIsFoundOrTheMemoryIsNotReadable(String suffix) {
        Random random = new Random(3);
        int found = 0;
        for (int i = 0; i < ROUNDS; i++) {
            NativeMemory memory = NativeMemory.ofLongs(words);
            base = memory.lend(address -> address);
            build(random);
            mutate(random);
            for (int word = 0; word < WORDS; word++) {
                memory.putLong(word * Long.BYTES, words[word]);
            }
            boolean isFirst = random.nextBoolean();
            long[] expected = expected(isFirst);
            if (expected.length > 0 && expected[1] == 0) {
                expected[0] = 0;
            }

            assertThat(find(suffix, isFirst)).as("round %d", i).isEqualTo(expected);
            found += expected.length > 0 && expected[1] > 0 ? 1 : 0;
            assertThat(memory.getLong(0)).isEqualTo(words[0]);
        }
        assertThat(found).isGreaterThan(ROUNDS / 10);
    }
}
