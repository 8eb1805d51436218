package dev.probestream.query.report.analysis;

import dev.probestream.query.QueryException;
import java.util.List;

/** Looks for one kind of cause. No finding without evidence: what was not recorded finds nothing. */
interface Rule {
    List<Weighed> judge(Database database) throws QueryException;
}
