package dev.probestream.bpf.elf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThreadLocalTest {
    @TempDir
    Path folder;

    @Test
    void variableIsWhereTheProgramItselfSeesIt() throws Exception {
        assumeTrue(ElfMachine.ofThisHost() == ElfMachine.X86_64, "needs x86-64");
        Path program = ElfFixture.compile(folder, "threadlocal.c", "threadlocal");
        String[] printed = ElfFixture.run("env", program.toString()).split(" ");
        try (ElfFile elf = ElfFile.open(program)) {
            assertThat(elf.threadPointerOffset("wanted")).hasValue(Long.parseLong(printed[0]));
            assertThat(elf.threadPointerOffset("main")).as("a function").isEmpty();
            assertThat(elf.symbolAddress("wanted"))
                    .as("each thread has its own")
                    .isEmpty();
        }
    }

    @Test
    void variableOfALibraryHasNoFixedPlace() throws Exception {
        Path library = ElfFixture.compile(folder, "threadlocal.c", "threadlocal.so", "-shared", "-fPIC");
        try (ElfFile elf = ElfFile.open(library)) {
            assertThat(elf.threadPointerOffset("wanted")).isEmpty();
        }
    }
}
