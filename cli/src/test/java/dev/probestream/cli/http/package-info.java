/** Tests of the lines of requests. */
@NullMarked
package dev.probestream.cli.http;

import org.jspecify.annotations.NullMarked;
