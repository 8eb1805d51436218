/** Tests of the Parquet writer. */
@NullMarked
package dev.probestream.convert.parquet;

import org.jspecify.annotations.NullMarked;
