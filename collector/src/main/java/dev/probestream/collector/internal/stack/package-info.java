/** Assigns ids to stacks and names their frames from ELF files, perf maps, the vDSO and the kernel's symbols. */
@NullMarked
package dev.probestream.collector.internal.stack;

import org.jspecify.annotations.NullMarked;
