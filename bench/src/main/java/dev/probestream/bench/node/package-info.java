/** Benchmarks of what probes cost a Node server. */
@NullMarked
package dev.probestream.bench.node;

import org.jspecify.annotations.NullMarked;
