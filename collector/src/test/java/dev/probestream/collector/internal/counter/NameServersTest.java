package dev.probestream.collector.internal.counter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NameServersTest {
    private static final int ROUNDS = 20_000;

    @Test
    void addressesAreReadInTheirOrder() {
        assertThat(NameServers.parse("""
                # made by the cluster
                search shop.svc.cluster.local
                nameserver 10.96.0.10
                options ndots:5
                nameserver\t fd00::a ; the other one
                nameserver fe80::1%eth0
                """)).containsExactly("10.96.0.10", "fd00::a", "fe80::1%eth0");
    }

    @Test
    void theCLibraryAsksThreeAtMost() {
        assertThat(
                        NameServers.parse(
                                "nameserver 10.0.0.1\nnameserver x\nnameserver 10.0.0.2\nnameserver 10.0.0.3\nnameserver 10.0.0.4"))
                .containsExactly("10.0.0.1", "10.0.0.2", "10.0.0.3");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nameserver",
                "nameserver ",
                " nameserver 10.0.0.1",
                "#nameserver 10.0.0.1",
                "nameservers 10.0.0.1",
                "nameserver10.0.0.1",
                "nameserver 10.0.0",
                "nameserver 10.0.0.256",
                "nameserver 10.0.0.1.",
                "nameserver 10.0.0.1.2",
                "nameserver dns.shop.test",
                "nameserver fd00::a::b",
                "nameserver fd00:",
                "nameserver :secret",
                "nameserver fe80::1%",
                "nameserver fe80::1%a/b",
                "domain nameserver 10.0.0.1"
            })
    void otherLinesAreIgnored(String line) {
        assertThat(NameServers.parse(line + "\n")).isEmpty();
    }

    @Test
    void mutatedFilesGiveAddressesOrNothing() {
        Random random = new Random(23);
        String file = "nameserver 10.0.0.2\nnameserver fd00::a\nnameserver fe80::1%eth0 # x\noptions ndots:5\n";
        String characters = "0123456789abcdef.:%# \t\n\r\u0000é";
        int read = 0;
        for (int round = 0; round < ROUNDS; round++) {
            StringBuilder mutated = new StringBuilder(file);
            for (int changes = random.nextInt(6); changes >= 0; changes--) {
                mutated.setCharAt(
                        random.nextInt(mutated.length()), characters.charAt(random.nextInt(characters.length())));
            }
            List<String> servers = NameServers.parse(mutated.toString());
            assertThat(servers)
                    .hasSizeLessThanOrEqualTo(3)
                    .allMatch(address -> address.matches("[0-9A-Fa-f:.]+(%\\S+)?"));
            read += servers.size();
        }
        assertThat(read).as("addresses of %s files", ROUNDS).isGreaterThan(ROUNDS);
    }
}
