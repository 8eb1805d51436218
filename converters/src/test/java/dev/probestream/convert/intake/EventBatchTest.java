package dev.probestream.convert.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EventBatchTest {
    private final EventBatch batch = new EventBatch();
    private final EventEncoder encoder = new EventEncoder();
    private final EventView view = new EventView();

    @Test
    void earlierStartComesFirst() throws IOException {
        add(1, 30, 40);
        add(2, 10, 20);
        add(3, 20, 25);
        assertThat(inOrder()).containsExactly(2L, 3L, 1L);
    }

    @Test
    void ofEqualStartsTheLongerComesFirstAndOneThatNeverEndedBeforeAll() throws IOException {
        add(1, 10, 20);
        add(2, 10, 10);
        add(3, 10, EventBatch.OPEN);
        add(4, 10, 30);
        assertThat(inOrder()).containsExactly(3L, 4L, 1L, 2L);
    }

    @Test
    void ofEqualSpansTheOneRecordedLaterIsTheParent() throws IOException {
        add(1, 10, 20);
        add(2, 10, 20);
        assertThat(inOrder()).containsExactly(2L, 1L);
    }

    @Test
    void ofEqualInstantsTheOneRecordedFirstComesFirst() throws IOException {
        add(1, 10, 10);
        add(2, 10, 10);
        assertThat(inOrder()).containsExactly(1L, 2L);
    }

    @Test
    void startsThatLieTooFarApartForTheKeyAreStillInOrder() throws IOException {
        add(1, Long.MAX_VALUE - 1, Long.MAX_VALUE - 1);
        add(2, Long.MIN_VALUE, 0);
        add(3, Long.MAX_VALUE - 2, Long.MAX_VALUE - 2);
        add(4, 0, 0);
        assertThat(inOrder()).containsExactly(2L, 4L, 3L, 1L);
    }

    @Test
    void manyEventsComeBackWholeAndInOrder() throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 10_000; i++) {
            long startNs = random.nextLong(1_000);
            add(i, startNs, startNs + random.nextLong(10));
        }
        batch.sort();
        long lastNs = -1;
        int count = 0;
        for (; batch.hasCurrent(); batch.advance()) {
            batch.show(view);
            assertThat(view.timestampNs()).isEqualTo(batch.startNs()).isGreaterThanOrEqualTo(lastNs);
            lastNs = batch.startNs();
            count++;
        }
        assertThat(count).isEqualTo(10_000);
    }

    private void add(long id, long startNs, long endNs) throws IOException {
        encoder.begin(1, id, startNs, endNs - startNs, 1, 1, 0, 1, EventKind.SPAN);
        encoder.beginNumbers(0);
        encoder.beginStrings(0);
        encoder.end(0, 0, 0);
        view.wrap(encoder.bytes(), encoder.offset(), encoder.offset() + encoder.length());
        batch.add(view, startNs, endNs);
    }

    private List<Long> inOrder() throws IOException {
        batch.sort();
        List<Long> ids = new ArrayList<>();
        for (; batch.hasCurrent(); batch.advance()) {
            batch.show(view);
            ids.add(view.sequence());
        }
        return ids;
    }
}
