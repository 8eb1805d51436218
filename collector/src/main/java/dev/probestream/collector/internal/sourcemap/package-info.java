/**
 * Places in what a script was made from (ECMA-426, source maps). In: a place in a script, and what stands in its comment
 * {@code //# sourceMappingURL=}; out: file and line of the source. {@code SourceMaps} is the only class that reads files;
 * it is the entry. Script and map are of the traced process, so everything in them may be wrong or hostile.
 */
@NullMarked
package dev.probestream.collector.internal.sourcemap;

import org.jspecify.annotations.NullMarked;
