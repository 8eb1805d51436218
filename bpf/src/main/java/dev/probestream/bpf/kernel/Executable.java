package dev.probestream.bpf.kernel;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfMachine;
import dev.probestream.bpf.elf.ElfSymbol;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * An executable or shared library whose functions can be probed by name.
 *
 * <p>The attach method follows from the attach type that the program was loaded with, see {@link ProgramSpec#uprobe}. A
 * link outlives this object: {@link #close} only closes the file. For one thread at a time.
 */
public final class Executable implements AutoCloseable {
    /** The first instruction of a function compiled with -fcf-protection (Intel SDM, ENDBR64). */
    private static final byte[] ENDBR64 = {(byte) 0xf3, 0x0f, 0x1e, (byte) 0xfa};

    private static final int NEAREST_NAMES = 3;

    private final Path file;
    private final ElfFile elf;

    private Executable(Path file, ElfFile elf) {
        this.file = file;
        this.elf = elf;
    }

    /**
     * Opens a 64-bit little-endian ELF file and reads its headers; symbols are read when they are first needed.
     *
     * @param file its path
     * @return what was opened; the caller closes it
     * @throws dev.probestream.bpf.elf.ElfFormatException when it is not such a file
     * @throws IOException when the file cannot be read
     */
    public static Executable open(Path file) throws IOException {
        return new Executable(file.toAbsolutePath(), ElfFile.open(file));
    }

    /**
     * Runs the program at each call of the function, in every process that runs the file, now or later.
     *
     * @param function its name in .symtab, else in .dynsym; a C++ name is given mangled
     * @param program a loaded program; it stays the caller's
     * @return the attachment; closing it detaches the program
     * @throws IOException if the file cannot be read or is malformed
     */
    public Link uprobe(String function, BpfProgram program) throws IOException {
        return uprobe(function, program, Uprobes.EVERY_PROCESS);
    }

    /**
     * Runs the program at each call of the function in one process.
     *
     * @param function its name in .symtab, else in .dynsym; a C++ name is given mangled
     * @param program a loaded program; it stays the caller's
     * @param pid of the process, in the pid namespace of this one
     * @return the attachment; closing it detaches the program
     * @throws NoSuchFunctionException when the file has no function with this name
     * @throws IllegalArgumentException when the program was not loaded for uprobes, or when the function is indirect
     *     (IFUNC) or has the same name as another one in the file
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses, such as ESRCH without such a process
     * @throws UnsupportedFeatureException when the kernel has no uprobes
     * @throws IOException if the file cannot be read or is malformed
     */
    public Link uprobe(String function, BpfProgram program, int pid) throws IOException {
        return attach(function, program, false, pid);
    }

    /**
     * Runs the program at each return of the function, in every process that runs the file, now or later.
     *
     * @param function its name in .symtab, else in .dynsym; a C++ name is given mangled
     * @param program a loaded program; it stays the caller's
     * @return the attachment; closing it detaches the program
     * @throws IOException if the file cannot be read or is malformed
     */
    public Link uretprobe(String function, BpfProgram program) throws IOException {
        return uretprobe(function, program, Uprobes.EVERY_PROCESS);
    }

    /**
     * Runs the program at each return of the function in one process; throws as {@link #uprobe} does.
     *
     * @param function its name in .symtab, else in .dynsym; a C++ name is given mangled
     * @param program a loaded program; it stays the caller's
     * @param pid of the process, in the pid namespace of this one
     * @return the attachment; closing it detaches the program
     * @throws IOException if the file cannot be read or is malformed
     */
    public Link uretprobe(String function, BpfProgram program, int pid) throws IOException {
        return attach(function, program, true, pid);
    }

    @Override
    public void close() throws IOException {
        elf.close();
    }

    private Link attach(String function, BpfProgram program, boolean isReturn, int pid) throws IOException {
        UprobeAttachMethod method = UprobeAttachMethod.bestFor(program.spec().expectedAttachType());
        AttachPoint entry = new AttachPoint(file, entryOffset(function), 0, 0);
        UprobeAttachment attachment = Uprobes.attach(method, program, List.of(entry), isReturn, pid);
        Optional<RefusedAttachPoint> refused = attachment.refused().stream().findFirst();
        if (refused.isPresent()) {
            attachment.close();
            throw refused.get().exception();
        }
        return attachment;
    }

    private ElfSymbol symbol(String function) throws IOException {
        List<ElfSymbol> symbols = elf.functionsNamed(function);
        if (symbols.isEmpty()) {
            throw new NoSuchFunctionException(file, function, elf.nearestNames(function, NEAREST_NAMES));
        }
        ElfSymbol symbol = symbols.get(0);
        if (symbol.isIndirect()) {
            throw new IllegalArgumentException("probe " + function + " in " + file + ": it is an indirect function"
                    + " (IFUNC), which only selects the implementation; probe the implementations");
        }
        if (symbol.isLocal() && symbols.size() > 1) {
            throw new IllegalArgumentException(
                    "probe " + function + " in " + file + ": " + symbols.size() + " functions have this name");
        }
        return symbol;
    }

    /** File offset of the first instruction after a leading endbr64, which does nothing and is slower to probe. */
    long entryOffset(String function) throws IOException {
        ElfSymbol symbol = symbol(function);
        byte[] code = elf.code(symbol, ENDBR64.length + 1);
        boolean startsWithEndbr = elf.machine() == ElfMachine.X86_64
                && code.length > ENDBR64.length
                && Arrays.equals(code, 0, ENDBR64.length, ENDBR64, 0, ENDBR64.length);
        return elf.fileOffset(symbol) + (startsWithEndbr ? ENDBR64.length : 0);
    }

    /** The file names no such function. */
    public static final class NoSuchFunctionException extends IllegalArgumentException {
        private final List<String> nearestNames;

        NoSuchFunctionException(Path file, String function, List<String> nearestNames) {
            super("probe " + function + " in " + file + ": the file has no function with this name"
                    + (nearestNames.isEmpty() ? "" : "; similar names: " + String.join(", ", nearestNames)));
            this.nearestNames = List.copyOf(nearestNames);
        }

        /** {@return at most three names in the file that are similar to the missing one, the most similar first} */
        public List<String> nearestNames() {
            return nearestNames;
        }
    }
}
