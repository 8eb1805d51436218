package dev.probestream.collector.internal.program;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;

/** A page of memory behind which nothing can be read: the last one of a file, of which one more is mapped. */
final class LastPage {
    private static final int PAGE_BYTES = 4096;

    private final MappedByteBuffer pages;

    private LastPage(MappedByteBuffer pages) {
        this.pages = pages;
    }

    /** @param file is made */
    static LastPage map(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer pages = channel.map(FileChannel.MapMode.READ_WRITE, 0, 2L * PAGE_BYTES);
            channel.truncate(PAGE_BYTES);
            pages.order(ByteOrder.nativeOrder()).putLong(0, 0);
            return new LastPage(pages);
        }
    }

    /** An object of V8 of these words, which ends where the page does: a tagged pointer. */
    long object(long... words) {
        int place = PAGE_BYTES - Long.BYTES * words.length;
        for (int i = 0; i < words.length; i++) {
            pages.putLong(place + Long.BYTES * i, words[i]);
        }
        return Pointer.wrap(Runtime.getSystemRuntime(), pages).address() + place + 1;
    }
}
