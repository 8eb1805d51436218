/**
 * What the text and the numbers of an HTTP/1 message mean, by its RFCs and by llhttp, Node's parser.
 *
 * <p>Comes in: the first line of a message, llhttp's numbers and flags. Goes out: method, target, status; whether a body follows, and
 * whether the connection stays open. Must not be imported here: anything but the Java library; which message is of which request is
 * known to {@code convert.request} alone.
 */
@NullMarked
package dev.probestream.convert.request.http;

import org.jspecify.annotations.NullMarked;
