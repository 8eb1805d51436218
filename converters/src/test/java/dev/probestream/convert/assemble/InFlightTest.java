package dev.probestream.convert.assemble;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InFlightTest {
    private final List<String> values = new ArrayList<>();
    private final InFlight counter = new InFlight((atNs, value) -> values.add(value + "@" + atNs));

    @Test
    void numberIsThatOfRequestsWhichHaveBegunAndNotEnded() throws IOException {
        request(20, 30);
        request(10, 40);
        request(35, 50);
        counter.finish();
        assertThat(values).containsExactly("1@10", "2@20", "1@30", "2@35", "1@40", "0@50");
    }

    @Test
    void whatEndsAndBeginsTogetherIsNoChange() throws IOException {
        request(10, 20);
        request(20, 30);
        counter.finish();
        assertThat(values).containsExactly("1@10", "0@30");
    }

    @Test
    void requestThatNeverEndsStaysInFlight() throws IOException {
        counter.began(10);
        request(20, 30);
        counter.finish();
        assertThat(values).containsExactly("1@10", "2@20", "1@30");
    }

    @Test
    void whatComesTooLateCountsFromThere() throws IOException {
        for (int i = 0; i < InFlight.MAX_CHANGES / 2; i++) {
            request(1_000 + 10L * i, 1_005 + 10L * i);
        }
        counter.began(5);
        int already = values.size();
        counter.finish();
        assertThat(already).isGreaterThan(0);
        assertThat(values.get(already)).isEqualTo("1" + values.get(already - 1).substring(1));
    }

    private void request(long startNs, long endNs) throws IOException {
        counter.began(startNs);
        counter.ended(endNs);
    }
}
