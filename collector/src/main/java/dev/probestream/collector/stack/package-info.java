/** Stacks: an id for each, names for their frames from ELF files, perf maps, the vDSO and the kernel. */
@NullMarked
package dev.probestream.collector.stack;

import org.jspecify.annotations.NullMarked;
