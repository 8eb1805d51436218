package dev.probestream.cli.endtoend.ownstack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.cli.endtoend.ownstack.ErrorStack.Line;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StackComparisonTest {
    private static final String HIT = "Error\n    at hit (/app/hit.js:9:5)\n";

    private static final List<Boolean> NAMED = Collections.nCopies(20, false);

    private final StackComparison comparison = new StackComparison();

    @Test
    void linesOfV8AreRead() {
        assertThat(ErrorStack.parse("""
                        TypeError: at work
                            at Shape.method (/app/a.js:1:2)
                            at new Square (file:///app/a.mjs:3:4)
                            at async Object.fetchAll [as all] (/app/a.js:5:6)
                            at /app/a.js:7:8
                            at eval (eval at run (/app/a.js:9:10), <anonymous>:11:12)
                            at Array.map (<anonymous>)
                            at async Promise.all (index 1)
                            at get area [as area] (/app/a.js:13:14)
                            at async /app/a.js:15:16""", NAMED))
                .containsExactly(
                        new Line("Shape.method", false, false, "/app/a.js", 1, 2),
                        new Line("Square", false, false, "file:///app/a.mjs", 3, 4),
                        new Line("Object.fetchAll", false, true, "/app/a.js", 5, 6),
                        new Line("", false, false, "/app/a.js", 7, 8),
                        new Line("eval", false, false, "", 11, 12),
                        new Line("Array.map", false, false, "", 0, 0),
                        new Line("Promise.all", false, true, "", 0, 0),
                        new Line("get area", false, false, "/app/a.js", 13, 14),
                        new Line("", false, true, "/app/a.js", 15, 16));
    }

    @ParameterizedTest
    @CsvSource({
        "run, false, run, true",
        "Shape.run, false, run, true",
        "Shape.get area, false, get area, true",
        "Object..js, false, .js, true",
        "exports.run, false, exports.run, true",
        "prune, false, run, false",
        "Shape.<anonymous>, true, '', true",
        "FSReqCallback.oncomplete, true, '', true",
        "run, false, '', false",
        "'', true, run, false",
    })
    void typeOfTheReceiverIsNoPartOfTheName(String expected, boolean isAnonymous, String recorded, boolean isOne) {
        assertThat(new Line(expected, isAnonymous, false, "/app/a.js", 1, 1).isOf(recorded))
                .isEqualTo(isOne);
    }

    @Test
    void equalStacksAreEqual() {
        comparison.add(
                "a hit",
                HIT + "    at Shape.run (/app/a.js:1:2)\n    at Array.map (<anonymous>)\n    at async /app/b.js:3:4",
                List.of(false, false, false, true),
                List.of(
                        frame("write", "", 0),
                        frame("hit", "/app/hit.js", 8),
                        frame("run", "/app/a.js", 1),
                        asyncFrame("/app/b.js", 3)));

        assertThat(comparison.frames()).isEqualTo(2);
        assertThat(comparison.equal()).isEqualTo(2);
        assertThat(comparison.differences()).isEmpty();
    }

    @Test
    void eachDifferenceIsCountedByItsReason() {
        comparison.add(
                "a hit",
                HIT + "    at a (/app/a.js:1:2)\n    at b (/app/a.js:2:2)\n    at c (/app/a.js:3:2)\n"
                        + "    at async d (/app/a.js:4:2)",
                NAMED,
                List.of(
                        frame("hit", "/app/hit.js", 8),
                        frame("a", "/app/a.js", 1),
                        frame("x", "/app/a.js", 2),
                        frame("c", "/app/other.js", 3)));

        assertThat(comparison.equal()).isEqualTo(1);
        assertThat(comparison.wrong()).isEqualTo(2);
        assertThat(comparison.differences())
                .isEqualTo(Map.of(
                        "wrong name: x for b", 1L,
                        "wrong file: /app/other.js for /app/a.js", 1L,
                        "missing: async caller", 1L));
    }

    /** Its objects moved while it was recorded. */
    @Test
    void whatAStackLacksThatIsNotAllReadIsNotCompared() {
        comparison.add(
                "a hit",
                HIT + "    at a (/app/a.js:1:2)\n    at b (/app/a.js:2:2)\n    at c (/app/a.js:3:2)\n"
                        + "    at d (/app/a.js:4:2)\n    at async e (/app/a.js:5:2)",
                NAMED,
                List.of(
                        frame("hit", "/app/hit.js", 8),
                        frame("a", "/app/a.js", 0),
                        frame("x", "/app/a.js", 2),
                        frame("JavaScript (compiled), 2 frames", "", 0)));

        assertThat(comparison.unread()).isEqualTo(4);
        assertThat(comparison.differences())
                .isEqualTo(Map.of(
                        "missing: no name: of a stack that is not all read", 2L,
                        "wrong name: x for b", 1L,
                        "missing: no name: compiled", 2L));
    }

    @Test
    void lineThatIsReadInAnotherStackIsNotMissed() {
        String text = HIT + "    at a (/app/a.js:1:2)\n    at b (/app/a.js:2:2)";
        comparison.add(
                "a hit",
                text,
                NAMED,
                List.of(frame("hit", "/app/hit.js", 8), frame("a", "/app/a.js", 1), frame("b", "/app/a.js", 0)));
        assertThat(comparison.unread()).isEqualTo(1);
        assertThat(comparison.neverRead()).containsExactly("b:2:2");

        comparison.add(
                "a hit",
                text,
                NAMED,
                List.of(frame("hit", "/app/hit.js", 8), frame("a", "/app/a.js", 1), frame("b", "/app/a.js", 2)));
        assertThat(comparison.neverRead()).isEmpty();
    }

    /** V8 knows its name by how it is called. */
    @Test
    void lineOfAFunctionWithoutANameIsRead() {
        String text = HIT + "    at a (/app/a.js:1:2)";
        comparison.add("a hit", text, NAMED, List.of(frame("hit", "/app/hit.js", 8), frame("", "/app/a.js", 1)));
        comparison.add(
                "a hit",
                text,
                NAMED,
                List.of(frame("hit", "/app/hit.js", 8), frame("JavaScript (compiled), 1 frames", "", 0)));

        assertThat(comparison.unread()).isEqualTo(1);
        assertThat(comparison.neverRead()).isEmpty();
    }

    @Test
    void frameThatIsMissingDoesNotMakeTheOthersWrong() {
        comparison.add(
                "a hit",
                HIT + "    at a (/app/a.js:1:2)\n    at b (/app/a.js:2:2)\n    at c (/app/a.js:3:2)",
                NAMED,
                List.of(frame("hit", "/app/hit.js", 8), frame("a", "/app/a.js", 1), frame("c", "/app/a.js", 3)));

        assertThat(comparison.equal()).isEqualTo(2);
        assertThat(comparison.differences()).isEqualTo(Map.of("missing: no frame", 1L));
    }

    @Test
    void frameThatV8DoesNotHaveIsWrong() {
        comparison.add(
                "a hit",
                HIT + "    at a (/app/a.js:1:2)",
                NAMED,
                List.of(frame("hit", "/app/hit.js", 8), frame("a", "/app/a.js", 1), frame("b", "/app/a.js", 3)));

        assertThat(comparison.wrong()).isEqualTo(1);
        assertThat(comparison.toString()).contains("not in V8's text: b", "a hit");
    }

    private static Frame asyncFrame(String file, int callLine) {
        Frame frame = frame("", file, callLine);
        frame.setIsAsync(true);
        return frame;
    }

    private static Frame frame(String symbol, String file, int callLine) {
        return Frame.newBuilder()
                .setSymbol(symbol)
                .setModule("")
                .setOffset(0)
                .setKind(FrameKind.JS)
                .setFile(file)
                .setCallLine(callLine)
                .setCallColumn(2)
                .build();
    }
}
