/**
 * The real commands in a JVM of their own, on real processes, into real files. Programs and tests synchronize line by line;
 * no test depends on a delay.
 */
@NullMarked
package dev.probestream.cli.endtoend;

import org.jspecify.annotations.NullMarked;
