/** Benchmarks of probes: cost per hit, losses, ring buffer, counting, start, beside libbpf and bpftrace. */
@NullMarked
package dev.probestream.bench.probe;

import org.jspecify.annotations.NullMarked;
