package dev.probestream.collector.internal.program.snippet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.collector.internal.program.snippet.access.RawTracepointAccess;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.parse.SpecParser;
import java.util.List;
import org.junit.jupiter.api.Test;

class FieldGroupTest {
    private static List<FieldGroup> groups(String arguments) {
        List<ArgumentSpec> specs =
                SpecParser.parse("uprobe:f(" + arguments + ")").arguments();
        return FieldGroup.of(specs, new RawTracepointAccess(new Assembler()));
    }

    @Test
    void fieldsOfOneStructureAreReadTogether() {
        assertThat(groups("p=arg1:ptr, a=*arg1:u8@+72, b=*arg1:u16@+82, c=*arg1:u64@+64"))
                .containsExactly(new FieldGroup(List.of(1, 2, 3), 64, 20));
    }

    @Test
    void fieldsBehindAnotherPointerOrFarAwayAreNot() {
        assertThat(groups("a=*arg1:u8@+72, b=*arg2:u8@+73, c=*arg1:u8@+8@+74, d=*arg1:u64@+136"))
                .isEmpty();
        assertThat(groups("a=*arg1:u64@-16@+64, b=*arg1:u64@-16@+16, c=*arg1:u64@-16@+72@+16, d=*arg1:u64@-16@+72@+64"))
                .containsExactlyInAnyOrder(
                        new FieldGroup(List.of(0, 1), 16, 56), new FieldGroup(List.of(2, 3), 16, 56));
    }

    @Test
    void textAndWhatIsNotAlignedIsReadByItself() {
        assertThat(groups("a=*arg1:u32@+2, b=*arg1:u32@+8, c=*arg1:str@+16")).isEmpty();
    }
}
