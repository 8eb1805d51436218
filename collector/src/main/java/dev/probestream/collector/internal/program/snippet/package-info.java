/** Pieces of BPF programs: loads of arguments, tests of filters, keys, stacks. */
@NullMarked
package dev.probestream.collector.internal.program.snippet;

import org.jspecify.annotations.NullMarked;
