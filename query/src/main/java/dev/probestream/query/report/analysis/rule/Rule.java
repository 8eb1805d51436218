package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import java.util.List;

/** Looks for one kind of cause. No finding without evidence: what was not recorded finds nothing. */
public interface Rule {
    List<WeightedFinding> judge(RecordingDatabase database) throws QueryException;
}
