package dev.probestream.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.cost.CostReading;
import dev.probestream.collector.request.CollectionProgress;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressLineTest {
    private final StringWriter err = new StringWriter();
    private long nowNs = 5_000_000_000L;

    @Test
    void theRateIsThatSinceTheLineBefore() {
        ProgressLine progress = new ProgressLine(terminal(true), () -> nowNs);
        nowNs += 1_000_000_000L;
        progress.progress(progress(1_000, 0, 70_000));
        err.getBuffer().setLength(0);
        nowNs += 500_000_000L;

        progress.progress(progress(3_000, 12, 2_100_000));

        assertThat(err).hasToString("\r\u001b[Krecording 1.5 s: 3,000 events (4,000/s), 2.1 MB, 12 LOST");
    }

    @Test
    void nothingIsDrawnWhereThereIsNoTerminal() {
        Terminal terminal = terminal(false);
        new ProgressLine(terminal, () -> nowNs).progress(progress(1, 0, 1));

        terminal.print("done");

        assertThat(err).hasToString("done\n");
    }

    @Test
    void whatIsSaidReplacesTheLine() {
        Terminal terminal = terminal(true);
        terminal.progress("working");

        terminal.print("done");
        terminal.print("bye");

        assertThat(err).hasToString("\r\u001b[Kworking\r\u001b[Kdone\nbye\n");
    }

    private static CollectionProgress progress(long deliveredEvents, long lostEvents, long publishedBytes) {
        return new CollectionProgress(
                deliveredEvents, lostEvents, List.of(), publishedBytes, 0, CostReading.NONE, List.of());
    }

    private Terminal terminal(boolean interactive) {
        return new Terminal(new PrintWriter(err), interactive);
    }
}
