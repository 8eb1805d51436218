package dev.probestream.convert.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.intake.Intake.Place;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class IntakeTest {
    private final EventEncoder encoder = new EventEncoder();
    private final EventView view = new EventView();

    @Test
    void spanThatCoversMoreThanAWholeBatchIsKnownAhead() throws IOException {
        Intake intake = new Intake(Window.ALL, new AheadBudget(), 0);
        long secondBatchNs = fill(intake, 0);
        assertThat(place(intake, EventKind.SPAN, 0, secondBatchNs)).isEqualTo(Place.BATCH);
        long thirdBatchNs = fill(intake, secondBatchNs);
        assertThat(intake.horizonNs()).isEqualTo(secondBatchNs - 1);
        assertThat(place(intake, EventKind.SPAN, secondBatchNs - 1, thirdBatchNs))
                .isEqualTo(Place.AHEAD);
        assertThat(place(intake, EventKind.SPAN, secondBatchNs, thirdBatchNs)).isEqualTo(Place.BATCH);
    }

    @Test
    void spanThatNeverEndedIsKnownAhead() throws IOException {
        Intake intake = new Intake(Window.ALL, new AheadBudget(), 0);
        assertThat(place(intake, EventKind.OPEN_SPAN, 10, -1)).isEqualTo(Place.AHEAD);
        assertThat(intake.endNs()).isEqualTo(EventBatch.OPEN);
        assertThat(place(intake, EventKind.SPAN, 10, -1)).isEqualTo(Place.AHEAD);
    }

    @Test
    void instantIsNeverKeptHoweverLateItComes() throws IOException {
        Intake intake = new Intake(Window.ALL, new AheadBudget(), 0);
        fill(intake, fill(intake, fill(intake, 0)));
        assertThat(place(intake, EventKind.INSTANT, 1, -1)).isEqualTo(Place.BATCH);
    }

    @Test
    void whatDoesNotFitIntoTheBudgetIsTakenInTheOrderOfTheFile() throws IOException {
        AheadBudget budget = new AheadBudget();
        assertThat(budget.take(AheadBudget.LIMIT_BYTES)).isTrue();
        assertThat(place(new Intake(Window.ALL, budget, 0), EventKind.OPEN_SPAN, 10, -1))
                .isEqualTo(Place.BATCH);
    }

    @Test
    void timesAreMovedToTheTracesClock() throws IOException {
        Intake intake = new Intake(Window.ALL, new AheadBudget(), 1_000);
        place(intake, EventKind.SPAN, 10, 5);
        assertThat(intake.startNs()).isEqualTo(1_010);
        assertThat(intake.endNs()).isEqualTo(1_015);
    }

    /** A batch of instants, one each nanosecond. */
    private long fill(Intake intake, long fromNs) throws IOException {
        long now = fromNs;
        do {
            place(intake, EventKind.INSTANT, now++, -1);
        } while (!intake.fillsBatch(view));
        return now;
    }

    private Place place(Intake intake, EventKind kind, long startNs, long durationNs) throws IOException {
        encoder.begin(1, 0, startNs, durationNs, 1, 1, 0, 1, kind);
        encoder.beginNumbers(0);
        encoder.beginStrings(0);
        encoder.end(0, 0, 0);
        view.wrap(encoder.bytes(), encoder.offset(), encoder.offset() + encoder.length());
        return intake.place(view);
    }
}
