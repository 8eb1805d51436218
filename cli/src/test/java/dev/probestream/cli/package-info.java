/** Tests of the command line, against the real commands. */
@NullMarked
package dev.probestream.cli;

import org.jspecify.annotations.NullMarked;
