/** Benchmarks of the codec, the trace writers and the tables. */
@NullMarked
package dev.probestream.bench.convert;

import org.jspecify.annotations.NullMarked;
