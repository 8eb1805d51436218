/**
 * Where in the source JavaScript code is. In: a pc or bytecode offset of a frame, with the function that the frame
 * belongs to. Out: the functions that are there, inlined ones first, each with its position in the script, as V8 itself
 * finds them for {@code Error.stack}. The parsers of V8's tables are pure: bytes in, values out, or a
 * {@link dev.probestream.collector.internal.v8.code.CodeFormatException}.
 */
@NullMarked
package dev.probestream.collector.internal.v8.code;

import org.jspecify.annotations.NullMarked;
