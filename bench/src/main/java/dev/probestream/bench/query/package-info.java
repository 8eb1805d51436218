/** Benchmarks of queries, beside the same questions in hand-written SQL. */
@NullMarked
package dev.probestream.bench.query;

import org.jspecify.annotations.NullMarked;
