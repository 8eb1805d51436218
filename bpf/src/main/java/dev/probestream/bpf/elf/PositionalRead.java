package dev.probestream.bpf.elf;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads at a position, as {@link java.nio.channels.FileChannel#read(ByteBuffer, long)} does: of a file or of memory. */
interface PositionalRead {
    int read(ByteBuffer destination, long position) throws IOException;
}
