/**
 * What holds for all programs of a capture: which processes, which stacks, where kernel structures have their
 * fields.
 */
@NullMarked
package dev.probestream.collector.internal.program.options;

import org.jspecify.annotations.NullMarked;
