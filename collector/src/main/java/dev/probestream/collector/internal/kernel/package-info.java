/**
 * The programs and maps of one collection in the kernel: loaded, attached, opened for hits, and detached. Input: a
 * {@link dev.probestream.collector.internal.program.ProgramPlan}.
 */
@NullMarked
package dev.probestream.collector.internal.kernel;

import org.jspecify.annotations.NullMarked;
