/**
 * Finds what probe specs name in the targets: before the collection, and in libraries that are loaded later. Output:
 * {@link dev.probestream.collector.internal.resolve.ResolvedProbe}s, each with its number.
 */
@NullMarked
package dev.probestream.collector.internal.find;

import org.jspecify.annotations.NullMarked;
