/**
 * JavaScript functions of a V8 that was not prepared: which processes run one, and the names of their functions. In: the
 * executables and the memory of processes, and the entries of samples. Out: the layouts for programs, and named frames.
 */
@NullMarked
package dev.probestream.collector.internal.v8;

import org.jspecify.annotations.NullMarked;
