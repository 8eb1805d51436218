package dev.probestream.cli.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.probe.preset.ProbeSet;
import dev.probestream.convert.request.plan.Role;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
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

    /** Roles of probes that the collector makes itself. */
    private static final Set<Role> MADE_BY_COLLECTOR =
            Set.of(Role.STREAM_OPEN, Role.DB_STATEMENT, Role.WEBSOCKET_CONNECTION, Role.SCHED_OFF);

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

    @Test
    void everyRoleOfTheAssemblerHasAProbe() {
        Set<String> made = MADE_BY_COLLECTOR.stream().map(Role::spelling).collect(Collectors.toSet());
        ProbeSet.names().stream()
                .flatMap(set -> ProbeSet.named(set).probes().stream())
                .forEach(spec -> made.add(spec.preset().role()));
        assertThat(made)
                .containsAll(Arrays.stream(Role.values()).map(Role::spelling).toList());
    }
}
