/** How a benchmark measures: contests between peers in one run, child JVMs, CPU time, result tables. */
@NullMarked
package dev.probestream.bench.measure;

import org.jspecify.annotations.NullMarked;
