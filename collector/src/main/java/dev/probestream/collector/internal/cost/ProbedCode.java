package dev.probestream.collector.internal.cost;

import dev.probestream.bpf.machine.TrialCode;
import dev.probestream.bpf.machine.TrialCode.Site;
import dev.probestream.collector.internal.resolve.UprobeLocation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads how the kernel executes a probed instruction of x86-64 (arch/x86/kernel/uprobes.c: push of a register, nop, near
 * calls and jumps are emulated). What cannot be read counts as emulated.
 */
final class ProbedCode implements AutoCloseable {
    private static final byte[] NOP5 = {0x0f, 0x1f, 0x44, 0x00, 0x00};

    private final Map<String, FileChannel> files = new HashMap<>();

    /** Of each location how the kernel executes its instruction; nothing on another architecture. */
    static Map<UprobeLocation, Site> sites(Collection<UprobeLocation> locations) {
        Map<UprobeLocation, Site> sites = new HashMap<>();
        if (TrialCode.isSupported()) {
            try (ProbedCode code = new ProbedCode()) {
                locations.forEach(location -> sites.put(location, code.site(location)));
            }
        }
        return sites;
    }

    private Site site(UprobeLocation location) {
        byte[] code = new byte[NOP5.length];
        try {
            @Nullable FileChannel file = files.get(location.file().toString());
            if (file == null) {
                file = FileChannel.open(location.file());
                files.put(location.file().toString(), file);
            }
            if (file.read(ByteBuffer.wrap(code), location.fileOffset()) < code.length) {
                return Site.PUSH;
            }
        } catch (IOException e) {
            return Site.PUSH;
        }
        return site(code);
    }

    static Site site(byte[] code) {
        if (Arrays.equals(code, NOP5)) {
            return Site.NOP5;
        }
        int at = 0;
        while (code[at] == 0x66 && at < code.length - 2) {
            at++;
        }
        boolean isOfHighRegister = code[at] == 0x41;
        int opcode = code[isOfHighRegister ? at + 1 : at] & 0xff;
        if (opcode >= 0x50 && opcode <= 0x57) {
            return Site.PUSH;
        }
        int next = code[at + 1] & 0xff;
        boolean isJump = (opcode >= 0x70 && opcode <= 0x7f) || (opcode == 0x0f && next >= 0x80 && next <= 0x8f);
        boolean isCallOrJump = opcode == 0xe8 || opcode == 0xe9 || opcode == 0xeb;
        return isJump || isCallOrJump || opcode == 0x90 ? Site.PUSH : Site.STEPPED;
    }

    @Override
    public void close() {
        for (FileChannel file : files.values()) {
            try {
                file.close();
            } catch (IOException e) {
                throw new UncheckedIOException("close a probed file", e);
            }
        }
    }
}
