package dev.probestream.collector.internal.resolve;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfMachine;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.bpf.usdt.UsdtNotes;
import dev.probestream.collector.internal.debugfile.DebugFiles;
import dev.probestream.collector.internal.process.FileId;
import dev.probestream.collector.internal.process.LaunchedCommand;
import dev.probestream.collector.internal.process.ProbedFile;
import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.internal.resolve.code.EntryPoint;
import dev.probestream.collector.internal.resolve.code.GoCalls;
import dev.probestream.collector.internal.resolve.code.V8Refusal;
import dev.probestream.collector.probe.PresetTraits.FileCondition;
import dev.probestream.collector.probe.PresetTraits.KnownLayout;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import dev.probestream.collector.probe.UsdtPair;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Resolves specs to locations in files. The rules:
 *
 * <ul>
 *   <li>No module means the target's own executable; a path is looked up as the target sees it; a name without a slash
 *       is the file name of something it has mapped ({@code libc.so.6}, {@code libuv}). The file given back is always
 *       the one that runs, even where it was deleted or replaced.
 *   <li>A function is named as in the file, or as in C++: {@code v8::internal::Heap::CollectGarbage} gives a probe for
 *       each overload, {@code ns::f(int)} for one; the copies and fragments that compilers make of it ({@code .cold}, {@code .part.N}, {@code .constprop.N}, {@code
 *       .isra.N}) are never meant, unless a name or glob spells such a suffix.
 *   <li>A function of a stripped file may be one of its debug file ({@link DebugFiles}).
 *   <li>A glob gives one probe for each name, and none where an address has been named already.
 *   <li>A leading {@code endbr64} is skipped: the kernel would have to single-step it at every hit. So is the check of
 *       the stack that Go's functions begin with: they begin again when the stack had to grow. An offset is taken as it
 *       is, if an instruction begins there.
 * </ul>
 *
 * Keeps the ELF files it has read open until {@link #close}, so that many specs for one file read it once. For one
 * thread at a time.
 */
public final class Resolver implements AutoCloseable {
    /** More probes than these at once are a slip of the keyboard, such as {@code uprobe:*}. */
    private static final int MAX_PROBES_PER_SPEC = 1000;

    private final Optional<LaunchedCommand> launched;
    /** A capture that runs for weeks sees the files of many processes come and go. */
    private static final int MAX_OPEN_FILES = 64;

    private final Map<FileId, ElfFile> files = new HashMap<>();
    private final Map<FileId, UsdtAttachPoints> usdtAttachPoints = new HashMap<>();
    private final Set<FileId> withoutUsdt = new HashSet<>();
    private final Set<String> damaged = new LinkedHashSet<>();

    public Resolver() {
        this(Optional.empty());
    }

    /**
     * @param launched a command: as long as it is held, its process is looked at as if it had started. Borrowed.
     */
    public Resolver(Optional<LaunchedCommand> launched) {
        this.launched = launched;
    }

    /**
     * Finds the probes of a spec whose kind is {@link ProbeKind#isInUserSpace}. The specs of the probes that are found are
     * never of kind {@link ProbeKind#USER}.
     *
     * @return at least one
     * @throws ResolveException nothing fits, or what fits must not be probed so
     */
    public List<ProbeMatch> resolve(ProbeSpec spec, Target target) throws ResolveException {
        FileFinder finder = new FileFinder(target, held(target));
        return switch (spec.kind()) {
            case UPROBE, URETPROBE, SPAN -> functions(spec, finder);
            case USDT, USDTSPAN -> usdt(spec, finder);
            case USER -> new EitherFinder(this, finder, spec).find();
            case PAIR, TRACEPOINT, RAWTRACEPOINT, SYSCALL, SYS_EXIT, SYSCALLS, SCHED, SIGNALS, PROFILE, PROCESS ->
                throw new IllegalArgumentException(spec.text() + " is no probe in user space");
        };
    }

    /**
     * Finds the probes of a spec whose kind {@link ProbeKind#isUsdt} in these files, whatever file the spec names. None is no
     * error.
     */
    public List<ProbeMatch> usdtIn(List<ProbedFile> files, ProbeSpec spec) throws ResolveException {
        return UsdtFinder.of(this, files).find(spec);
    }

    /** The program that runs in the process, or that will run there. */
    String executable(Target target) {
        return held(target).map(command -> command.executable().toString()).orElse(target.executable());
    }

    /** The command that the process is to become. */
    private Optional<LaunchedCommand> held(Target target) {
        return launched.filter(command -> command.pid() == target.pid() && !command.hasStarted());
    }

    /** Files whose USDT notes are damaged and debug files that cannot be used, in words for the user. */
    public List<String> warnings() {
        return List.copyOf(damaged);
    }

    private List<ProbeMatch> usdt(ProbeSpec spec, FileFinder finder) throws ResolveException {
        UsdtFinder usdt = UsdtFinder.of(this, finder, spec.module());
        List<ProbeMatch> found = usdt.find(spec);
        if (found.isEmpty()) {
            String what =
                    "resolve " + spec.text() + " in " + (spec.module().isEmpty() ? finder.process() : spec.module());
            throw spec.kind() == ProbeKind.USDTSPAN
                    ? MissingUsdtProbe.ofPair(UsdtPair.of(spec), usdt, what, finder.listing(spec.module()))
                    : new MissingUsdtProbe(spec.function(), spec.isGlob(), usdt)
                            .explain(what, finder.listing(spec.module()));
        }
        checkCount(found.size(), "resolve " + spec.text(), "USDT probes");
        return found;
    }

    private static void checkCount(int count, String what, String things) throws ResolveException {
        if (count > MAX_PROBES_PER_SPEC) {
            throw new ResolveException(
                    Reason.REFUSED,
                    what + ": " + count + " " + things + " match, at most " + MAX_PROBES_PER_SPEC
                            + " can be probed at once; narrow the glob");
        }
    }

    List<ProbeMatch> functions(ProbeSpec spec, FileFinder finder) throws ResolveException {
        ProbedFile file = finder.find(spec.module());
        String what = "resolve " + spec.text() + " in " + file.shownPath();
        try {
            ElfFile elf = open(file, what);
            checkMachine(elf, what);
            checkCondition(spec.preset().files(), elf, what);
            Map<String, List<ElfSymbol>> functions = FunctionFinder.find(elf, spec);
            if (functions.isEmpty()) {
                throw new MissingFunction(spec, elf, what).explain(finder, this);
            }
            checkReturn(spec, elf, functions, what);
            checkCount(functions.size(), what, "functions");
            EntryPoint entryPoint = new EntryPoint(spec, elf, what);
            List<ProbeMatch> probes = new ArrayList<>();
            for (Map.Entry<String, List<ElfSymbol>> function : functions.entrySet()) {
                List<UprobeLocation> locations = new ArrayList<>();
                for (ElfSymbol symbol : function.getValue()) {
                    locations.add(UprobeLocation.ofFunction(symbol.name(), file, entryPoint.fileOffset(symbol)));
                }
                probes.add(new ProbeMatch(
                        spec,
                        spec.displayName(function.getKey()),
                        file.shownPath(),
                        locations,
                        GoCalls.of(elf, function.getValue().get(0).name())));
            }
            return probes;
        } catch (IOException e) {
            throw unreadable(what, e);
        }
    }

    /** The functions of a spec whose probes the kernel would single-step at each hit ({@link EntryPoint#isSingleStepped}). */
    public List<String> singleStepped(ProbeSpec spec, Target target) throws ResolveException {
        if (!spec.kind().isUserFunction()) {
            return List.of();
        }
        ProbedFile file = new FileFinder(target, held(target)).find(spec.module());
        String what = "resolve " + spec.text() + " in " + file.shownPath();
        List<String> names = new ArrayList<>();
        try {
            ElfFile elf = open(file, what);
            EntryPoint entryPoint = new EntryPoint(spec, elf, what);
            for (Map.Entry<String, List<ElfSymbol>> function :
                    FunctionFinder.find(elf, spec).entrySet()) {
                for (ElfSymbol symbol : function.getValue()) {
                    if (entryPoint.isSingleStepped(symbol)) {
                        names.add(function.getKey());
                    }
                }
            }
            return names.stream().distinct().toList();
        } catch (IOException e) {
            throw unreadable(what, e);
        }
    }

    /** Closes the files when they have become many; they are opened again when they are needed. */
    public void closeIfMany() {
        if (files.size() > MAX_OPEN_FILES) {
            close();
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
            usdtAttachPoints.clear();
            withoutUsdt.clear();
        }
    }

    /** The USDT probes of a file, whose notes are read once. */
    UsdtAttachPoints usdtAttachPoints(ProbedFile file) throws ResolveException {
        UsdtAttachPoints known = usdtAttachPoints.get(file.id());
        if (known == null) {
            String what = "read the USDT probes of " + file.shownPath();
            ElfFile elf = open(file, what);
            try {
                known = new UsdtAttachPoints(elf, UsdtNotes.read(elf));
            } catch (IOException e) {
                throw unreadable(what, e);
            }
            usdtAttachPoints.put(file.id(), known);
        }
        return known;
    }

    /** The same, or nothing for what cannot be probed; of a file with damaged notes a notice is kept. */
    Optional<UsdtAttachPoints> usdtAttachPointsIfAny(ProbedFile file) {
        if (withoutUsdt.contains(file.id())) {
            return Optional.empty();
        }
        try {
            if (open(file, "open " + file.shownPath()).machine() != ElfMachine.ofThisHost()) {
                return Optional.empty();
            }
        } catch (ResolveException e) {
            return Optional.empty(); // no ELF file, or not ours to read
        }
        try {
            return Optional.of(usdtAttachPoints(file));
        } catch (ResolveException e) {
            withoutUsdt.add(file.id());
            damaged.add(String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    /** Opens the file, or gives back what is open; the Resolver closes it. */
    ElfFile open(ProbedFile file, String what) throws ResolveException {
        ElfFile open = files.get(file.id());
        if (open == null) {
            try {
                open = ElfFile.open(file.file(), DebugFiles.of(file.shownPath(), file.file(), damaged::add));
            } catch (IOException e) {
                throw unreadable(what, e);
            }
            files.put(file.id(), open);
        }
        return open;
    }

    static void checkMachine(ElfFile elf, String what) throws ResolveException {
        ElfMachine host = ElfMachine.ofThisHost();
        if (elf.machine() != host) {
            throw new ResolveException(
                    Reason.NOT_PROBEABLE,
                    what + ": the file is built for " + elf.machine() + ", this machine is " + host);
        }
    }

    private static void checkCondition(FileCondition condition, ElfFile elf, String what)
            throws ResolveException, IOException {
        if (condition.requires().isPresent()
                && FunctionFinder.find(elf, condition.requires().get(), false).isEmpty()) {
            throw new ResolveException(
                    Reason.NOT_MEANT,
                    what + ": only for files that have " + condition.requires().get());
        }
        if (condition.lacks().isPresent()
                && !FunctionFinder.find(
                                elf,
                                condition.lacks().get(),
                                isGlob(condition.lacks().get()))
                        .isEmpty()) {
            throw new ResolveException(
                    Reason.NOT_MEANT,
                    what + ": only for files without " + condition.lacks().get());
        }
        if (!condition.layouts().isEmpty() && !hasOne(condition.layouts(), elf)) {
            throw new ResolveException(
                    Reason.NOT_MEANT,
                    what + ": only for files with the layout "
                            + condition.layouts().stream()
                                    .map(KnownLayout::name)
                                    .collect(Collectors.joining(" or ")));
        }
        if (hasOne(condition.otherLayouts(), elf)) {
            throw new ResolveException(Reason.NOT_MEANT, what + ": only for files whose layout is not known");
        }
    }

    private static boolean hasOne(List<KnownLayout> layouts, ElfFile elf) throws IOException {
        for (KnownLayout layout : layouts) {
            if (LayoutCheck.has(elf, layout)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isGlob(String name) {
        return name.indexOf('*') >= 0;
    }

    private static void checkReturn(ProbeSpec spec, ElfFile elf, Map<String, List<ElfSymbol>> functions, String what)
            throws ResolveException, IOException {
        if (spec.kind() == ProbeKind.UPROBE || spec.untilNext()) {
            return;
        }
        if (GoCalls.isGo(elf)) {
            throw GoRefusal.explain(spec, elf, what);
        }
        V8Refusal.check(spec, functions, what);
    }

    private static ResolveException unreadable(String what, IOException e) {
        return ProcFile.isDenied(e)
                ? new ResolveException(
                        Reason.NOT_PERMITTED,
                        what + ": permission denied (run Probestream as root or with CAP_SYS_PTRACE)",
                        e)
                : new ResolveException(Reason.NOT_PROBEABLE, what + ": " + ProcFile.reason(e), e);
    }
}
