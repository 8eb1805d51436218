/**
 * The real commands in a JVM of their own, on real Node processes, into real files. Programs and tests shake hands line by
 * line; nothing waits for a time.
 */
@NullMarked
package dev.probestream.cli.endtoend;

import org.jspecify.annotations.NullMarked;
