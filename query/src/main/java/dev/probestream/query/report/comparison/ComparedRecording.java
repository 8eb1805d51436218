package dev.probestream.query.report.comparison;

import dev.probestream.query.QueryException;
import dev.probestream.query.Recordings;
import dev.probestream.query.report.ReportContents.CaptureSummary;
import dev.probestream.query.report.analysis.fact.CaptureSummaries;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** One of the two recordings of a comparison, measured. */
public final class ComparedRecording {
    private final RecordingDatabase database;
    private final Measured measured;
    private final List<CaptureSummary> captures;

    private ComparedRecording(RecordingDatabase database, Measured measured, List<CaptureSummary> captures) {
        this.database = database;
        this.measured = measured;
        this.captures = captures;
    }

    /**
     * Measures it.
     *
     * @return empty if the recording has no hit of a probe
     */
    public static Optional<ComparedRecording> of(Recordings recordings) throws QueryException {
        RecordingDatabase database = RecordingDatabase.prepare(recordings.connection());
        if (!database.has("report_capture")) {
            return Optional.empty();
        }
        Measured measured = MeasurementReader.read(database);
        return Optional.of(new ComparedRecording(database, measured, CaptureSummaries.of(database)));
    }

    /** Whether both recorded the same program, one after the other: then a comparison is what is asked for. */
    public boolean isOfSameProgramAtAnotherTime(ComparedRecording other) {
        return !measured.times().overlaps(other.measured.times())
                && !Collections.disjoint(measured.programs(), other.measured.programs());
    }

    Measured measured() {
        return measured;
    }

    List<CaptureSummary> captures() {
        return captures;
    }

    /** Of recordings that are still open. */
    RecordingDatabase database() {
        return database;
    }
}
