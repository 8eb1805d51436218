package dev.probestream.bpf.kernel;

import dev.probestream.bpf.internal.FileDescriptor;
import java.util.Optional;

/** A perf event and the BPF link to it, or the event alone when the program was set on it by ioctl. */
final class PerfEventLink implements Link {
    private final FileDescriptor event;
    private final Optional<FileDescriptor> link;

    PerfEventLink(FileDescriptor event, Optional<FileDescriptor> link) {
        this.event = event;
        this.link = link;
    }

    @Override
    public void close() {
        try (event) {
            link.ifPresent(FileDescriptor::close);
        }
    }
}
