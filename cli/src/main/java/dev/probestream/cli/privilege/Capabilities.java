package dev.probestream.cli.privilege;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/**
 * The effective capabilities of this process.
 *
 * @param effectiveBits bit n stands for capability n of {@code linux/capability.h}
 */
public record Capabilities(long effectiveBits) {
    private static final String FIELD = "CapEff:";

    /**
     * Reads {@code /proc/self/status} below {@code root}, {@code /} but in tests; see {@code proc_pid_status(5)}.
     *
     * @throws IOException when the file cannot be read or has no {@code CapEff} line
     */
    public static Capabilities ofThisProcess(Path root) throws IOException {
        Path status = root.resolve("proc/self/status");
        for (String line : Files.readAllLines(status)) {
            if (line.startsWith(FIELD)) {
                return new Capabilities(
                        Long.parseUnsignedLong(line.substring(FIELD.length()).strip(), 16));
            }
        }
        throw new IOException("read the capabilities from " + status + ": it has no line " + FIELD);
    }

    /** Whether this process has {@code capability} in effect. */
    public boolean has(Capability capability) {
        return (effectiveBits & capability.mask()) != 0;
    }

    /** What recording needs and this process lacks; empty when probes can be loaded and attached. */
    public Set<Capability> missingForRecording() {
        if (has(Capability.CAP_SYS_ADMIN)) {
            return EnumSet.noneOf(Capability.class);
        }
        Set<Capability> missing = EnumSet.of(Capability.CAP_BPF, Capability.CAP_PERFMON);
        missing.removeIf(this::has);
        return missing;
    }
}
