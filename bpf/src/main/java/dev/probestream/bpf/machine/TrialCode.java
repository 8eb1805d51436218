package dev.probestream.bpf.machine;

import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.MappedMemory;
import dev.probestream.bpf.internal.NativeFunction;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.internal.SystemCall;
import dev.probestream.bpf.sys.SyscallException;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * Functions of this process, in a file of memory, on which probes can be tried: the same trap costs a process as much as it
 * costs another. For one thread; x86-64 only.
 *
 * <pre>
 *   0  calls(n, f): calls f() n times
 *  64  systemCalls(n): calls getppid(2) n times
 * 128  a function that begins with push
 * 192  a function that begins with a nop of 5 bytes
 * 256  a function that begins with an instruction which the kernel cannot emulate
 * </pre>
 */
public final class TrialCode implements AutoCloseable {
    private static final int MFD_CLOEXEC = 1;
    private static final int SIZE_BYTES = 4096;
    private static final int SYSTEM_CALLS_OFFSET = 64;

    // push %rbx; push %r12; push %r12; mov %rdi,%rbx; mov %rsi,%r12; 1: call *%r12; dec %rbx; jnz 1b; pop, pop, pop;
    // ret
    private static final String CALLS = "53 4154 4154 4889fb 4989f4 41ffd4 48ffcb 75f8 415c 415c 5b c3";
    // push %rbx; mov %rdi,%rbx; 1: mov $110,%eax; syscall; dec %rbx; jnz 1b; pop %rbx; ret
    private static final String SYSTEM_CALLS = "53 4889fb b86e000000 0f05 48ffcb 75f4 5b c3";

    private final FileDescriptor file;
    private final MappedMemory code;

    /** How a function begins. */
    public enum Site {
        /** {@code push %rbp}: the kernel emulates it. */
        PUSH(128, "55 5d c3"),
        /** {@code nopl 0x0(%rax,%rax,1)}: since 6.18 the kernel makes a call of it. */
        NOP5(192, "0f1f440000 c3"),
        /** {@code mov %rdi,%rax}: the kernel executes it in single step. */
        STEPPED(256, "4889f8 c3");

        private final int offset;
        private final String code;

        Site(int offset, String code) {
            this.offset = offset;
            this.code = code;
        }

        /** {@return where the function is in {@link #path}, in bytes} */
        public long fileOffset() {
            return offset;
        }
    }

    private TrialCode(FileDescriptor file, MappedMemory code) {
        this.file = file;
        this.code = code;
    }

    /** {@return whether there are such functions for this machine} */
    public static boolean isSupported() {
        String machine = System.getProperty("os.arch", "");
        return machine.equals("amd64") || machine.equals("x86_64");
    }

    /**
     * Makes the functions.
     *
     * @return them; the caller closes it
     * @throws SyscallException where a policy forbids to execute memory
     */
    public static TrialCode open() {
        if (!isSupported()) {
            throw new UnsupportedOperationException("call functions of x86-64 on " + System.getProperty("os.arch"));
        }
        long result = NativeMemory.ofString("probestream-trial")
                .lend(name -> Syscalls.call(SystemCall.MEMFD_CREATE, name, MFD_CLOEXEC));
        FileDescriptor file = FileDescriptor.of(result, "create a file of memory", "");
        try {
            long written = NativeMemory.ofBytes(bytes())
                    .lend(address -> Syscalls.call(SystemCall.WRITE, file.number(), address, SIZE_BYTES));
            Syscalls.check(written, "write functions to be probed");
            return new TrialCode(file, MappedMemory.mapExecutable(file.number(), SIZE_BYTES, "functions to be probed"));
        } catch (SyscallException e) {
            file.close();
            throw e;
        }
    }

    private static byte[] bytes() {
        byte[] bytes = new byte[SIZE_BYTES];
        put(bytes, 0, CALLS);
        put(bytes, SYSTEM_CALLS_OFFSET, SYSTEM_CALLS);
        for (Site site : Site.values()) {
            put(bytes, site.offset, site.code);
        }
        return bytes;
    }

    private static void put(byte[] bytes, int offset, String code) {
        byte[] machineCode = HexFormat.of().parseHex(code.replace(" ", ""));
        System.arraycopy(machineCode, 0, bytes, offset, machineCode.length);
    }

    /** {@return the file of the functions, for an attach point; until it is closed} */
    public Path path() {
        return file.path();
    }

    /**
     * Calls a function.
     *
     * @param site which
     * @param times how often, at least once
     */
    public void call(Site site, int times) {
        NativeFunction.call(code.address(), times, code.address() + site.offset);
    }

    /**
     * Calls the cheapest of system calls.
     *
     * @param times how often, at least once
     */
    public void callSystem(int times) {
        NativeFunction.call(code.address() + SYSTEM_CALLS_OFFSET, times, 0);
    }

    @Override
    public void close() {
        code.close();
        file.close();
    }
}
