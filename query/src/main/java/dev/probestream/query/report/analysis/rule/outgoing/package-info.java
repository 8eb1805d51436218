/** Rules about what a process asks others for: statements, requests, connections and the names of peers. In: the facts; out: weighted findings. */
@NullMarked
package dev.probestream.query.report.analysis.rule.outgoing;

import org.jspecify.annotations.NullMarked;
