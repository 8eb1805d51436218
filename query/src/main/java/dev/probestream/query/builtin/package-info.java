/**
 * Ready views: questions that are asked of every recording, each a resource of SQL that says by itself what it shows. Text
 * comes in, values go out, and their parameters become variables of an opened recording. Must not import: the report,
 * picocli.
 */
@NullMarked
package dev.probestream.query.builtin;

import org.jspecify.annotations.NullMarked;
