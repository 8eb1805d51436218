package dev.probestream.collector.internal.program.snippet;

import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Filter;
import dev.probestream.collector.probe.FilterOperand;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The filter of a span, cut into what is decided when the function is entered and what only when it returns. Parts joined
 * by {@code &&} go apart. A part that needs both moments is decided at the return, with the registers as they were at
 * entry; what they point to may have changed by then, so that is refused.
 *
 * @param atEntry of calls that fail it nothing is kept
 * @param atReturn its arguments are all read at return
 */
public record SpanFilter(Optional<Filter> atEntry, Optional<Filter> atReturn) {
    /**
     * Cuts the filter of a probe, if it has one.
     *
     * @throws ProbeArgumentException when a part needs memory as it was at entry and what is known at return
     */
    public static SpanFilter of(ProbeSpec spec) {
        List<Filter> entry = new ArrayList<>();
        List<Filter> atReturn = new ArrayList<>();
        spec.filter().ifPresent(filter -> {
            for (Filter part : filter.joinedByAnd()) {
                (part.needsReturn() ? atReturn : entry).add(part);
            }
        });
        return new SpanFilter(
                joined(entry),
                joined(atReturn).map(filter -> filter.withArguments(argument -> readAtReturn(spec, argument))));
    }

    private static Optional<Filter> joined(List<Filter> parts) {
        return parts.isEmpty() ? Optional.empty() : Optional.of(Filter.all(parts));
    }

    private static ArgumentSpec readAtReturn(ProbeSpec spec, ArgumentSpec argument) {
        if (spec.kind() == ProbeKind.USDTSPAN && !argument.atReturn()) {
            throw new ProbeArgumentException(
                    spec,
                    "the filter asks under one || or ! for " + argument.name()
                            + " of the beginning and for what is known at the end only; join the two by &&");
        }
        boolean isKeptInRegister = argument.source().kind() == ArgumentSource.Kind.ARGUMENT
                && !argument.isDereferenced()
                && !argument.type().isText();
        if (!FilterOperand.isKnownAtReturn(argument) && !isKeptInRegister) {
            throw new ProbeArgumentException(
                    spec,
                    "the filter asks under one || or ! for what " + argument.name()
                            + " points to at the entry and for what is known at the return only; join the two by &&, or"
                            + " write 'at return' behind " + argument.name());
        }
        return argument.readAtReturn(true);
    }
}
