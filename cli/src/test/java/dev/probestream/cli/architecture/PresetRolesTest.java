package dev.probestream.cli.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.probe.ProbeSet;
import dev.probestream.convert.request.Role;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Presets spell roles that the assembly of requests knows: the two meet nowhere but in a recording. */
class PresetRolesTest {
    /**
     * Hits that are no events: the collector puts statements together of them, whose role is db.statement, and connections, whose
     * role is websocket.connection.
     */
    private static final Set<String> OF_COLLECTOR =
            Set.of("db.write", "db.read", "db.close", "websocket.write", "websocket.read", "websocket.close");

    static List<String> sets() {
        return ProbeSet.names();
    }

    @ParameterizedTest
    @MethodSource("sets")
    void everyRoleOfAPresetIsKnownToTheAssembler(String set) {
        assertThat(ProbeSet.named(set).probes())
                .extracting(spec -> spec.preset().role())
                .allMatch(role -> role.isEmpty()
                        || OF_COLLECTOR.contains(role)
                        || Role.ofSpelling(role).isPresent());
    }
}
