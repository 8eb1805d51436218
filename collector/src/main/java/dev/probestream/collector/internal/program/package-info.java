/**
 * Turns probes into programs. Comes in: {@link dev.probestream.collector.internal.resolve.ResolvedProbe}s and what this
 * kernel can do; goes out: a {@link dev.probestream.collector.internal.program.ProgramPlan}, the maps and programs to give to
 * the kernel, and the {@link dev.probestream.collector.internal.program.layout.EventLayout}s by which their samples are read.
 *
 * <p>Pure: nothing is loaded or read here. Must not import {@code bpf.sys}, {@code bpf.ring} nor {@code
 * collector.event}; of {@code bpf.kernel} only the values MapSpec and ProgramSpec.
 */
@NullMarked
package dev.probestream.collector.internal.program;

import org.jspecify.annotations.NullMarked;
