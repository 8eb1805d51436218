/** Where every byte is of what programs and the collector tell each other about V8: async callers, contexts, shapes of its heap. */
@NullMarked
package dev.probestream.collector.internal.program.layout.v8;

import org.jspecify.annotations.NullMarked;
