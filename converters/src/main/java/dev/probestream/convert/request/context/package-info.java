/**
 * Which asynchronous context a hit is in: async ids lead to the callback that created them.
 *
 * <p>Comes in: what hits say of ids and counters, in the order of time. Goes out: whom an id is of. Must not be imported here:
 * anything but the Java library; whose the ids are is known to {@code convert.request} alone.
 */
@NullMarked
package dev.probestream.convert.request.context;

import org.jspecify.annotations.NullMarked;
