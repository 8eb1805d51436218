/**
 * Built-in queries that run on every recording. Each is an SQL resource with its description in comments. In: these
 * resources; out: queries as values, whose parameters become variables of an opened recording. Must not import: the report,
 * picocli.
 */
@NullMarked
package dev.probestream.query.builtin;

import org.jspecify.annotations.NullMarked;
