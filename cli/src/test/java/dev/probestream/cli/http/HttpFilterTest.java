package dev.probestream.cli.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.request.Request;
import dev.probestream.convert.request.Request.Outcome;
import dev.probestream.convert.request.Request.Side;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HttpFilterTest {
    @Test
    void aStatusIsANumberOrAClass() {
        HttpFilter filter = new HttpFilter(Optional.empty(), List.of("404", "5xx"), 0);

        assertThat(filter.passes(answered(404), 1)).isTrue();
        assertThat(filter.passes(answered(503), 1)).isTrue();
        assertThat(filter.passes(answered(400), 1)).isFalse();
        assertThat(filter.passes(answered(0), 1)).isFalse();
        assertThat(List.of("404", "2xx")).allMatch(HttpFilter::isStatus);
        assertThat(List.of("40", "4040", "6xx", "x04", "")).noneMatch(HttpFilter::isStatus);
    }

    @Test
    void whatIsShorterOrOfTheOtherEndIsLeftOut() {
        HttpFilter filter = new HttpFilter(Optional.of(Side.SERVER), List.of(), 100);

        assertThat(filter.passes(answered(200), 100)).isTrue();
        assertThat(filter.passes(answered(200), 99)).isFalse();
        assertThat(new HttpFilter(Optional.of(Side.CLIENT), List.of(), 0).passes(answered(200), 1))
                .isFalse();
        assertThat(new HttpFilter(Optional.empty(), List.of(), 0).passes(answered(0), 0))
                .isTrue();
    }

    private static Request answered(int status) {
        return HttpWriterTest.request(Side.SERVER, 2, Outcome.COMPLETE, "GET", "/", status, "");
    }
}
