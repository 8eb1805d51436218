package dev.probestream.collector.internal.resolve;

import dev.probestream.bpf.tracefs.Tracefs;
import dev.probestream.bpf.tracefs.TracefsException;
import dev.probestream.bpf.tracefs.TracepointFormat;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Finds the tracepoints a spec means. */
public final class TracepointFinder {
    private static final int MAX_SUGGESTIONS = 5;

    private final Tracefs tracefs;

    TracepointFinder(Tracefs tracefs) {
        this.tracefs = tracefs;
    }

    /**
     * Searches the tracefs of this machine, which is mounted if it is missing.
     *
     * @throws ResolveException when it is not there and cannot be mounted, or may not be read
     */
    public static TracepointFinder open() throws ResolveException {
        try {
            return new TracepointFinder(Tracefs.open());
        } catch (TracefsException e) {
            throw TracefsFailure.of(e);
        }
    }

    /**
     * The formats of the tracepoints a spec means: one, or for a glob as many as match.
     *
     * @throws ResolveException when there is none, with the nearest names
     */
    public List<TracepointFormat> formats(ProbeSpec spec) throws ResolveException {
        try {
            return find(spec);
        } catch (TracefsException e) {
            throw TracefsFailure.of(e);
        }
    }

    private List<TracepointFormat> find(ProbeSpec spec) throws ResolveException, TracefsException {
        List<String> names = tracefs.names(spec.module());
        List<String> asked =
                spec.isGlob() ? names.stream().filter(matcher(spec.function())).toList() : List.of(spec.function());
        if (asked.isEmpty() || !names.containsAll(asked)) {
            throw new ResolveException(Reason.NO_FUNCTION, missing(spec, names));
        }
        List<TracepointFormat> formats = new ArrayList<>();
        for (String name : asked) {
            formats.add(tracefs.format(spec.module(), name));
        }
        return formats;
    }

    private String missing(ProbeSpec spec, List<String> names) throws TracefsException {
        String what = "resolve " + spec.text() + " in " + tracefs.folder() + ": ";
        if (names.isEmpty()) {
            return what + "no category " + spec.module() + suggestions(spec.module(), tracefs.categories());
        }
        return what + "no tracepoint " + spec.function() + " in the category " + spec.module()
                + suggestions(spec.function(), names);
    }

    static String suggestions(String asked, List<String> names) {
        String lower = asked.toLowerCase(Locale.ROOT);
        String near = names.stream()
                .filter(name -> (lower.length() >= 3 && (name.contains(lower) || lower.contains(name)))
                        || commonPrefix(name, lower) >= Math.max(3, lower.length() / 2))
                .sorted((a, b) -> commonPrefix(b, lower) - commonPrefix(a, lower))
                .limit(MAX_SUGGESTIONS)
                .collect(Collectors.joining(", "));
        return near.isEmpty() ? "" : "; the nearest are " + near;
    }

    private static int commonPrefix(String a, String b) {
        int length = 0;
        while (length < Math.min(a.length(), b.length()) && a.charAt(length) == b.charAt(length)) {
            length++;
        }
        return length;
    }

    private static Predicate<String> matcher(String glob) {
        Pattern pattern =
                Pattern.compile(Pattern.quote(glob).replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q"));
        return pattern.asMatchPredicate();
    }
}
