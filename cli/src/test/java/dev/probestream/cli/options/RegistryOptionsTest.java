package dev.probestream.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

class RegistryOptionsTest {
    private final RegistryOptions.UrlConverter converter = new RegistryOptions.UrlConverter();

    @Test
    void urlsOfRegistriesAreTaken() {
        for (String url : List.of("http://registry:8081", "https://r.example.org/", "http://[::1]:1/apis/ccompat/v7")) {
            assertThat(converter.convert(url)).hasToString(url);
        }
    }

    @Test
    void otherUrlsAreRefused() {
        for (String url :
                List.of("", "registry:8081", "ftp://h:1", "http:///x", "http://h:1/?a", "http://h/#a", "h h")) {
            assertThatThrownBy(() -> converter.convert(url))
                    .isInstanceOf(TypeConversionException.class)
                    .hasMessage(
                            "invalid URL '" + url + "': expected http://HOST:PORT or https://HOST:PORT, with the path"
                                    + " of the registry's API if it has one, such as http://localhost:8081");
        }
    }

    @Test
    void aPasswordInAUrlIsRefusedWithoutShowingIt() {
        assertThatThrownBy(() -> converter.convert("http://user:geheim@h:8081"))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("write basic.auth.user.info=USER:PASSWORD into the file")
                .hasMessageNotContainingAny("geheim");
    }
}
