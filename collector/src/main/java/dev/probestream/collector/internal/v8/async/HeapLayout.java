package dev.probestream.collector.internal.v8.async;

import dev.probestream.collector.internal.v8.layout.V8Layout;
import dev.probestream.collector.internal.v8.layout.V8Properties;

/** How the objects of an executable's V8 lie in memory, and their properties. */
record HeapLayout(V8Layout objects, V8Properties properties) {}
