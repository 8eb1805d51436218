package dev.probestream.collector.histogram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.collector.probe.IntegerOperation;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValueExpressionTest {
    @ParameterizedTest
    @CsvSource({
        "x, x",
        "x + 2 * y, (x + (2 * y))",
        "(x + 2) * y, ((x + 2) * y)",
        "x - y - 1, ((x - y) - 1)",
        "x / 10 % 0x10, ((x / 10) % 16)",
        "-x, (0 - x)",
        "x * (-9223372036854775808), (x * -9223372036854775808)",
    })
    void productsGoBeforeSumsAndTheLeftBeforeTheRight(String text, String tree) {
        assertThat(written(ValueExpression.parse(text))).isEqualTo(tree);
    }

    @ParameterizedTest
    @CsvSource({
        "1 + 2, constant",
        "'', expected a name",
        "x +, expected a name",
        "(x, expected ')'",
        "x y, expected + -",
        "x & 1, unexpected '&",
        "x * 99999999999999999999, does not fit"
    })
    void whatIsNoValueIsRefused(String text, String problem) {
        assertThatThrownBy(() -> ValueExpression.parse(text))
                .isInstanceOf(HistogramException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void damagedTextsAreRefusedNotMisread() {
        Random random = new Random(3);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder("(a1 - 20) * bc / (0x1f % 3) + d");
            text.setCharAt(random.nextInt(text.length()), (char) (32 + random.nextInt(95)));
            try {
                assertThat(ValueExpression.parse(text.toString()).names()).isNotEmpty();
            } catch (HistogramException refused) {
                assertThat(refused).hasMessageContaining("value '");
            }
        }
    }

    @Test
    void aDivisionByZeroIsZeroAndItsRemainderTheNumber() {
        assertThat(IntegerOperation.DIVIDE.of(7, 0, false)).isZero();
        assertThat(IntegerOperation.REMAINDER.of(7, 0, true)).isEqualTo(7);
        assertThat(IntegerOperation.DIVIDE.of(-7, 2, false)).isEqualTo(-3);
        assertThat(IntegerOperation.DIVIDE.of(-1, 2, true)).isEqualTo(Long.MAX_VALUE);
    }

    private static String written(ValueExpression expression) {
        if (expression.operation().isEmpty()) {
            return expression.isName() ? expression.name() : String.valueOf(expression.number());
        }
        return "(" + written(expression.operands().get(0)) + " "
                + expression.operation().get().sign() + " "
                + written(expression.operands().get(1)) + ")";
    }
}
