package dev.probestream.convert.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.request.Request.Outcome;
import dev.probestream.convert.request.Request.Side;
import dev.probestream.convert.request.plan.KnownRoles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What never ends must not fill the memory. */
class BoundsTest {
    @Test
    void whatWasAskedForLastIsRememberedLongest() {
        PointerTable<String> table = new PointerTable<>(100);
        table.put(1, 7, "used");
        for (int i = 0; i < 10_000; i++) {
            table.put(2, i, "other");
            assertThat(table.get(1, 7)).isEqualTo("used");
        }
        assertThat(table.size()).isLessThanOrEqualTo(200);
        assertThat(table.get(2, 0)).isNull();
        assertThat(table.get(2, 9_999)).isEqualTo("other");
    }

    @Test
    void aTableFindsWhatWasPutAndNotRemoved() {
        PointerTable<Long> table = new PointerTable<>(1 << 16);
        Long[] expected = new Long[500];
        Random random = new Random(1);
        for (long i = 0; i < 20_000; i++) {
            int at = random.nextInt(expected.length);
            if (random.nextBoolean()) {
                table.put(at % 3, at * 64L, i);
                expected[at] = i;
            } else {
                assertThat(table.remove(at % 3, at * 64L)).isEqualTo(expected[at]);
                expected[at] = null;
            }
            int other = random.nextInt(expected.length);
            assertThat(table.get(other % 3, other * 64L)).isEqualTo(expected[other]);
        }
    }

    @Test
    void requestsThatNobodyAnswersAreHandedOutOldestFirst() throws IOException {
        List<Request> requests = new ArrayList<>();
        Exchanges exchanges = new Exchanges(requests::add, new KnownRoles());
        Connection connection = new Connection(1, 2);
        for (int i = 0; i < Exchanges.LIMIT + 5; i++) {
            exchanges.begin(Side.SERVER, null, connection, 1, i);
        }
        assertThat(exchanges.size()).isEqualTo(Exchanges.LIMIT);
        assertThat(requests).extracting(Request::number).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(requests).extracting(Request::outcome).containsOnly(Outcome.OPEN);
    }

    @Test
    void workThatNeverEndsIsForgotten() {
        WorkTable works = new WorkTable();
        Connection connection = new Connection(1, 2);
        Exchange root = new Exchange(1, Side.SERVER, null, connection, 1, 0);
        for (int i = 0; i < 5 * WorkTable.LIMIT; i++) {
            works.submit(1, i, root, 1, null, i);
        }
        assertThat(works.size()).isLessThanOrEqualTo(2 * WorkTable.LIMIT);
    }
}
