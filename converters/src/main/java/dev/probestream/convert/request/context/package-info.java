/**
 * Which asynchronous context a hit is in: async ids lead to the callback that created them, objects of
 * the heap to the callback that made them.
 *
 * <p>Comes in: the ids, counters and addresses of hits, in the order of time. Goes out: the owner of an id or object.
 * Must not be imported here: anything but the Java library; only {@code convert.request} knows the owners.
 */
@NullMarked
package dev.probestream.convert.request.context;

import org.jspecify.annotations.NullMarked;
