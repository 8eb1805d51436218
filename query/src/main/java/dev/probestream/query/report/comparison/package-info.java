/**
 * Compares two recordings of a program: what changed between before and after, and how sure that is.
 *
 * <p>In: two {@code RecordingDatabase}s, one after the other; out: a list of changes, as contents of the report or as text.
 * A recording is cut into blocks of equal time, and each measure is kept by block ({@code Measured}); the error of a measure
 * comes from resampling runs of neighbouring blocks, because load comes in waves; each pair of measures is tested against the
 * least relevant change, and the false discovery rate of all pairs together is bounded (Benjamini-Hochberg). Must not import:
 * the page.
 */
@NullMarked
package dev.probestream.query.report.comparison;

import org.jspecify.annotations.NullMarked;
