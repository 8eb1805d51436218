package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import java.util.List;

/** Finds one kind of cause. A rule whose probes were not recorded finds nothing. */
public interface Rule {
    /** What to do about what it finds, in one sentence or two; "" = there is nothing to do. */
    String remedy();

    List<WeightedFinding> findings(RecordingDatabase database) throws QueryException;
}
