/** Tests of the sinks on a real broker: synthetic events in, files out, read back by others' readers. */
@NullMarked
package dev.probestream.cli.sink;

import org.jspecify.annotations.NullMarked;
