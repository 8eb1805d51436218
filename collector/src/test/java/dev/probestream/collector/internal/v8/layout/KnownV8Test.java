package dev.probestream.collector.internal.v8.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which versions of V8 are taken for which. */
class KnownV8Test {
    @ParameterizedTest
    @CsvSource({"10, 2, 8", "10, 9, 8", "11, 3, 8", "12, 4, 16", "13, 0, 16", "13, 6, 16", "14, 3, 16", "15, 0, 16"})
    void reactionsLieAsInTheVersionsAround(int major, int minor, int reaction) throws Exception {
        assertThat(KnownV8.reaction(new V8Version(major, minor, 0, 0))).isEqualTo(reaction);
    }

    @ParameterizedTest
    @CsvSource({"11, 4", "12, 3"})
    void reactionsBetweenVersionsThatDifferAreNotKnown(int major, int minor) {
        assertThatThrownBy(() -> KnownV8.reaction(new V8Version(major, minor, 0, 0)))
                .isInstanceOf(V8LayoutException.class)
                .hasMessageContaining("V8 " + major + "." + minor + ".0.0")
                .hasMessageContaining("10.2 (Node.js 18), 11.3 (20)");
    }

    @Test
    void codeOfAVersionBetweenTwoThatAreAlikeIsRead() throws Exception {
        assertThat(KnownV8.code(new V8Version(14, 3, 0, 0))).isEqualTo(KnownV8.code(new V8Version(14, 6, 0, 0)));
        assertThat(KnownV8.code(new V8Version(14, 1, 9, 9))).isEqualTo(KnownV8.code(new V8Version(14, 6, 0, 0)));
    }

    @ParameterizedTest
    @CsvSource({"9, 4", "10, 3", "11, 8", "13, 0", "13, 7", "14, 0", "14, 7", "15, 0"})
    void otherCodeIsRefused(int major, int minor) {
        assertThatThrownBy(() -> KnownV8.code(new V8Version(major, minor, 0, 0)))
                .isInstanceOf(V8LayoutException.class)
                .hasMessageContaining("known are " + KnownV8.names());
    }

    @Test
    void documentationNamesTheSameVersions() throws Exception {
        assertThat(Files.readString(Path.of("..", "docs", "stacks.md")).replaceAll("\\s+", " "))
                .contains(KnownV8.names());
    }
}
