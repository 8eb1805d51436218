package dev.probestream.collector.internal.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.internal.program.ServedStreamHeap.Connection;
import dev.probestream.collector.internal.program.layout.v8.HeapShape;
import dev.probestream.collector.internal.program.layout.v8.HeapShape.Kind;
import dev.probestream.collector.internal.program.layout.v8.ShapeQuestion;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Closures that have no frame, as V8 has compiled them into the function of one: what optimized code keeps of them. */
class InlinedClosuresCodeTest extends ServedStreamSearch {
    private static final int UPPER = ServedStreamHeap.FIRST_KEPT;
    private static final int LOWER = UPPER - Long.BYTES;

    private static final int SEED = 20_261_128;
    private static final int MUTANTS = 1_000;

    /** Frees a connection of a pool for who waits, whose callback is compiled into it. */
    private long release;

    private Connection another;

    @BeforeEach
    void createPool() {
        release = heap.function(heap.moduleContext());
        another = heap.connection();
    }

    private void answer(Kind kind, int first, int second) {
        answerCode(new HeapShape(0, kind, first, second));
    }

    /** A callback of the connection's request, in which release() has called closures. */
    private long findWith(long... closures) {
        long context = heap.context(heap.moduleContext(), connection.response());
        heap.keep(release, closures);
        heap.stack(heap.function(context), context, release);
        return findInACallback();
    }

    private long functionOf(Connection owner) {
        return heap.function(heap.context(heap.context(heap.moduleContext()), owner.response()));
    }

    /** It leads to nobody. */
    private long stranger() {
        return heap.function(heap.context(heap.context(heap.moduleContext()), 0));
    }

    @Test
    void closureIsWhoseItLeadsTo() {
        assertThat(findWith(functionOf(another))).as("none is called").isEqualTo(connection.stream() | ON_STACK);

        answer(Kind.INLINED, UPPER, 0);
        assertThat(findWith(functionOf(another))).isEqualTo(another.stream() | ON_STACK);
        assertThat(findWith(stranger())).isEqualTo(UNSURE);
        assertThat(findWith(heap.function(heap.moduleContext())))
                .as("of the program")
                .isEqualTo(connection.stream() | ON_STACK);
    }

    @Test
    void innermostOfTwoCounts() {
        answer(Kind.INLINED, LOWER, UPPER);
        assertThat(findWith(functionOf(connection), functionOf(another))).isEqualTo(another.stream() | ON_STACK);
        assertThat(findWith(functionOf(another), heap.function(heap.moduleContext())))
                .isEqualTo(another.stream() | ON_STACK);
        assertThat(findWith(functionOf(another), stranger()))
                .as("one is unknown")
                .isEqualTo(UNSURE);
    }

    @Test
    void asyncIdsCountInAScopeThatHasNoFrame() {
        answer(Kind.INLINED_SCOPE, UPPER, 0);
        assertThat(findWith(stranger())).isZero();
        assertThat(findWith(functionOf(another))).isEqualTo(another.stream() | ON_STACK);
        answer(Kind.INLINED_SCOPE, 0, 0);
        assertThat(findWith()).isZero();
    }

    @Test
    void whatIsNotKnownOfTheCodeMakesItUnknown() {
        answer(Kind.HIDDEN, 0, 0);
        assertThat(findWith()).isEqualTo(UNSURE);
        answer(Kind.INLINED, UPPER, 0);
        assertThat(findWith(heap.object(0, 0))).as("no function").isEqualTo(UNSURE);
        assertThat(findWith(8)).as("no object").isEqualTo(UNSURE);
    }

    @Test
    void codeIsAskedForOnceUntilItIsOther() {
        heap.compile();
        assertThat(findWith()).isEqualTo(UNSURE);
        findWith();
        assertThat(questions()).containsExactly(new ShapeQuestion(heap.keyOfCode(TGID), heap.returnAddress()));

        answer(Kind.NOTHING, 0, 0);
        assertThat(findWith()).isEqualTo(connection.stream() | ON_STACK);
        heap.compile();
        assertThat(findWith()).isEqualTo(UNSURE);
        assertThat(questions()).hasSize(1);
    }

    @Test
    void frameOfAnInterpretedFunctionCountsUntilTheAnswer() {
        heap.compile();
        assertThat(findWith(heap.bytecodeArray())).isEqualTo(connection.stream() | ON_STACK);
        assertThat(questions()).hasSize(1);
        assertThat(findWith(heap.bytecodeArray(), heap.object(0, 0)))
                .as("compiled, with feedback in place of the offset")
                .isEqualTo(UNSURE);

        answer(Kind.INLINED, LOWER, 0);
        assertThat(findWith(heap.bytecodeArray(), functionOf(another))).isEqualTo(another.stream() | ON_STACK);
        answer(Kind.HIDDEN, 0, 0);
        assertThat(findWith(heap.bytecodeArray())).isEqualTo(UNSURE);
    }

    @Test
    void frameOfTheBaselineCodeOfItsFunctionCountsUntilTheAnswer() {
        heap.compile();
        heap.compileBaseline(heap.returnAddress() - 8, 8);
        assertThat(findWith()).as("its last instruction").isEqualTo(connection.stream() | ON_STACK);
        heap.compileBaseline(heap.returnAddress() - 1, 100);
        assertThat(findWith()).as("its first one").isEqualTo(connection.stream() | ON_STACK);
        assertThat(questions()).hasSize(1);

        heap.compileBaseline(heap.returnAddress() - 8, 7);
        assertThat(findWith()).as("before it").isEqualTo(UNSURE);
        heap.compileBaseline(heap.returnAddress(), 8);
        assertThat(findWith()).as("behind it").isEqualTo(UNSURE);

        answer(Kind.INLINED, UPPER, 0);
        assertThat(findWith(functionOf(another))).isEqualTo(another.stream() | ON_STACK);
    }

    @Test
    void damagedFrameIsReadWithoutHarm() {
        Random random = new Random(SEED);
        for (int i = 0; i < MUTANTS; i++) {
            create();
            createPool();
            answer(random.nextBoolean() ? Kind.INLINED : Kind.INLINED_SCOPE, random.nextInt(), LOWER);
            long context = heap.context(heap.moduleContext(), connection.response());
            heap.keep(release, functionOf(another), stranger());
            heap.stack(heap.function(context), context, release);
            heap.damage(random);

            assertThat(findInACallback())
                    .as("mutant " + i + " of seed " + SEED)
                    .isIn(
                            0L,
                            UNSURE,
                            MADE_ELSEWHERE,
                            connection.stream() | ON_STACK,
                            another.stream() | ON_STACK,
                            connection.stream(),
                            another.stream());
        }
    }
}
