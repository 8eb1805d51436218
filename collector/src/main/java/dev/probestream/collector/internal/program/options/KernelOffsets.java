package dev.probestream.collector.internal.program.options;

import java.util.Optional;

/**
 * Where the kernel's structures have what arguments are read from.
 *
 * @param readsSockets whether programs can read the ends of sockets; if not, these are unavailable
 * @param thread without them threads have no async context
 */
public record KernelOffsets(boolean readsSockets, Optional<ThreadOffsets> thread) {}
