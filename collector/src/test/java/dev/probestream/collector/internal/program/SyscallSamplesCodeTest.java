package dev.probestream.collector.internal.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.SyscallLayout;
import dev.probestream.collector.internal.program.layout.SyscallTexts;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** The samples of system calls, with their texts, as syscalls.bpf.c fills them (BPF_PROG_TEST_RUN). */
@KernelTest(since = "5.10")
class SyscallSamplesCodeTest extends SyscallFunctions {
    @Test
    void sampleIsTheEntryWithItsEndAndTexts() {
        String longText = "x".repeat(1000);
        open(5, address("/etc/passwd"), 0, 0, 0, 0, address(longText));
        for (int texts = 0; texts <= SyscallLayout.MAX_TEXTS; texts++) {
            end(-ENOENT, 0, encoded(0));
            run("write_" + texts, TID);
            ByteBuffer sample = value(SAMPLES[texts]);
            assertThat(sample.getLong(EventLayout.TIMESTAMP_OFFSET)).isEqualTo(5);
            assertThat(sample.getLong(EventLayout.TID_OFFSET)).isEqualTo(THREAD);
            assertThat(sample.getInt(EventLayout.PROBE_ID_OFFSET)).isEqualTo(PROBE);
            assertThat(sample.getLong(EventLayout.DURATION_OFFSET)).isEqualTo(1234);
            assertThat(sample.getLong(EventLayout.UNAVAILABLE_OFFSET)).isZero();
            assertThat(sample.getLong(SyscallLayout.RETURN_OFFSET)).isEqualTo(-ENOENT);
            assertThat(sample.slice(40, 64)).isEqualTo(entry(TID).orElseThrow().slice(40, 64));
        }
        ByteBuffer sample = value(SAMPLES[2]);
        assertThat(text(sample, 0)).isEqualTo("/etc/passwd\0");
        int readBytes = SyscallTexts.CAPACITY_BYTES + 2;
        assertThat(text(sample, 1)).isEqualTo(longText.substring(0, readBytes - 1) + "\0");
    }

    @Test
    void textThatCannotBeReadIsABitOfItsArgument() {
        open(5, 8, 0, 0, 0, 0, address("there"));
        end(0, EventLayout.RETURN_UNAVAILABLE, encoded(0));
        run("write_2", TID);
        ByteBuffer sample = value(SAMPLES[2]);
        assertThat(text(sample, 0)).isEmpty();
        assertThat(text(sample, 1)).isEqualTo("there\0");
        assertThat(sample.getLong(EventLayout.UNAVAILABLE_OFFSET)).isEqualTo(EventLayout.RETURN_UNAVAILABLE | 0b10);
    }

    @Test
    void textsOfAProgramThatWasReplacedAreGone() {
        open(5, address("/bin/true"), 0, 0, 0, 0, address("there"));
        end(0, 0, encoded(SyscallTexts.GONE_ON_SUCCESS));
        run("write_2", TID);
        assertThat(value(SAMPLES[2]).getLong(EventLayout.UNAVAILABLE_OFFSET)).isEqualTo(0b1010);
        end(-ENOENT, 0, encoded(SyscallTexts.GONE_ON_SUCCESS));
        run("write_2", TID);
        assertThat(text(value(SAMPLES[2]), 0)).isEqualTo("/bin/true\0");
    }

    @Test
    void pointerOutsideOfTheEntryIsNotFollowed() {
        for (int word : new int[] {SyscallLayout.ENTRY_SIZE_BYTES / Long.BYTES, 0xff}) {
            open(5, address("there"));
            end(-ENOENT, 0, word | 2 << 16);
            run("write_1", TID);
            assertThat(text(value(SAMPLES[1]), 0)).isEmpty();
            assertThat(value(SAMPLES[1]).getLong(EventLayout.UNAVAILABLE_OFFSET))
                    .isEqualTo(0b100);
        }
    }
}
