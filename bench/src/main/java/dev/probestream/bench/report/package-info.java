/** What reports say, for benchmarks that judge them. */
@NullMarked
package dev.probestream.bench.report;

import org.jspecify.annotations.NullMarked;
