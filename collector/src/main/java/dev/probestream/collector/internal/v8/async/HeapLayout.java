package dev.probestream.collector.internal.v8.async;

import dev.probestream.collector.internal.v8.layout.V8CodeLayout;
import dev.probestream.collector.internal.v8.layout.V8Layout;
import dev.probestream.collector.internal.v8.layout.V8Properties;
import java.util.Optional;

/**
 * How the objects of an executable's V8 lie in memory, and their properties.
 *
 * @param code that of what V8 compiles; empty if it is not known
 */
record HeapLayout(V8Layout objects, V8Properties properties, Optional<V8CodeLayout> code) {}
