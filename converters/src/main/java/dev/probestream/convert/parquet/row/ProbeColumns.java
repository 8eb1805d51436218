package dev.probestream.convert.parquet.row;

import dev.probestream.schema.EventView;
import dev.probestream.schema.SwitchEvent;
import dev.probestream.schema.WakingEvent;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.parquet.io.api.Binary;
import org.jspecify.annotations.Nullable;

/** Where the arguments of a probe are found in the tables, and what its events are called there. */
public final class ProbeColumns {
    static final int NUMBER_COLUMNS = 8;
    static final int STRING_COLUMNS = 3;

    private static final int RESULT_BIT = 63;
    private static final long ARGUMENT_BITS = ~(1L << RESULT_BIT);

    private final @Nullable Binary name;
    private final @Nullable Binary category;
    private final boolean hasResult;

    /** By argument: bit p = it is the p-th number. */
    private final long[] numberBits;

    private final long[] stringBits;
    private final boolean isDescribed;

    private ProbeColumns(
            @Nullable Binary name,
            @Nullable Binary category,
            boolean hasResult,
            long[] numberBits,
            long[] stringBits,
            boolean isDescribed) {
        this.name = name;
        this.category = category;
        this.hasResult = hasResult;
        this.numberBits = numberBits;
        this.stringBits = stringBits;
        this.isDescribed = isDescribed;
    }

    /** Of a probe that the recording does not describe. */
    public static ProbeColumns unknown() {
        return new ProbeColumns(null, null, false, new long[0], new long[0], false);
    }

    public static ProbeColumns of(Probe probe) {
        List<Argument> arguments = arguments(probe);
        int count = Math.min(arguments.size(), RESULT_BIT);
        long[] numberBits = new long[count];
        long[] stringBits = new long[count];
        int numbers = 0;
        int strings = 0;
        for (int i = 0; i < count; i++) {
            if (isText(arguments.get(i))) {
                stringBits[i] = 1L << strings++;
            } else {
                numberBits[i] = 1L << numbers++;
            }
        }
        return new ProbeColumns(
                Binary.fromString(probe.getName()),
                Binary.fromString(probe.getCategory()),
                !probe.getReturnType().isEmpty(),
                numberBits,
                stringBits,
                true);
    }

    /** The probe's arguments; those of its kind when the kind determines them. */
    static List<Argument> arguments(Probe probe) {
        if (!probe.getArguments().isEmpty()) {
            return probe.getArguments();
        }
        return switch (probe.getKind()) {
            case SWITCH -> arguments(SwitchEvent.NUMBERS, SwitchEvent.STRINGS);
            case WAKING -> arguments(WakingEvent.NUMBERS, WakingEvent.STRINGS);
            case INSTANT, SPAN, OPEN_SPAN, COUNTER -> List.of();
        };
    }

    private static List<Argument> arguments(List<String> numbers, List<String> strings) {
        List<Argument> arguments = new ArrayList<>();
        numbers.forEach(name -> arguments.add(argument(name, name.equals("prev_state") ? "s64" : "s32")));
        strings.forEach(name -> arguments.add(argument(name, "str")));
        return arguments;
    }

    private static Argument argument(String name, String type) {
        return new Argument(name, type, "", FlowStep.NONE, Map.of());
    }

    static boolean isText(Argument argument) {
        return argument.getType().equals("str") || argument.getType().startsWith("char[");
    }

    /** The column of the {@code position}-th number or text, as SQL spells it: lists count from 1. */
    static String column(boolean isText, int position) {
        int columns = isText ? STRING_COLUMNS : NUMBER_COLUMNS;
        if (position < columns) {
            return (isText ? "s" : "a") + position;
        }
        return (isText ? "more_strings[" : "more_numbers[") + (position - columns + 1) + "]";
    }

    /** Null = not recorded. */
    @Nullable
    public Binary name() {
        return name;
    }

    /** Null = not recorded. */
    @Nullable
    public Binary category() {
        return category;
    }

    public boolean isDescribed() {
        return isDescribed;
    }

    /**
     * Whether the event has a return value. One of an unknown probe does when it is not 0: 0 is recorded
     * when there is none.
     */
    boolean hasResult(EventView event) {
        boolean isThere = isDescribed ? hasResult : event.returnValue() != 0;
        return isThere && event.kind() != EventKind.OPEN_SPAN && event.unavailable() >>> RESULT_BIT == 0;
    }

    /**
     * Bit p = the p-th number of the event could not be read. Of an unknown probe it is not known which: then it is every 0.
     */
    long unavailableNumbers(EventView event) {
        long unavailable = event.unavailable() & ARGUMENT_BITS;
        if (unavailable == 0 || isDescribed) {
            return bits(unavailable, numberBits);
        }
        long zeros = 0;
        for (int p = 0; p < Math.min(event.numberCount(), Long.SIZE); p++) {
            zeros |= event.number(p) == 0 ? 1L << p : 0;
        }
        return zeros;
    }

    /** The same of the texts; of an unknown probe it is every empty one. */
    long unavailableStrings(EventView event) {
        long unavailable = event.unavailable() & ARGUMENT_BITS;
        if (unavailable == 0 || isDescribed) {
            return bits(unavailable, stringBits);
        }
        long empty = 0;
        for (int p = 0; p < Math.min(event.stringCount(), Long.SIZE); p++) {
            empty |= event.stringLengthBytes(p) == 0 ? 1L << p : 0;
        }
        return empty;
    }

    private static long bits(long unavailable, long[] byArgument) {
        long bits = 0;
        for (long left = unavailable; left != 0; left &= left - 1) {
            int argument = Long.numberOfTrailingZeros(left);
            bits |= argument < byArgument.length ? byArgument[argument] : 0;
        }
        return bits;
    }
}
