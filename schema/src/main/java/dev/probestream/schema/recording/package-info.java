/**
 * Recordings: Avro object container files, written so that a crash costs the last block only, and read past damage.
 */
@NullMarked
package dev.probestream.schema.recording;

import org.jspecify.annotations.NullMarked;
