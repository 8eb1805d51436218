/** Tests of how lines are made. */
@NullMarked
package dev.probestream.cli.trace;

import org.jspecify.annotations.NullMarked;
