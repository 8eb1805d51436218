package dev.probestream.collector.internal.v8.async;

import dev.probestream.collector.internal.program.layout.v8.AsyncContextLayout;
import java.util.Optional;

/**
 * A Node.js executable in which async contexts are found.
 *
 * @param layout what programs need of it
 * @param heap what reading the properties of its objects needs; empty if promises cannot be followed
 */
record ContextExecutable(AsyncContextLayout layout, Optional<HeapLayout> heap) {}
