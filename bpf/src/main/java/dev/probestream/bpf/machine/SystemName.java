package dev.probestream.bpf.machine;

import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.internal.SystemCall;

/**
 * The names of the running kernel and its host: uname(2).
 *
 * @param sysname {@code Linux}
 * @param node the host's name
 * @param release such as {@code 6.18.2-generic}
 * @param version build number and date
 * @param machine such as {@code x86_64}
 */
public record SystemName(String sysname, String node, String release, String version, String machine) {
    // struct new_utsname of linux/utsname.h: six fields of 65 bytes
    private static final int FIELD_BYTES = 65;
    private static final int FIELDS = 6;

    /** {@return the names that uname(2) returns} */
    public static SystemName read() {
        NativeMemory name = NativeMemory.allocate(FIELD_BYTES * FIELDS);
        long result = name.lend(address -> Syscalls.call(SystemCall.UNAME, address, 0));
        Syscalls.check(result, "ask the kernel for its name");
        return new SystemName(field(name, 0), field(name, 1), field(name, 2), field(name, 3), field(name, 4));
    }

    private static String field(NativeMemory name, int index) {
        return name.getString(index * FIELD_BYTES, FIELD_BYTES);
    }
}
