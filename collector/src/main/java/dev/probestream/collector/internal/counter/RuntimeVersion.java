package dev.probestream.collector.internal.counter;

import dev.probestream.bpf.elf.ElfFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The version of Node.js that an executable contains: what napi_get_node_version() returns (src/node_api.cc). The struct is a static
 * variable of that function, so only the symbol table .symtab has it: nothing is found in a program that was stripped.
 *
 * <pre>
 * napi_node_version (src/node_api_types.h)
 * offset  bytes  field
 *      0      4  uint32_t major
 *      4      4  uint32_t minor
 *      8      4  uint32_t patch
 *     16      8  const char* release   not read
 * </pre>
 */
record RuntimeVersion(int major, int minor, int patch) {
    /** {@code version} of {@code napi_get_node_version}; the same in Node 18, 20, 22 and 24. */
    private static final String SYMBOL = "_ZZ21napi_get_node_versionE7version";

    private static final int READ_BYTES = 12;
    /** Larger numbers are something else under this name. */
    private static final int MOST = 999;

    /**
     * Reads it; empty if the file has no such variable.
     *
     * @throws IOException if the file cannot be read or is malformed
     */
    static Optional<RuntimeVersion> read(ElfFile elf) throws IOException {
        OptionalLong address = elf.symbolAddress(SYMBOL);
        return address.isEmpty() ? Optional.empty() : parse(elf.bytesAt(address.getAsLong(), READ_BYTES));
    }

    /** Empty if the bytes are too few or no version. */
    static Optional<RuntimeVersion> parse(ByteBuffer bytes) {
        if (bytes.remaining() < READ_BYTES) {
            return Optional.empty();
        }
        ByteBuffer words = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        RuntimeVersion version = new RuntimeVersion(words.getInt(), words.getInt(), words.getInt());
        return isPlausible(version.major)
                        && version.major > 0
                        && isPlausible(version.minor)
                        && isPlausible(version.patch)
                ? Optional.of(version)
                : Optional.empty();
    }

    private static boolean isPlausible(int number) {
        return number >= 0 && number <= MOST;
    }

    /** As {@code Node.js 20.20.2}. */
    @Override
    public String toString() {
        return "Node.js " + major + "." + minor + "." + patch;
    }
}
