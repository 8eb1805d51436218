/** The command {@code collect}: a capture into Kafka, with progress, metrics and a summary. */
@NullMarked
package dev.probestream.cli.collect;

import org.jspecify.annotations.NullMarked;
