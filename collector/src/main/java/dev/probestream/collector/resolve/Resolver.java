package dev.probestream.collector.resolve;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfMachine;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.resolve.ResolveException.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Turns what a user asks for into places in files. The rules:
 *
 * <ul>
 *   <li>No module means the target's own executable; a path is looked up as the target sees it; a name without a slash
 *       is the file name of something it has mapped ({@code libc.so.6}, {@code libuv}). The file given back is always
 *       the one that runs, even where it was deleted or replaced.
 *   <li>A function is named as in the file, or as in C++ ({@code v8::internal::Heap::CollectGarbage}: all overloads);
 *       the copies and fragments that compilers make of it ({@code .cold}, {@code .part.N}, {@code .constprop.N}, {@code
 *       .isra.N}) are never meant, unless a name or glob spells such a suffix.
 *   <li>A glob gives one probe for each name, and none where an address has been named already.
 *   <li>A leading {@code endbr64} is skipped: the kernel would have to single-step it at every hit. An offset is
 *       taken as it is, if an instruction begins there.
 * </ul>
 *
 * Keeps the ELF files it has read open until {@link #close}, so that many specs for one file read it once. For one
 * thread at a time.
 */
public final class Resolver implements AutoCloseable {
    /** More probes than these at once are a slip of the keyboard, such as {@code uprobe:*}. */
    private static final int MAX_PROBES_PER_SPEC = 1000;

    private final Map<FileId, ElfFile> files = new HashMap<>();

    /**
     * Finds the probes of a spec whose kind is a {@link ProbeKind#isUserFunction}.
     *
     * @return at least one
     * @throws ResolveException nothing fits, or what fits must not be probed so
     */
    public List<ResolvedProbe> resolve(ProbeSpec spec, Target target) throws ResolveException {
        FileFinder finder = new FileFinder(target);
        ProbedFile file = finder.find(spec.module());
        String what = "resolve " + spec.text() + " in " + file.shownPath();
        try {
            ElfFile elf = open(file, what);
            checkProbeable(spec, elf, what);
            Map<String, List<ElfSymbol>> functions = FunctionFinder.find(elf, spec.function(), spec.isGlob());
            if (functions.isEmpty()) {
                throw new MissingFunction(spec, elf, what).explain(finder, this);
            }
            if (functions.size() > MAX_PROBES_PER_SPEC) {
                throw new ResolveException(
                        Reason.REFUSED,
                        what + ": " + functions.size() + " functions match, at most " + MAX_PROBES_PER_SPEC
                                + " can be probed at once; narrow the glob");
            }
            EntryPoint entryPoint = new EntryPoint(spec, elf, what);
            List<ResolvedProbe> probes = new ArrayList<>();
            for (Map.Entry<String, List<ElfSymbol>> function : functions.entrySet()) {
                List<UprobeLocation> locations = new ArrayList<>();
                for (ElfSymbol symbol : function.getValue()) {
                    locations.add(
                            new UprobeLocation(symbol.name(), file.file(), file.id(), entryPoint.fileOffset(symbol)));
                }
                probes.add(new ResolvedProbe(spec, spec.displayName(function.getKey()), file.shownPath(), locations));
            }
            return probes;
        } catch (IOException e) {
            throw unreadable(what, e);
        }
    }

    @Override
    public void close() {
        try {
            for (ElfFile file : files.values()) {
                file.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("close an ELF file that was only read", e);
        } finally {
            files.clear();
        }
    }

    /** Opens the file, or gives back what is open; the Resolver closes it. */
    ElfFile open(ProbedFile file, String what) throws ResolveException {
        ElfFile open = files.get(file.id());
        if (open == null) {
            try {
                open = ElfFile.open(file.file());
            } catch (IOException e) {
                throw unreadable(what, e);
            }
            files.put(file.id(), open);
        }
        return open;
    }

    private static void checkProbeable(ProbeSpec spec, ElfFile elf, String what) throws ResolveException {
        ElfMachine host = ElfMachine.ofThisHost();
        if (elf.machine() != host) {
            throw new ResolveException(
                    Reason.NOT_PROBEABLE,
                    what + ": the file is built for " + elf.machine() + ", this machine is " + host);
        }
        if (spec.kind() != ProbeKind.UPROBE
                && (elf.hasSection(".go.buildinfo") || elf.hasSection(".note.go.buildid"))) {
            throw new ResolveException(
                    Reason.REFUSED,
                    what + ": this is a Go program, and " + spec.kind().spelling()
                            + " replaces return addresses on the stack, which Go moves: the program would crash."
                            + " Use uprobe: on the function, or uprobe:FUNCTION+OFFSET on its RET instructions");
        }
    }

    private static ResolveException unreadable(String what, IOException e) {
        return ProcFile.isDenied(e)
                ? new ResolveException(
                        Reason.NOT_PERMITTED,
                        what + ": permission denied (run Probestream as root or with CAP_SYS_PTRACE)",
                        e)
                : new ResolveException(Reason.NOT_PROBEABLE, what + ": " + ProcFile.words(e), e);
    }
}
