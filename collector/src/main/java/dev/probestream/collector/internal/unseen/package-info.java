/**
 * What a capture does not see, in lines for the user: probes that are left out, attached nowhere or not hit, tracepoints that
 * fire elsewhere, children that are not traced. In come probes, programs and processes; nothing here changes a capture.
 */
@NullMarked
package dev.probestream.collector.internal.unseen;

import org.jspecify.annotations.NullMarked;
