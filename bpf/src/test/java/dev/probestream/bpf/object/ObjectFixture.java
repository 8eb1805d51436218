package dev.probestream.bpf.object;

import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.elf.RelocatableFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** The objects in testdata/object, which compile.sh there made of the sources beside them. */
final class ObjectFixture {
    /** Those that can be loaded. */
    static final List<String> GOOD = List.of("calls", "variables", "functions", "core", "maps", "externs", "linked");

    private ObjectFixture() {}

    static byte[] bytes(String name) throws IOException {
        try (InputStream in = ObjectFixture.class.getResourceAsStream("/testdata/object/" + name + ".bpf.o")) {
            if (in == null) {
                throw new IOException("no object " + name);
            }
            return in.readAllBytes();
        }
    }

    static ObjectSpec spec(String name) throws IOException {
        return ObjectFile.parse(name + ".bpf.o", ByteBuffer.wrap(bytes(name)));
    }

    /** A kernel whose types are those of an object. */
    static KernelFacts kernelLike(String name) throws IOException {
        RelocatableFile elf = RelocatableFile.parse(name, ByteBuffer.wrap(bytes(name)));
        ByteBuffer types = elf.sections().stream()
                .filter(section -> section.name().equals(".BTF"))
                .findFirst()
                .orElseThrow()
                .bytes();
        return new KernelFacts(Optional.of(BtfFile.parse(name, types)), KernelFacts.version("6.18.44-generic"), 2);
    }
}
