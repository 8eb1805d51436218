package dev.probestream.convert.request.origin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PeerNamesTest {
    private final PeerNames names = new PeerNames();

    @Test
    void aConnectionHasTheNameThatLedToItsAddressInItsProcess() {
        names.found(1, "db.test", "10.0.0.3:0", 5);
        names.found(1, "db.test", "[fd00::3]:0", 5);
        assertThat(names.of(1, "10.0.0.3:5432", 6)).isEqualTo("db.test");
        assertThat(names.of(1, "[fd00::3]:5432", 6)).isEqualTo("db.test");
        assertThat(names.of(2, "10.0.0.3:5432", 6)).isEmpty();
        assertThat(names.of(1, "10.0.0.4:5432", 6)).isEmpty();
        assertThat(names.of(1, "", 6)).isEmpty();
        assertThat(names.of(1, "/run/db.sock", 6)).isEmpty();
    }

    @Test
    void addressesAreFoundWithAPortAndWithout() {
        names.found(1, "db.test", "10.0.0.3", 5);
        names.found(1, "db.test", "fd00::3", 5);
        assertThat(names.of(1, "10.0.0.3:5432", 6)).isEqualTo("db.test");
        assertThat(names.of(1, "[fd00::3]:5432", 6)).isEqualTo("db.test");
    }

    @Test
    void ofSeveralNamesOfAnAddressTheLatestCounts() {
        names.found(1, "a.test", "10.0.0.3:0", 5);
        names.found(1, "b.test", "10.0.0.3:0", 6);
        assertThat(names.of(1, "10.0.0.3:80", 7)).isEqualTo("b.test");
    }

    @Test
    void anAddressThatWasLookedUpIsNoName() {
        names.found(1, "10.0.0.3", "10.0.0.3:0", 5);
        names.found(1, "none.test", "", 5);
        assertThat(names.of(1, "10.0.0.3:80", 6)).isEmpty();
    }

    @Test
    void namesAreForgottenAfterAWhileAndBeyondTheLimit() {
        names.found(1, "a.test", "10.0.0.3:0", 5);
        assertThat(names.of(1, "10.0.0.3:80", 5 + PeerNames.HELD_NS)).isEqualTo("a.test");
        assertThat(names.of(1, "10.0.0.3:80", 6 + PeerNames.HELD_NS)).isEmpty();
        for (int i = 0; i < PeerNames.LIMIT; i++) {
            names.found(2, "x.test", "10.1." + i / 256 + "." + i % 256 + ":0", 6);
        }
        assertThat(names.of(1, "10.0.0.3:80", 6)).isEmpty();
        assertThat(names.of(2, "10.1.0.0:80", 6)).isEqualTo("x.test");
    }
}
