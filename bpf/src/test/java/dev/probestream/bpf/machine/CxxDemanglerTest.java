package dev.probestream.bpf.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CxxDemanglerTest {
    private final CxxDemangler demangler = CxxDemangler.ofThisMachine();

    @BeforeEach
    void needsARuntime() {
        assumeTrue(
                demangler.isAvailable() || "true".equals(System.getenv("CI")),
                "this machine has neither libstdc++.so.6 nor libc++abi.so.1");
    }

    @Test
    void mangledNameBecomesWhatWasWritten() {
        assertThat(demangler.demangle("_ZNK2v88internal4Heap6memoryEmPKc"))
                .isEqualTo("v8::internal::Heap::memory(unsigned long, char const*) const");
    }

    @Test
    void plainNameStaysAsItIs() {
        assertThat(demangler.demangle("uv_run")).isEqualTo("uv_run");
    }

    @Test
    void brokenMangledNameStaysAsItIs() {
        assertThat(demangler.demangle("_ZN2v88internal4Heap")).isEqualTo("_ZN2v88internal4Heap");
        assertThat(demangler.demangle("_Z")).isEqualTo("_Z");
    }

    @Test
    void deeplyNestedNameOfAStrangersFileStaysAsItIs() {
        String name = "_Z1f" + "P".repeat(100_000) + "v";

        assertThat(demangler.demangle(name)).isEqualTo(name);
    }

    @Test
    void nameAtTheLimitDoesNotOverflowTheStack() {
        String pointers = "P".repeat(4000);

        assertThat(demangler.demangle("_Z1f" + pointers + "v")).isNotEmpty();
    }
}
