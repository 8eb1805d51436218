package dev.probestream.collector.internal.resolve;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.machine.CxxSignature;
import dev.probestream.collector.internal.process.ProbedFile;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Explains why a function was not found: names near it, names stripped off, or another file of the process has it. */
final class MissingFunction {
    private static final int NEAREST = 5;
    private static final int MAX_FILES_NAMED = 3;

    private final ProbeSpec spec;
    private final ElfFile elf;
    private final String what;

    MissingFunction(ProbeSpec spec, ElfFile elf, String what) {
        this.spec = spec;
        this.elf = elf;
        this.what = what;
    }

    /** An optional probe gets the short message, without advice. */
    ResolveException explain(FileFinder finder, Resolver resolver) throws IOException {
        StringBuilder message = new StringBuilder(what)
                .append(spec.isGlob() ? ": no function matches " : ": there is no function ")
                .append(spec.function());
        if (elf.isStripped()) {
            message.append("; the file is stripped (it has no .symtab) and has no debug file, so that only the ")
                    .append(elf.functionCount())
                    .append(" functions it exports have names");
        }
        if (!spec.preset().optional() && CxxSignature.isOne(spec.function())) {
            List<String> overloads = FunctionFinder.overloads(elf, spec.function());
            if (!overloads.isEmpty()) {
                return new ResolveException(
                        Reason.NO_FUNCTION,
                        message.append("; of this name there are ")
                                .append(overloads.stream().limit(NEAREST).collect(Collectors.joining(", ")))
                                .toString());
            }
        }
        List<String> copies = spec.preset().optional() ? List.of() : copies();
        if (!copies.isEmpty()) {
            return new ResolveException(
                    Reason.NO_FUNCTION,
                    message.append("; the compiler has left ")
                            .append(String.join(", ", copies))
                            .append(copies.size() == 1 ? " of it: name that" : " of it: name one of these")
                            .append(", whose arguments may be others than in the source")
                            .toString());
        }
        if (!spec.preset().optional()) {
            List<String> elsewhere = filesThatHaveIt(finder, resolver);
            List<String> nearest = elf.nearestNames(spec.function().replace("*", ""), NEAREST);
            if (!elsewhere.isEmpty()) {
                message.append("; it is in ")
                        .append(String.join(", ", elsewhere))
                        .append(": name that file in the spec");
            }
            if (!nearest.isEmpty()) {
                message.append("; nearest: ").append(String.join(", ", nearest));
            }
            if (elf.isStripped() && elsewhere.isEmpty()) {
                message.append(
                                "; to probe others, install its debug symbols or run a build that is not stripped (the official binaries of Node.js"
                                        + " are not; 'file ")
                        .append(elf.name())
                        .append("' shows which it is)");
            }
        }
        return new ResolveException(Reason.NO_FUNCTION, message.toString());
    }

    private List<String> copies() throws IOException {
        return elf.copiesOf(spec.function()).stream()
                .map(ElfSymbol::name)
                .limit(NEAREST)
                .toList();
    }

    private List<String> filesThatHaveIt(FileFinder finder, Resolver resolver) {
        List<String> found = new ArrayList<>();
        try {
            for (ProbedFile file : finder.mappedFiles()) {
                if (found.size() < MAX_FILES_NAMED && hasIt(file, resolver)) {
                    found.add(file.shownPath());
                }
            }
        } catch (ResolveException e) {
            return found; // the process has gone; this is only advice
        }
        return found;
    }

    private boolean hasIt(ProbedFile file, Resolver resolver) {
        try {
            ElfFile other = resolver.open(file, what);
            return !FunctionFinder.find(other, spec.function(), spec.isGlob()).isEmpty();
        } catch (ResolveException | IOException e) {
            return false; // not an ELF file, or not ours to read
        }
    }
}
