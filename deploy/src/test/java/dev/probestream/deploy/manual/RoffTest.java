package dev.probestream.deploy.manual;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RoffTest {
    @Test
    void charactersThatRoffWouldChangeAreEscaped() {
        assertThat(Roff.escape("--for \"%s\\n\" '~' ^ ` \u00e4"))
                .isEqualTo("\\-\\-for \\(dq%s\\en\\(dq \\(aq\\(ti\\(aq \\(ha \\(ga \\[u00E4]");
    }

    @Test
    void aLineNeverStartsARequestByChance() {
        assertThat(new Roff().line(".avro").line("'quoted'").toString()).isEqualTo("\\&.avro\n\\&'quoted'\n");
    }

    @Test
    void aSentenceStartsALine() {
        assertThat(new Roff().text("One. Two, e.g. three? Four").toString())
                .isEqualTo("One.\nTwo, e.g.\nthree?\nFour\n");
    }

    @Test
    void aDotAtTheEndOfAWrappedLineEndsNoSentence() {
        assertThat(new Roff().words("x".repeat(72) + " ID... more").toString())
                .isEqualTo("x".repeat(72) + " ID...\\&\nmore\n");
    }

    @Test
    void linesAreWrapped() {
        assertThat(new Roff().text("word ".repeat(40)).toString().lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(78));
    }
}
