/**
 * The prompt of {@code query}: reads lines from the terminal, sends statements to a {@code QuerySession} and prints the
 * results. The only package that uses JLine.
 */
@NullMarked
package dev.probestream.cli.query.prompt;

import org.jspecify.annotations.NullMarked;
