package dev.probestream.convert.merge.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** One event of a JSON trace, with its members as this program understands them. */
public final class JsonEvent {
    /** Microseconds with more digits before the point are not a valid time. */
    private static final int MAX_INTEGER_DIGITS = 15;

    /** What a member is called. */
    public static final String PHASE = "ph";

    public static final String TS = "ts";
    public static final String DUR = "dur";
    public static final String PID = "pid";
    public static final String TID = "tid";
    public static final String NAME = "name";
    public static final String CATEGORY = "cat";
    public static final String ARGS = "args";
    public static final String ID = "id";
    public static final String ID2 = "id2";
    public static final String SCOPE = "scope";

    private final ObjectNode members;

    public JsonEvent(ObjectNode members) {
        this.members = members;
    }

    /** All of it. */
    ObjectNode members() {
        return members;
    }

    /** The letter of its kind; '?' if it has none. */
    char phase() {
        String phase = text(PHASE);
        return phase.length() == 1 ? phase.charAt(0) : '?';
    }

    /** "" = it has none. */
    String name() {
        return text(NAME);
    }

    /** Joined by commas; "" = none. */
    String categories() {
        return text(CATEGORY);
    }

    /** CLOCK_MONOTONIC; empty if it has no time, or none that makes sense. */
    OptionalLong timestampNs() {
        return nanoseconds(members.get(TS));
    }

    /** 0 if it has none. */
    long durationNs() {
        return Math.max(0, nanoseconds(members.get(DUR)).orElse(0));
    }

    /** Whether that member's microseconds are whole nanoseconds, so that nothing is lost in the latter. */
    boolean isExact(String member) {
        JsonNode value = members.get(member);
        OptionalLong ns = nanoseconds(value);
        return value != null
                && value.isNumber()
                && ns.isPresent()
                && value.decimalValue().compareTo(BigDecimal.valueOf(ns.getAsLong(), 3)) == 0;
    }

    private static OptionalLong nanoseconds(@Nullable JsonNode microseconds) {
        if (microseconds == null || !microseconds.isNumber() || isNotFinite(microseconds)) {
            return OptionalLong.empty();
        }
        BigDecimal value = microseconds.decimalValue();
        if (value.precision() - value.scale() > MAX_INTEGER_DIGITS) {
            return OptionalLong.empty();
        }
        if (value.scale() > 1_000) {
            return OptionalLong.of(0);
        }
        BigInteger ns =
                value.movePointRight(3).setScale(0, RoundingMode.HALF_EVEN).toBigInteger();
        return OptionalLong.of(ns.longValueExact());
    }

    private static boolean isNotFinite(JsonNode number) {
        return number.isDouble() && !Double.isFinite(number.doubleValue());
    }

    /** Empty if it is missing, or out of the range of ids on Linux. */
    OptionalInt pid() {
        return id(members.get(PID));
    }

    /** The pid, when there is no tid. */
    OptionalInt tid() {
        return members.has(TID) ? id(members.get(TID)) : pid();
    }

    private static OptionalInt id(@Nullable JsonNode value) {
        return value != null && value.isIntegralNumber() && value.canConvertToInt() && value.intValue() >= 0
                ? OptionalInt.of(value.intValue())
                : OptionalInt.empty();
    }

    /** What ties asynchronous events together beside their categories; one of "id2": {"local"} is the process's own. */
    String asyncId() {
        JsonNode id2 = members.get(ID2);
        if (id2 != null && id2.has("global")) {
            return "global " + scope() + id2.get("global").asText();
        }
        if (id2 != null && id2.has("local")) {
            return "local " + scope() + id2.get("local").asText() + " of " + processText();
        }
        return "id " + scope() + text(ID) + " of " + processText();
    }

    private String scope() {
        String scope = text(SCOPE);
        return scope.isEmpty() ? "" : scope + '/';
    }

    private String processText() {
        return text(PID);
    }

    String threadText() {
        return text(PID) + '/' + (members.has(TID) ? text(TID) : text(PID));
    }

    /** A member as text; "" if it is missing. */
    String text(String member) {
        JsonNode value = members.get(member);
        return value == null || value.isNull() ? "" : value.asText();
    }
}
