package dev.probestream.collector.internal.program.options;

import java.util.Optional;

/**
 * Where the kernel's structures have what arguments are read from.
 *
 * @param sockets without them the ends of sockets are unavailable
 * @param thread without them threads have no async context
 */
public record KernelOffsets(Optional<SocketOffsets> sockets, Optional<ThreadOffsets> thread) {}
