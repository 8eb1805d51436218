package dev.probestream.collector.internal.v8.code;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.proc.ProcessMaps;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FileCodeTest {
    private static final String MAPS = """
            00400000-00800000 r--p 00000000 fe:01 1234 /usr/bin/node
            00800000-01f00000 r-xp 00400000 fe:01 1234 /usr/bin/node
            7f0000000000-7f0000040000 rwxp 00000000 00:00 0
            7f1000000000-7f1000040000 r-xp 00800000 fe:01 1234 /usr/bin/node
            """;

    private final AtomicInteger reads = new AtomicInteger();

    @Test
    void codeOfTheFileIsKnownWhereverItIsMapped() {
        FileCode code = new FileCode(() -> {
            reads.incrementAndGet();
            return ProcessMaps.parse(MAPS);
        });
        assertThat(code.test(0x800010)).isTrue();
        assertThat(code.test(0x7f1000000010L)).isTrue();
        assertThat(code.test(0x400010)).isFalse();
        assertThat(code.test(0x7f0000000010L)).isFalse();
        assertThat(reads).hasValue(1);
    }

    @Test
    void newMappingIsRead() {
        FileCode code = new FileCode(() -> {
            int read = reads.incrementAndGet();
            return ProcessMaps.parse(read == 1 ? "" : MAPS);
        });
        assertThat(code.test(0x800010)).isFalse();
        assertThat(code.test(0x800010)).isTrue();
    }

    @Test
    void addressThatIsNeverMappedIsNotReadForEver() {
        FileCode code = new FileCode(() -> {
            reads.incrementAndGet();
            return ProcessMaps.parse(MAPS);
        });
        for (int i = 0; i < 3_000; i++) {
            assertThat(code.test(16)).isFalse();
        }
        assertThat(reads).hasValue(1_000);
    }

    @Test
    void processThatHasEndedHasNoCode() {
        FileCode code = new FileCode(() -> {
            throw new IOException("no such process");
        });
        assertThat(code.test(0x800010)).isFalse();
    }
}
