package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import java.util.Optional;

/** Computes one section; empty if nothing of it was recorded. */
public interface Chapter {
    Optional<Section> section(RecordingDatabase database, TimeAxis axis) throws QueryException;
}
