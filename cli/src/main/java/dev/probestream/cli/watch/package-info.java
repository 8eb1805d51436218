/** The command {@code watch}: keeps the last minutes of processes on disk. */
@NullMarked
package dev.probestream.cli.watch;

import org.jspecify.annotations.NullMarked;
