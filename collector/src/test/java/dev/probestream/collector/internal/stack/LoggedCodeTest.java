package dev.probestream.collector.internal.stack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.proc.MappedRange;
import org.junit.jupiter.api.Test;

class LoggedCodeTest {
    private static final int PID = 7;

    private final LoggedCode code = new LoggedCode();

    private static MappedRange file(long start, long end, long fileOffset, String path) {
        return new MappedRange(start, end, true, fileOffset, 11, path, false);
    }

    private static MappedRange anonymous(long start, long end) {
        return new MappedRange(start, end, true, 0, 0, "", false);
    }

    @Test
    void mappingsOfUnknownProcessesAreNotKept() {
        code.listener.mapped(PID, file(0x1000, 0x2000, 0, "/a"));

        assertThat(code.of(PID).ranges()).isEmpty();
    }

    @Test
    void laterMappingReplacesWhatItCovers() {
        code.listener.executed(PID);
        code.listener.mapped(PID, file(0x1000, 0x5000, 0x100000, "/a"));
        code.listener.mapped(PID, file(0x2000, 0x3000, 0, "/b"));

        assertThat(code.of(PID).ranges())
                .containsExactly(
                        file(0x1000, 0x2000, 0x100000, "/a"),
                        file(0x2000, 0x3000, 0, "/b"),
                        file(0x3000, 0x5000, 0x102000, "/a"));

        code.listener.mapped(PID, file(0x1000, 0x5000, 0, "/c"));
        assertThat(code.of(PID).ranges()).containsExactly(file(0x1000, 0x5000, 0, "/c"));
    }

    /** Generated code in the place of an unmapped library is not the library's. */
    @Test
    void codeWithoutAFileReplacesFiles() {
        code.listener.executed(PID);
        code.listener.mapped(PID, file(0x1000, 0x3000, 0, "/a"));
        code.listener.mapped(PID, anonymous(0x2000, 0x4000));

        assertThat(code.of(PID).ranges()).containsExactly(file(0x1000, 0x2000, 0, "/a"));
    }

    @Test
    void executedProgramHasNothingOfTheOneBefore() {
        code.listener.executed(PID);
        code.listener.mapped(PID, file(0x1000, 0x3000, 0, "/a"));
        code.listener.executed(PID);

        assertThat(code.of(PID).ranges()).isEmpty();
    }

    @Test
    void nothingIsKnownAfterALoss() {
        code.listener.executed(PID);
        code.listener.mapped(PID, file(0x1000, 0x3000, 0, "/a"));
        code.listener.lost();
        code.listener.mapped(PID, file(0x8000, 0x9000, 0, "/b"));

        assertThat(code.of(PID).ranges()).isEmpty();
    }

    @Test
    void memoryIsBounded() {
        for (int pid = 1; pid <= 10_000; pid++) {
            code.listener.executed(pid);
        }
        code.listener.executed(PID);
        for (int i = 0; i < 10_000; i++) {
            code.listener.mapped(PID, file(0x1000L * i, 0x1000L * (i + 1), 0, "/file" + i));
        }

        assertThat(code.of(1).ranges()).isEmpty();
        assertThat(code.of(PID).ranges()).isNotEmpty().hasSizeLessThanOrEqualTo(2048);
    }
}
