/** Masks possible secrets in texts before they are recorded. */
@NullMarked
package dev.probestream.collector.internal.redact;

import org.jspecify.annotations.NullMarked;
