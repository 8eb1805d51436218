package dev.probestream.cli.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.record.Thread;
import org.junit.jupiter.api.Test;

class TaskNamesTest {
    private final TaskNames names = new TaskNames();

    @Test
    void aRecordTellsWhatItSaidWhenItCameThoughItChangesLater() {
        Thread thread = new Thread(1L, 10, 11, "octi", 5L, -1L);
        Runnable begun = names.update(thread);
        thread.setEndNs(6);
        Runnable ended = names.update(thread);

        begun.run();
        assertThat(names.comm(11)).isEqualTo("octi");
        ended.run();
        assertThat(names.comm(11)).isEqualTo("?");
    }
}
