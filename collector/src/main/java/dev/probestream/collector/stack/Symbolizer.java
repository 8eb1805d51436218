package dev.probestream.collector.stack;

import dev.probestream.bpf.machine.CxxDemangler;
import dev.probestream.bpf.proc.MappedRange;
import dev.probestream.collector.event.Warnings;
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
 *   <li>Code of a file takes the name of the ELF symbol that covers it, demangled with its arguments. A stripped file
 *       names only what it exports; other frames keep their module and offset, with which they can be named later.
 *   <li>Code of no file was generated: its name is that of the last entry over it in /tmp/perf-PID.map, as the process
 *       sees that file and numbers itself. What V8 compiled from JavaScript is JS, with function, file and line apart
 *       (see {@link JavaScriptName}); what other run-times generate is NATIVE and keeps its name as it was written.
 *       Code is executable: a value that lies in other memory is no address of code and takes no name.
 *   <li>Of V8's own code a person sees only what {@link JavaScriptFrames} says, and functions of JavaScript that have no
 *       name are counted there.
 *   <li>Kernel code takes its name from /proc/kallsyms; the vDSO's from the vDSO.
 *   <li>All addresses but the first of each part of the stack are return addresses: the call is before them, which
 *       matters where a call ends a function.
 * </ul>
 *
 * Keeps at most {@value ElfNames#MAX_FILES} ELF files open until {@link #close}. For one thread at a time.
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

    /** What kept frames from being named, in words for the user; each is said once. */
    public List<String> takeWarnings() {
        return takeWarnings.take();
    }

    @Override
    public void close() {
        elfNames.close();
    }

    /** Says that some time has passed: perf maps may have grown since. */
    void refresh() {
        jitNames.refresh();
    }

    /** See {@link StackInterner#prepare}. */
    void prepare(ProcessView process, boolean withKernel) {
        for (MappedRange file : process.maps().codeFiles()) {
            elfNames.nameOf(process, file, file.fileOffset());
        }
        jitNames.nameOf(process, 0);
        if (withKernel) {
            kernelNames.nameOf(0);
        }
    }

    List<Frame> frames(RawStack stack) {
        List<Frame> frames = new ArrayList<>(stack.frameCount());
        List<Frame> userFrames = new ArrayList<>(stack.frameCount());
        for (int i = 0; i < stack.frameCount(); i++) {
            long address = stack.address(i);
            long within = stack.isLeaf(i) ? address : address - 1;
            if (stack.isKernelFrame(i)) {
                frames.add(new Frame(kernelNames.nameOf(within), KERNEL_MODULE, address, FrameKind.KERNEL, "", 0));
            } else {
                userFrames.add(userFrame(stack, address, within));
            }
        }
        frames.addAll(JavaScriptFrames.shown(userFrames));
        return frames;
    }

    private Frame userFrame(RawStack stack, long address, long within) {
        Optional<MappedRange> range = rangeOf(stack, within);
        if (range.isPresent() && range.get().isFile()) {
            return fileFrame(stack.process(), range.get(), address, within);
        }
        if (range.isPresent() && range.get().path().equals(VDSO)) {
            long start = range.get().start();
            return new Frame(elfNames.nameInVdso(within - start), VDSO, address - start, FrameKind.NATIVE, "", 0);
        }
        if (range.isPresent() && !range.get().isExecutable()) {
            return new Frame("", "", address, FrameKind.NATIVE, "", 0);
        }
        String name = jitNames.nameOf(stack.process(), within);
        return name.isEmpty()
                ? new Frame("", "", address, range.isPresent() ? FrameKind.JS : FrameKind.NATIVE, "", 0)
                : generatedFrame(name, "", address);
    }

    /** In the maps of then; or, for code that was mapped, or was just being written, while they were young, in those of now. */
    private static Optional<MappedRange> rangeOf(RawStack stack, long address) {
        Optional<MappedRange> then = stack.maps().covering(address);
        return then.filter(MappedRange::isExecutable)
                .or(() -> stack.process().maps().covering(address))
                .or(() -> then);
    }

    private Frame fileFrame(ProcessView process, MappedRange range, long address, long within) {
        String symbol = elfNames.nameOf(process, range, range.fileOffsetOf(within));
        long offset = range.fileOffsetOf(address);
        if (symbol.isEmpty()) {
            // Some run-times keep generated code in a memory file.
            return generatedFrame(jitNames.nameOf(process, within), range.path(), offset);
        }
        return new Frame(symbol, range.path(), offset, FrameKind.NATIVE, "", 0);
    }

    private static Frame generatedFrame(String name, String module, long offset) {
        return JavaScriptName.parse(name)
                .map(js -> new Frame(js.function(), module, offset, FrameKind.JS, js.file(), js.line()))
                .orElse(new Frame(name, module, offset, FrameKind.NATIVE, "", 0));
    }
}
