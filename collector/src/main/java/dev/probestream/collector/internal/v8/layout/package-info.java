/**
 * Where V8 keeps what in memory. In: an ELF file that contains V8. Out: a {@link V8Layout}, or the reason why there is
 * none. What the file's symbols do not give is in {@code KnownV8}, and nowhere else.
 */
@NullMarked
package dev.probestream.collector.internal.v8.layout;

import org.jspecify.annotations.NullMarked;
