/** The commands on programs other than Node: Go, the JVM, PostgreSQL and Redis. */
@NullMarked
package dev.probestream.cli.endtoend.program;

import org.jspecify.annotations.NullMarked;
