package dev.probestream.convert.errno;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrnoNamesTest {
    @ParameterizedTest
    @CsvSource({
        "-1,EPERM",
        "-2,ENOENT",
        "-11,EAGAIN",
        "-34,ERANGE",
        "-35,EDEADLK",
        "-38,ENOSYS",
        "-42,ENOMSG",
        "-61,ENODATA",
        "-75,EOVERFLOW",
        "-84,EILSEQ",
        "-88,ENOTSOCK",
        "-98,EADDRINUSE",
        "-104,ECONNRESET",
        "-107,ENOTCONN",
        "-110,ETIMEDOUT",
        "-111,ECONNREFUSED",
        "-115,EINPROGRESS",
        "-122,EDQUOT",
        "-125,ECANCELED",
        "-133,EHWPOISON",
        "-512,ERESTARTSYS",
        "-516,ERESTART_RESTARTBLOCK",
        "-3008,EAI_NONAME",
        "-4095,EOF"
    })
    void nameComesWithTheNumber(long result, String name) {
        byte[] text = ErrnoNames.text(result);
        assertThat(text).isNotNull();
        assertThat(new String(text == null ? new byte[0] : text, StandardCharsets.UTF_8))
                .isEqualTo(name + " (" + result + ")");
    }

    @Test
    void whatIsNoErrorHasNoName() {
        for (long result : new long[] {0, 1, 41, -41, -58, -134, -511, -515, -4096, -5000, Long.MIN_VALUE}) {
            assertThat(ErrnoNames.text(result)).as("%d", result).isNull();
        }
    }

    @Test
    void aNameAloneIsThatOfTheSameNumber() {
        assertThat(ErrnoNames.name(-111)).isEqualTo("ECONNREFUSED");
        assertThat(ErrnoNames.name(-3008)).isEqualTo("EAI_NONAME");
        assertThat(ErrnoNames.name(0)).isEmpty();
        assertThat(ErrnoNames.name(Long.MIN_VALUE)).isEmpty();
    }
}
