package dev.probestream.bpf.object;

import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfKind;
import dev.probestream.bpf.machine.PossibleCpus;
import dev.probestream.bpf.machine.SystemName;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What an object may depend on, of the kernel that will load it.
 *
 * @param types of the kernel, without those of its modules; empty where it was built without
 * @param version as {@code KERNEL_VERSION(6, 18, 44)}
 * @param cpuCount how many CPUs are possible
 */
public record KernelFacts(Optional<BtfFile> types, int version, int cpuCount) {
    /** Nothing is known: enough for functions that depend on nothing of the kernel. */
    public static final KernelFacts NONE = new KernelFacts(Optional.empty(), 0, 1);

    /**
     * {@return those of the kernel that runs}
     *
     * @throws IOException when its types cannot be read; it need not have any
     */
    public static KernelFacts ofThisKernel() throws IOException {
        Optional<BtfFile> types;
        try {
            types = Optional.of(BtfFile.ofKernel());
        } catch (NoSuchFileException e) {
            // Only an error if an object needs them, see CO-RE relocations.
            types = Optional.empty();
        }
        return new KernelFacts(
                types,
                version(SystemName.read().release()),
                PossibleCpus.ofThisMachine().count());
    }

    /**
     * {@return the version as KERNEL_VERSION of linux/version.h makes it}
     *
     * @param release such as {@code 6.18.44-generic}
     */
    public static int version(String release) {
        String[] parts = release.split("[^0-9]+", 4);
        int version = 0;
        for (int i = 0; i < 3; i++) {
            int part = i < parts.length && parts[i].matches("[0-9]{1,6}") ? Integer.parseInt(parts[i]) : 0;
            version = (version << 8) | Math.min(part, 255);
        }
        return version;
    }

    OptionalInt typeId(String name, BtfKind kind) throws IOException {
        return types.isEmpty() ? OptionalInt.empty() : types.get().typeId(name, kind);
    }
}
