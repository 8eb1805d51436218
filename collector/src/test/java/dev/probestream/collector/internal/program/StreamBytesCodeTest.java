package dev.probestream.collector.internal.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout.Room;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which bytes are a message to a database, and what is copied of writes and reads, beside plain Java. */
@KernelTest(since = "5.17")
class StreamBytesCodeTest extends StreamFunctions {
    private static final long SEED = 20_261_129;
    private static final int MUTANTS = 3_000;
    private static final int ROUNDS = 300;
    private static final int LAST_LARGE = StreamBytesLayout.HEAD_BYTES + StreamBytesLayout.TAIL_BYTES;

    @Test
    void messagesOfClientsToDatabasesAreRecognized() {
        for (byte[] message : messages()) {
            assertThat(isMessage(Buffer.of(message)))
                    .as(Arrays.toString(message))
                    .isTrue();
        }
        for (char letter : "BCDEFHPQSXcdfp".toCharArray()) {
            assertThat(isMessage(Buffer.of(ascii(letter + "\0\0\0\u0004xyz"))))
                    .as("" + letter)
                    .isTrue();
        }
    }

    @Test
    void othersAreNot() {
        for (String text : List.of(
                "GET / HTTP/1.1\r\n\r\n",
                "HTTP/1.1 200 OK\r\n\r\n",
                "*0\r\n....",
                "*a\r\n....",
                "\u0009\0\0\u0004\u0003select 1", // the number of no command
                "\u0008\0\0\0\u0003select 1", // longer than the packet
                "A\0\0\0\u0004....", // a letter of none
                "q\0\0\0\u0004....",
                "Q\0\0\0\u0003....", // shorter than its length
                "Q\0\0\0\u0009....", // its end is missing
                "Q\u00ff\u00ff\u00ff\u00ff....",
                "\0\0\0\u0010\0\u0002\0\0user\0x\0\0",
                "\0\0\0\u0011\0\u0003\0\0user\0x\0\0",
                "\0\0\0\0\0\0\0\0")) {
            assertThat(isMessage(Buffer.of(ascii(text)))).as(text).isFalse();
        }
        assertThat(isMessage(Buffer.unreadable(20))).isFalse();
        assertThat(isMessage(UNREADABLE)).isFalse();
    }

    @Test
    void anyBytesAreRecognizedAsPlainJavaDoes() {
        Random random = new Random(SEED);
        List<byte[]> messages = messages();
        int recognized = 0;
        for (int i = 0; i < MUTANTS; i++) {
            byte[] bytes = messages.get(random.nextInt(messages.size())).clone();
            for (int change = random.nextInt(3); change > 0; change--) {
                bytes[random.nextInt(8)] = (byte) (random.nextBoolean() ? random.nextInt(256) : random.nextInt(20));
            }
            long length = random.nextInt(3) == 0 ? random.nextLong() >>> random.nextInt(64) : bytes.length;
            boolean expected = isMessage(bytes, length);
            recognized += expected ? 1 : 0;
            assertThat(isMessage(Buffer.at(bytes, length)))
                    .as("mutant %d of seed %d: %s of %d", i, SEED, Arrays.toString(bytes), length)
                    .isEqualTo(expected);
        }
        assertThat(recognized).isBetween(MUTANTS / 10, MUTANTS * 9 / 10);
    }

    /** The first 8 bytes of a buffer of that length. */
    private static boolean isMessage(byte[] bytes, long length) {
        ByteBuffer big = ByteBuffer.wrap(bytes);
        boolean isRedis = bytes[0] == '*' && bytes[1] >= '1' && bytes[1] <= '9';
        int packet = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt() & 0xff_ffff;
        boolean isMySql = (bytes[3] & 0xff) <= 3 && packet + 4L == length;
        long message = Integer.toUnsignedLong(big.getInt(1));
        boolean isPostgres = "BCDEFHPQSXcdfp".indexOf(bytes[0] & 0xff) >= 0
                && message >= 4
                && Long.compareUnsigned(message + 1, length) <= 0;
        boolean isBeginning = Integer.toUnsignedLong(big.getInt(0)) == length
                && List.of(0x0003_0000, 0x04d2_162f, 0x04d2_1630).contains(big.getInt(4));
        return isRedis || isMySql || isPostgres || isBeginning;
    }

    @Test
    void hitsOfADatabaseAreNumberedUntilItsStreamIsClosed() {
        long stream = streams++;
        long message = list(List.of(Buffer.of(messages().get(0))));
        assertThat(run("count_read", stream, TGID, UNREADABLE, 0)).isZero();
        assertThat(run("count_write", stream, TGID, UNREADABLE, 1)).isZero();
        assertThat(run("count_write", stream, TGID, message, 1)).isEqualTo(1);
        assertThat(run("count_write", stream, TGID, UNREADABLE, 1)).isEqualTo(2);
        assertThat(run("count_read", stream, TGID, UNREADABLE, 0)).isEqualTo(3);
        assertThat(run("count_read", stream, TGID + 1, UNREADABLE, 0))
                .as("another process")
                .isZero();
        assertThat(run("count_read", stream + 1, TGID, UNREADABLE, 0)).isZero();

        assertThat(copied(Room.SMALL, () -> run("close", stream, TGID, UNREADABLE, 5)))
                .isEqualTo(expected(Room.SMALL, List.of(), 0).putLong(StreamBytesLayout.SEQUENCE_OFFSET, 0));
        assertThat(run("count_read", stream, TGID, UNREADABLE, 0)).isZero();
        assertThat(run("count_write", stream, TGID, message, 1)).isEqualTo(1);
    }

