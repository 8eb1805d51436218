/**
 * What the kernel needs to follow V8's chain of async callers. In: an ELF file that contains V8, and its layout. Out: a
 * layout, or the reason why there is none. The chain itself is followed by a program in the kernel, at the
 * hit, by the {@link dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout}.
 */
@NullMarked
package dev.probestream.collector.internal.v8.async;

import org.jspecify.annotations.NullMarked;
