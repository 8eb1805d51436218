/** Removes what may be a secret from texts before they are recorded. */
@NullMarked
package dev.probestream.collector.redact;

import org.jspecify.annotations.NullMarked;
