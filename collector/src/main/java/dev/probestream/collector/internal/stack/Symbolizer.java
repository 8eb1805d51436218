package dev.probestream.collector.internal.stack;

import dev.probestream.bpf.machine.CxxDemangler;
import dev.probestream.bpf.proc.MappedRange;
import dev.probestream.collector.internal.event.Warnings;
import dev.probestream.schema.Frames;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Names the frames of stacks. The rules:
 *
 * <ul>
 * <li>Code in a file gets the name of the ELF symbol that covers it, demangled with its arguments. In a stripped file
 *     without a debug file only exported functions have names; other frames have module and offset, with which they can
 *     be named later.
 * <li>Code outside of files is generated code: its name is the last entry for the address in /tmp/perf-PID.map (path
 *     and pid as the process sees them). Code that V8 compiled from JavaScript has the kind JS and a parsed name (see
 *     {@link JavaScriptName}); code of other run-times has the kind NATIVE and its name unchanged. An address in memory
 *     that is not executable gets no name.
 *   <li>{@link JavaScriptFrames} removes V8's internal frames and merges JavaScript frames without names.
 *   <li>Kernel code gets its name from /proc/kallsyms, code in the vDSO from the symbols of the vDSO.
 * <li>All addresses except the first of the kernel part and of the user part are return addresses. The lookup uses the
 *     byte before, which belongs to the call; this matters if the call is the last instruction of a function.
 * </ul>
 *
 * Keeps at most {@value ElfNames#MAX_FILES} ELF files open until {@link #close}. Not thread-safe.
 */
public final class Symbolizer implements AutoCloseable {
    private static final String KERNEL_MODULE = "[kernel]";
    static final String VDSO = "[vdso]";

    private final Warnings takeWarnings = new Warnings();
    private final ElfNames elfNames;
    private final JitNames jitNames = new JitNames(takeWarnings);
    private final KernelNames kernelNames = new KernelNames(Path.of("/proc/kallsyms"), takeWarnings);

    public Symbolizer(CxxDemangler demangler) {
        this.elfNames = new ElfNames(demangler, takeWarnings);
    }

    /** Returns the warnings about frames without names since the previous call; each warning is returned once. */
    public List<String> takeWarnings() {
        return takeWarnings.take();
    }

    @Override
    public void close() {
        elfNames.close();
    }

    /** Makes the next lookups read what has been appended to the perf maps. */
    void refresh() {
        jitNames.refresh();
    }

    /** See {@link StackInterner#prepare}. */
    void prepare(ProcessView process, boolean withKernel) {
        for (MappedRange file : process.maps().codeFiles()) {
            elfNames.prepare(process, file);
        }
        jitNames.nameOf(process, 0);
        if (withKernel) {
            kernelNames.nameOf(0);
        }
    }

    List<Frame> frames(RawStack stack) {
        List<Frame> frames = new ArrayList<>(stack.kernel().length + stack.user().length);
        for (int i = 0; i < stack.kernel().length; i++) {
            long address = stack.kernel()[i];
            frames.add(Frames.of(kernelNames.nameOf(within(address, i)), KERNEL_MODULE, address, FrameKind.KERNEL));
        }
        UserFrames userFrames = new UserFrames(stack.javaScript());
        for (int i = 0; i < stack.user().length; i++) {
            if (userFrames.isNextNamed()) {
                userFrames.addNamed();
            } else {
                long address = stack.user()[i];
                userFrames.add(userFrame(stack, address, within(address, i)));
            }
        }
        frames.addAll(JavaScriptFrames.shown(userFrames.merged()));
        return frames;
    }

    /** All but the first are return addresses: the byte before belongs to the call. */
    private static long within(long address, int frame) {
        return frame == 0 ? address : address - 1;
    }

    private Frame userFrame(RawStack stack, long address, long within) {
        Optional<MappedRange> range = rangeOf(stack, within);
        if (range.isEmpty()
                && (stack.process().maps().ranges().isEmpty() || stack.process().hasEnded())) {
            takeWarnings.add("some stacks have addresses without files and functions: their processes ended before"
                    + " /proc/PID/maps showed the memory, or access to it is denied");
        }
        if (range.isPresent() && range.get().isFile()) {
            return fileFrame(stack.process(), range.get(), address, within);
        }
        if (range.isPresent() && range.get().path().equals(VDSO)) {
            long start = range.get().start();
            return Frames.of(elfNames.nameInVdso(within - start), VDSO, address - start, FrameKind.NATIVE);
        }
        if (range.isPresent() && !range.get().isExecutable()) {
            return Frames.of("", "", address, FrameKind.NATIVE);
        }
        String name = jitNames.nameOf(stack.process(), within);
        return name.isEmpty()
                ? Frames.of("", "", address, range.isPresent() ? FrameKind.JS : FrameKind.NATIVE)
                : generatedFrame(name, "", address);
    }

    /**
     * The kernel's record is right where it disagrees with /proc/PID/maps, which may have been read after the process
     * executed another program. Where both show the same, /proc is used: on overlayfs, Linux 6.8 to 6.17 record another
     * inode.
     */
    private static Optional<MappedRange> rangeOf(RawStack stack, long address) {
        Optional<MappedRange> read = readRangeOf(stack, address);
        Optional<MappedRange> logged = stack.logged().covering(address);
        return logged.isPresent()
                        && read.filter(range -> isSameCode(range, logged.get(), address))
                                .isEmpty()
                ? logged
                : read;
    }

    private static boolean isSameCode(MappedRange one, MappedRange other, long address) {
        return one.isFile() == other.isFile()
                && one.fileOffsetOf(address) == other.fileOffsetOf(address)
                && one.fileName().equals(other.fileName());
    }

    /**
     * Looks in the maps of the time of the stack, then in the current maps: code may have been mapped, or become
     * executable, since the former were read.
     */
    private static Optional<MappedRange> readRangeOf(RawStack stack, long address) {
        Optional<MappedRange> then = stack.maps().covering(address);
        return then.filter(MappedRange::isExecutable)
                .or(() -> stack.process().maps().covering(address))
                .or(() -> then);
    }

    private Frame fileFrame(ProcessView process, MappedRange range, long address, long within) {
        String symbol = elfNames.nameOf(process, range, range.fileOffsetOf(within));
        long offset = range.fileOffsetOf(address);
        if (symbol.isEmpty()) {
            // Some run-times keep generated code in a memfd.
            return generatedFrame(jitNames.nameOf(process, within), range.path(), offset);
        }
        return Frames.of(symbol, range.path(), offset, FrameKind.NATIVE);
    }

    private static Frame generatedFrame(String name, String module, long offset) {
        return JavaScriptName.parse(name)
                .map(js -> frame(js, module, offset))
                .orElse(Frames.of(name, module, offset, FrameKind.NATIVE, "", 0));
    }

    private static Frame frame(JavaScriptName name, String module, long offset) {
        Frame frame = Frames.of(name.function(), module, offset, FrameKind.JS, name.file(), name.line());
        frame.setColumn(name.column());
        return frame;
    }
}
