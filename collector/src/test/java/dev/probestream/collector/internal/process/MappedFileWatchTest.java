package dev.probestream.collector.internal.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class MappedFileWatchTest {
    private final int self = (int) ProcessHandle.current().pid();
    private final MappedFileWatch watch = new MappedFileWatch();

    @Test
    void filesOfAProcessComeOnceAndAgainWhenItWasForgotten() {
        new MappedFileWatch().newFiles(self); // so that what looking needs of libraries is mapped

        int first = watch.newFiles(self).size();
        assertThat(first).isPositive();
        watch.retain(Set.of(self));
        assertThat(watch.newFiles(self)).isEmpty();

        watch.retain(Set.of());
        assertThat(watch.newFiles(self)).hasSize(first);
    }
}
