/**
 * The prompt of {@code query}: lines typed at a terminal come in, statements go to a {@code QuerySession} and answers to the
 * terminal. JLine is known here only.
 */
@NullMarked
package dev.probestream.cli.query.prompt;

import org.jspecify.annotations.NullMarked;
