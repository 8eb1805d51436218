package dev.probestream.bpf.kernel;

import dev.probestream.bpf.internal.FileDescriptor;

/** A BPF link: closing its descriptor detaches. */
final class DescriptorLink implements Link {
    private final FileDescriptor link;

    DescriptorLink(FileDescriptor link) {
        this.link = link;
    }

    @Override
    public void close() {
        link.close();
    }
}
