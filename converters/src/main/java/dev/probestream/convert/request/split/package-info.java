/**
 * Where the time of one request went.
 *
 * <p>Comes in: the phases that a request is in, when they begin and when they end. Goes out: the time that each of them takes of the
 * request's duration, in parts that do not overlap. Must not be imported here: anything but the Java library; what makes a phase begin
 * is known to {@code convert.request} alone.
 */
@NullMarked
package dev.probestream.convert.request.split;

import org.jspecify.annotations.NullMarked;
