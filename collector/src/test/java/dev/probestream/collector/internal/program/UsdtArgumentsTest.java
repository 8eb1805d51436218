package dev.probestream.collector.internal.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.elf.ElfMachine;
import dev.probestream.bpf.usdt.UsdtArgument;
import dev.probestream.bpf.usdt.UsdtArgumentParser;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.probe.provider.KnownProviders;
import java.util.List;
import org.junit.jupiter.api.Test;

class UsdtArgumentsTest {
    private final UsdtArguments arguments = new UsdtArguments(KnownProviders.load());

    private ProbeSpec recorded(String spec, String notes) {
        List<List<UsdtArgument>> attachPoints = List.of(UsdtArgumentParser.parse(ElfMachine.X86_64, notes));
        ProbeSpec asked = SpecParser.parse(spec);
        return arguments.recorded(asked, asked, attachPoints, List.of());
    }

    @Test
    void aTextOfTheJvmEndsWhereItsLengthSays() {
        ProbeSpec recorded = recorded(
                "usdt:hotspot:class__loaded(class=arg1:str[32]) /arg1:str == \"java/lang/Object\"/",
                "8@%rdx -4@%eax 8@152(%rdi) 1@%sil");

        assertThat(recorded.arguments())
                .extracting(ArgumentSpec::type)
                .containsExactly(ArgumentType.countedString(2, 32));
        assertThat(recorded.filter().orElseThrow().arguments())
                .extracting(argument -> argument.type().boundArgument())
                .containsExactly(2);
    }

    @Test
    void aFloatingPointNumberIsRecordedButNotCompared() {
        assertThat(recorded("usdt:p:n", "8f@-8(%rbp) 4f@%eax 4@%ecx").arguments())
                .extracting(ArgumentSpec::type)
                .containsExactly(
                        ArgumentType.number(ArgumentType.Form.F64),
                        ArgumentType.number(ArgumentType.Form.F32),
                        ArgumentType.number(ArgumentType.Form.U32));
        for (String filter : List.of("/arg1 > 3/", "/arg1:s64 > 3/", "[counter]")) {
            assertThatThrownBy(() -> recorded("usdt:p:n(x=arg1) " + filter, "8f@-8(%rbp)"))
                    .isInstanceOf(ProbeArgumentException.class)
                    .hasMessageContaining("floating-point number");
        }
    }

    @Test
    void aTextWithAnEndOfItsOwnStaysSo() {
        assertThat(recorded("usdt:node:http__client__request(url=arg3:str)", "8@%rdx 8@%rax 8@%rdi")
                        .arguments())
                .extracting(argument -> argument.type().form())
                .containsExactly(ArgumentType.Form.STR);
        assertThat(recorded("usdt:hotspot:class__loaded(class=*arg1:str@+8)", "8@%rdx -4@%eax")
                        .arguments())
                .extracting(argument -> argument.type().form())
                .containsExactly(ArgumentType.Form.STR);
    }
}
