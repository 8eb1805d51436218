/** Records as messages of the two Kafka topics. */
@NullMarked
package dev.probestream.schema.message;

import org.jspecify.annotations.NullMarked;
