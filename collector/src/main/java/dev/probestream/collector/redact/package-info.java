/** Masks possible secrets in texts before they are recorded. */
@NullMarked
package dev.probestream.collector.redact;

import org.jspecify.annotations.NullMarked;
