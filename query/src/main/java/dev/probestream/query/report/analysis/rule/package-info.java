/** The rules: each finds one kind of cause. In: facts of a recording; out: weighted findings. */
@NullMarked
package dev.probestream.query.report.analysis.rule;

import org.jspecify.annotations.NullMarked;
