package dev.probestream.collector.internal.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout.Room;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What is known at the returns of system calls: when the call began, how much was written, and whether a database may be behind the descriptor. */
@KernelTest(since = "5.17")
class StreamCallsCodeTest extends StreamFunctions {
    @Test
    void aDescriptorIsADatabasesOnceAMessageToOneIsWritten() {
        long other = list(List.of(Buffer.of(ascii("HTTP/1.1 200 OK\r\n"))));
        long message = list(List.of(Buffer.of(messages().get(3))));
        int after = StreamBytesLayout.MAX_DESCRIPTORS;
        assertThat(ofDescriptor("may_write_to_database", other, 7)).isZero();
        assertThat(ofDescriptor("may_read_from_database", 0, 7)).isZero();
        assertThat(ofDescriptor("may_write_to_database", message, 7)).isEqualTo(1);
        assertThat(ofDescriptor("may_write_to_database", other, 7)).isEqualTo(1);
        assertThat(ofDescriptor("may_read_from_database", 0, 7)).isEqualTo(1);
        assertThat(ofDescriptor("may_read_from_database", 0, 7 + after)).isEqualTo(1);
        assertThat(ofDescriptor("may_read_from_database", 0, 8)).isZero();
        assertThat(ofDescriptor("may_read_from_database", 0, -1)).isZero();
    }

    private static int ofDescriptor(String program, long buffers, long descriptor) {
        return TestRun.run(objects.program(program), 1, TGID, buffers, 1, -1, 0, RECEIVED, descriptor);
    }

    @Test
    void theEntryOfAWriteIsThatOfTheSameThread() throws InterruptedException {
        AtomicLong unknown = new AtomicLong(-1);
        Thread other = new Thread(() -> unknown.set(returned("entry_of_write")));
        for (int i = 0; i < 3; i++) {
            long before = ClockReading.monotonicNowNs();
            returned("enter_write");
            long after = ClockReading.monotonicNowNs();
            assertThat(returned("entry_of_write")).isBetween(before, after);
        }
        other.start();
        other.join();
        assertThat(unknown).hasValue(0);
    }

    private static long returned(String program) {
        TestRun.run(objects.program(program), 0);
        return objects.map(map(Room.SMALL))
                .lookup(BpfMap.key(0))
                .orElseThrow()
                .order(ByteOrder.nativeOrder())
                .getLong(0);
    }

    /** What the kernel has not taken is written again: it is none of this write. */
    @Test
    void onlyWhatTheKernelHasTakenIsCopied() {
        List<Buffer> buffers = List.of(
                Buffer.of(ascii("first")), Buffer.of(ascii("second")), Buffer.unreadable(3), Buffer.of(ascii("last")));
        long address = list(buffers);
        for (long taken = 0; taken <= 18; taken++) {
            List<Buffer> expected = new ArrayList<>();
            long left = taken;
            for (Buffer buffer : buffers) {
                long length = Math.min(buffer.length, left);
                expected.add(new Buffer(buffer.address, length, buffer.bytes));
                left -= length;
            }
            for (String program : List.of("write_", "steps_")) {
                String name = program + map(Room.LARGE);
                long limit = taken;
                assertThat(copied(Room.LARGE, () -> run(name, 1, TGID, address, 4, limit, 0)))
                        .as("%s, %d taken", program, taken)
                        .isEqualTo(expected(Room.LARGE, expected, 4));
            }
        }
    }

    @Test
    void aWriteOfOneBufferHasItsBytesAtTheAddress() {
        Buffer buffer = Buffer.of(messages().get(0));
        long stream = streams++;
        int length = buffer.bytes.length;
        assertThat(run("count_write", stream, TGID, buffer.address, 1, -1, length))
                .isEqualTo(1);
        assertThat(run("room", stream, TGID, buffer.address, 1, -1, length)).isEqualTo(Room.SMALL.number());
        assertThat(run("room", stream, TGID, buffer.address, 1, -1, 513)).isEqualTo(Room.LARGE.number());
        for (Room room : Room.values()) {
            assertThat(copied(room, () -> run("write_" + map(room), stream, TGID, buffer.address, 1, -1, length)))
                    .isEqualTo(expected(room, List.of(buffer), 1));
        }
    }
}
