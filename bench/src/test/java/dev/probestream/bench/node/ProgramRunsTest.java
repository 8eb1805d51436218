package dev.probestream.bench.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

final class ProgramRunsTest {
    private static final long SELF = ProcessHandle.current().pid();

    @Test
    void programsOfAProcessWithoutAnyDidNotRun() throws IOException {
        assertThat(ProgramRuns.ofProcess(SELF).atFunctions()).isZero();
    }

    @Test
    void descriptorsMayBeClosedWhileTheyAreRead() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        Thread other = new Thread(() -> openAndCloseUntil(done), "opens and closes");
        other.start();
        try {
            // Without care for it, one of some 50 such reads failed at its first byte.
            for (int i = 0; i < 500; i++) {
                assertThat(ProgramRuns.ofProcess(SELF).atFunctions()).isZero();
            }
        } finally {
            done.set(true);
            other.join();
        }
    }

    private static void openAndCloseUntil(AtomicBoolean done) {
        try {
            while (!done.get()) {
                List<InputStream> opened = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    opened.add(new FileInputStream("/dev/null"));
                }
                for (InputStream stream : opened) {
                    stream.close();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
