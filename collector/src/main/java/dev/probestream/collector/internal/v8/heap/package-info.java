/**
 * Reads objects of V8 from the memory of a running process. In: a {@link TargetMemory}, a {@code V8Layout} and tagged
 * pointers. Out: fields, Smis, strings, or a {@link HeapException} with a reason. The memory changes while it is read
 * and may be hostile: each pointer is checked by the instance type of what it points to, and each request ends after a
 * number of reads and bytes.
 */
@NullMarked
package dev.probestream.collector.internal.v8.heap;

import org.jspecify.annotations.NullMarked;
