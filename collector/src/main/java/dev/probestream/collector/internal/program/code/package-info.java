/** Whole BPF programs, one class for each kind, made of {@code program.snippet}s. */
@NullMarked
package dev.probestream.collector.internal.program.code;

import org.jspecify.annotations.NullMarked;
