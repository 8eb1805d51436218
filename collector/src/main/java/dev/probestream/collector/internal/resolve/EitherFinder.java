package dev.probestream.collector.internal.resolve;

import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Finds what {@code u:} means: a USDT probe or a function. Which of the two it is the target decides; where it has both,
 * the user must. What stands before the name is a path, a library or the executable by its file name, or a provider:
 *
 * <pre>
 *   u:NAME              any provider's USDT probe in any mapped file     or  a function of the executable
 *   u:PATH:NAME         any provider's USDT probe in the file            or  a function of the file
 *   u:WORD:NAME         as u:PATH:NAME for the mapped file of that name, and a USDT probe of the provider WORD anywhere
 *   u:FILE:PROVIDER:NAME   a USDT probe only
 * </pre>
 */
final class EitherFinder {
    private final Resolver resolver;
    private final FileFinder finder;
    private final ProbeSpec spec;
    private final List<String> lookedFor = new ArrayList<>();

    EitherFinder(Resolver resolver, FileFinder finder, ProbeSpec spec) {
        this.resolver = resolver;
        this.finder = finder;
        this.spec = spec;
    }

    List<ProbeMatch> find() throws ResolveException {
        List<ProbeMatch> usdt = usdt();
        List<ProbeMatch> functions = hasProvider() ? List.of() : functions();
        if (!usdt.isEmpty() && !functions.isEmpty()) {
            throw new ResolveException(
                    Reason.REFUSED,
                    what() + ": there is a USDT probe and a function of this name; write usdt:"
                            + usdt.get(0).module() + ":"
                            + usdt.get(0).locations().get(0).symbol() + " or uprobe:"
                            + functions.get(0).module() + ":" + spec.function());
        }
        if (usdt.isEmpty() && functions.isEmpty()) {
            boolean isModuleUnknown = !spec.module().isEmpty() && !finder.hasMapped(spec.module());
            throw new ResolveException(
                    isModuleUnknown ? Reason.NO_PROVIDER : Reason.NO_FUNCTION,
                    what() + ": found neither. " + String.join(". ", lookedFor) + " (" + finder.listing(spec.module())
                            + ")");
        }
        return usdt.isEmpty() ? functions : usdt;
    }

    private String what() {
        return "look for what " + spec.text() + " means in " + finder.process();
    }

    /** {@code FILE:PROVIDER:NAME}: the parser leaves the last two together. */
    private boolean hasProvider() {
        return spec.function().indexOf(':') > 0 && !spec.function().contains("::");
    }

    private List<ProbeMatch> usdt() throws ResolveException {
        String module = spec.module();
        if (hasProvider()) {
            return usdt(module, spec.function());
        }
        if (spec.function().contains("::")) {
            lookedFor.add("As a USDT probe: a C++ name is none");
            return List.of();
        }
        if (module.isEmpty() || module.indexOf('/') >= 0) {
            return usdt(module, "*:" + spec.function());
        }
        List<ProbeMatch> ofProvider = usdt("", module + ":" + spec.function());
        return !ofProvider.isEmpty() || !finder.hasMapped(module) ? ofProvider : usdt(module, "*:" + spec.function());
    }

    private List<ProbeMatch> usdt(String module, String qualifiedName) throws ResolveException {
        ProbeSpec asUsdt =
                spec.resolvedTo(ProbeKind.USDT, module, qualifiedName, qualifiedName.startsWith("*:") || spec.isGlob());
        UsdtFinder usdt = UsdtFinder.of(resolver, finder, module);
        List<ProbeMatch> found = usdt.find(asUsdt);
        if (found.isEmpty()) {
            MissingUsdtProbe missing = new MissingUsdtProbe(qualifiedName, asUsdt.isGlob(), usdt);
            lookedFor.add("As a USDT probe" + (module.isEmpty() ? "" : " of " + module) + ": " + missing.found()
                    + missing.advice());
        }
        return found;
    }

    private List<ProbeMatch> functions() throws ResolveException {
        String module = spec.module();
        boolean isFile = module.isEmpty() || module.indexOf('/') >= 0 || finder.hasMapped(module);
        if (!isFile) {
            lookedFor.add("As a function: no file called " + module + " is mapped");
            return List.of();
        }
        UnaryOperator<ArgumentSpec> typed = argument ->
                argument.type().form() == ArgumentType.Form.DECLARED ? argument.ofType(ArgumentType.S64) : argument;
        ProbeSpec asFunction = spec.resolvedTo(ProbeKind.UPROBE, module, spec.function(), spec.isGlob())
                .recording(spec.arguments().stream().map(typed).toList(), typed);
        try {
            return resolver.functions(asFunction, finder);
        } catch (ResolveException e) {
            if (e.reason() != Reason.NO_FUNCTION) {
                throw e;
            }
            lookedFor.add("As a function: " + e.getMessage());
            return List.of();
        }
    }
}
