/**
 * Which processes are traced: those that were asked for, what they start, and when all of them have ended.
 */
@NullMarked
package dev.probestream.collector.internal.scope;

import org.jspecify.annotations.NullMarked;
