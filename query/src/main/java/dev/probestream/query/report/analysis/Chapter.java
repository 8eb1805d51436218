package dev.probestream.query.report.analysis;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.Section;
import java.util.Optional;

/** Makes one section; none when nothing of it was recorded. */
interface Chapter {
    Optional<Section> read(Database database, TimeAxis axis) throws QueryException;
}
