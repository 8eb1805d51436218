/**
 * What is asked of a collection, and what comes of it: the values that its callers and its parts share. Nothing here
 * touches the kernel.
 */
@NullMarked
package dev.probestream.collector.request;

import org.jspecify.annotations.NullMarked;
