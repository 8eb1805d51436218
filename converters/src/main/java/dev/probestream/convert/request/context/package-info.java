/**
 * Which asynchronous context a hit is in: async ids lead to the callback that created them, objects of
 * the heap to the callback that made them.
 *
 * <p>Comes in: what hits say of ids, counters and addresses, in the order of time. Goes out: whom an id or an object is of. Must not be imported here:
 * anything but the Java library; whose the ids are is known to {@code convert.request} alone.
 */
@NullMarked
package dev.probestream.convert.request.context;

import org.jspecify.annotations.NullMarked;
