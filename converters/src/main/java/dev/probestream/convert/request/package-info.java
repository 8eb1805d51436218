/**
 * From hits to requests: which HTTP exchange each event belongs to, and where the time of an exchange went.
 *
 * <p>Comes in: the probes of one capture and its events in the order of their start. Goes out: a number for each event
 * that belongs to a request, and the requests, each when it is over. Must not be imported here: any trace format, files.
 *
 * <p>The packages below know no requests: {@code http} what a message means, {@code context} the owners of async ids,
 * {@code origin} who asked and whom, {@code split} where the time went.
 */
@NullMarked
package dev.probestream.convert.request;

import org.jspecify.annotations.NullMarked;
