package dev.probestream.collector.internal.resolve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.tracefs.Tracefs;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.parse.SpecParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TracepointFinderTest {
    @Test
    void aTracepointThatIsNotThereIsAnsweredWithTheNearest(@TempDir Path events) throws Exception {
        for (String name : List.of("sched_switch", "sched_wakeup", "sched_waking")) {
            Files.createDirectories(events.resolve("sched").resolve(name));
        }
        TracepointFinder finder = new TracepointFinder(Tracefs.at(events));

        assertThatThrownBy(() -> finder.formats(SpecParser.parse("tracepoint:sched:sched_swich")))
                .isInstanceOf(ResolveException.class)
                .hasMessageContaining("no tracepoint sched_swich in the category sched; the nearest are sched_switch");
        assertThatThrownBy(() -> finder.formats(SpecParser.parse("tracepoint:schd:sched_switch")))
                .hasMessageContaining("no category schd")
                .hasMessageContaining("sched");
        assertThatThrownBy(() -> finder.formats(SpecParser.parse("tracepoint:sched:sched_switch")))
                .hasMessageContaining("sched_switch/format: no such file");
    }

    @Test
    @KernelTest(since = "5.8")
    void aGlobFindsAllTracepointsOfTheKernelThatMatch() throws Exception {
        TracepointFinder finder = TracepointFinder.open();

        assertThat(finder.formats(SpecParser.parse("tracepoint:sched:sched_*"))).hasSizeGreaterThan(10);
        assertThat(finder.formats(SpecParser.parse("tracepoint:syscalls:sys_enter_*")))
                .hasSizeGreaterThan(200);
    }
}