    @Test
    void roomIsAsLargeAsTheWriteNeeds() {
        byte[] bytes = new byte[600];
        assertThat(room(list(List.of(Buffer.at(bytes, 512))), 1)).isEqualTo(Room.SMALL);
        assertThat(room(list(List.of(Buffer.at(bytes, 513))), 1)).isEqualTo(Room.LARGE);
        assertThat(room(list(List.of(Buffer.at(bytes, -1))), 1)).isEqualTo(Room.LARGE);
        assertThat(room(UNREADABLE, 1)).isEqualTo(Room.LARGE);
        assertThat(room(UNREADABLE, 0)).isEqualTo(Room.LARGE);
        assertThat(room(UNREADABLE, FEW_BUFFERS)).isEqualTo(Room.LARGE);
        assertThat(room(UNREADABLE, FEW_BUFFERS + 1)).isEqualTo(Room.MANY_BUFFERS);
        assertThat(room(UNREADABLE, -1)).isEqualTo(Room.MANY_BUFFERS);
    }

    @Test
    void whatCannotBeFoundIsNotCopied() {
        for (Room room : Room.values()) {
            assertThat(copied("write_", room, UNREADABLE, 5)).isEqualTo(expected(room, List.of(), 5));
            assertThat(copied("steps_", room, UNREADABLE, 5)).isEqualTo(expected(room, List.of(), 5));
        }
        for (Room room : List.of(Room.SMALL, Room.LARGE)) {
            assertThat(copied("read_", room, UNREADABLE, 5000)).isEqualTo(expected(room, List.of(), 5000));
        }
    }

    /** Lengths of any kind, addresses that cannot be read, more buffers than there is room for. */
    @Test
    void buffersAreCopiedAsPlainJavaDoes() {
        Random random = new Random(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            List<Buffer> buffers = new ArrayList<>();
            int longest = 1 + random.nextInt(2000);
            for (int i = 1 + random.nextInt(round % 3 == 0 ? 3 : round % 3 == 1 ? 12 : 300); i > 0; i--) {
                buffers.add(buffer(random, longest));
            }
            long address = list(buffers);
            for (Room room : Room.values()) {
                for (String program : List.of("write_", "steps_")) {
                    assertThat(copied(program, room, address, buffers.size()))
                            .as("round %d of seed %d, %s%s", round, SEED, program, room)
                            .isEqualTo(expected(room, buffers, buffers.size()));
                }
            }
        }
    }

    private static Buffer buffer(Random random, int longest) {
        byte[] bytes = new byte[random.nextInt(longest)];
        random.nextBytes(bytes);
        return switch (random.nextInt(12)) {
            case 0 -> Buffer.unreadable(random.nextInt(3000));
            case 1 -> Buffer.at(bytes, 0);
            case 2 -> Buffer.at(new byte[2000], (1L << 32) + 5); // its lower 32 bits are recorded
            case 3 -> Buffer.at(new byte[2000], -1);
            default -> Buffer.of(bytes);
        };
    }

    @Test
    void whatIsReadIsCopiedFromBothEnds() {
        byte[] bytes = new byte[100_000];
        new Random(SEED).nextBytes(bytes);
        long address = Buffer.of(bytes).address;
        for (long length :
                new long[] {Long.MIN_VALUE, -4095, 0, 1, 511, 512, 513, 4096, 4351, LAST_LARGE, 4353, 100_000}) {
            for (Room room : List.of(Room.SMALL, Room.LARGE)) {
                int most = room == Room.SMALL ? StreamBytesLayout.SMALL_BYTES : StreamBytesLayout.HEAD_BYTES;
                int head = (int) Math.max(0, Math.min(length, most));
                ByteBuffer expected = expected(room, List.of(), length);
                expected.putInt(StreamBytesLayout.HEAD_BYTES_OFFSET, head);
                expected.put(StreamBytesLayout.HEADER_SIZE_BYTES, bytes, 0, head);
                if (room == Room.LARGE && length >= LAST_LARGE) {
                    int tail = StreamBytesLayout.TAIL_BYTES;
                    expected.putInt(StreamBytesLayout.TAIL_BYTES_OFFSET, tail);
                    expected.put(StreamBytesLayout.TAIL_OFFSET, bytes, (int) length - tail, tail);
                }
                assertThat(copied("read_", room, address, length))
                        .as("%s of %d bytes", room, length)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void theEndOfWhatIsReadMayBeUnreadable() {
        long address = Buffer.of(new byte[StreamBytesLayout.HEAD_BYTES]).address;
        ByteBuffer sample = copied("read_", Room.LARGE, address, Long.MAX_VALUE);
        assertThat(sample.getInt(StreamBytesLayout.HEAD_BYTES_OFFSET)).isEqualTo(StreamBytesLayout.HEAD_BYTES);
        assertThat(sample.getInt(StreamBytesLayout.TAIL_BYTES_OFFSET)).isEqualTo(0);
    }

    private static boolean isMessage(Buffer first) {
        return isMessage(list(List.of(first)));
    }

    /** Of a stream that is not known. */
    private static boolean isMessage(long buffers) {
        int sequence = run("count_write", streams++, TGID, buffers, 1);
        assertThat(sequence).isBetween(0, 1);
        return sequence == 1;
    }

    private static Room room(long address, long count) {
        int number = run("room", 1, TGID, address, count);
        return Stream.of(Room.values())
                .filter(room -> room.number() == number)
                .findFirst()
                .orElseThrow();
    }

    private static ByteBuffer copied(String program, Room room, long address, long count) {
        return copied(room, () -> run(program + map(room), 1, TGID, address, count));
    }
}
