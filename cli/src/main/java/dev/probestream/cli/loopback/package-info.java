/** Checks that requests to our HTTP servers name this machine. In: headers of requests; out: whether to answer them. */
@NullMarked
package dev.probestream.cli.loopback;

import org.jspecify.annotations.NullMarked;
