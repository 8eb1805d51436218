package dev.probestream.cli.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import java.nio.channels.Channel;
import java.nio.file.Files;
import java.time.Clock;
import org.junit.jupiter.api.Test;

/** Bytes in, value out: the packages that a test can feed by hand touch neither files nor clocks nor processes. */
class PurityTest {
    private static final DescribedPredicate<JavaClass> PURE = resideInAnyPackage(
            "dev.probestream.bpf.asm..",
            "dev.probestream.bpf.elf..",
            "dev.probestream.bpf.usdt..",
            "dev.probestream.bpf.btf..",
            "dev.probestream.bpf.object..",
            "dev.probestream.collector.probe..",
            "dev.probestream.collector.dialect..",
            "dev.probestream.collector.internal.expression..",
            "dev.probestream.collector.internal.program..",
            "dev.probestream.convert.shape..",
            "dev.probestream.convert.intake..",
            "dev.probestream.convert.timeline..",
            "dev.probestream.convert.assemble..");

    /** The doors: a file is mapped or read there and is bytes from then on. */
    private static final DescribedPredicate<JavaClass> DOORS = DescribedPredicate.describe(
            "a class that opens the file",
            type -> type.getName().equals("dev.probestream.bpf.elf.ElfFile")
                    || type.getName().equals("dev.probestream.bpf.object.ObjectFile")
                    || type.getName().equals("dev.probestream.bpf.btf.BtfFile"));

    private static final DescribedPredicate<JavaClass> IO = resideInAnyPackage("java.net..", "java.util.concurrent..")
            .or(equivalentTo(Files.class))
            .or(assignableTo(Channel.class))
            .or(DescribedPredicate.describe(
                    "file streams",
                    type -> type.getName().startsWith("java.io.File")
                            || type.getName().equals("java.io.RandomAccessFile")))
            .or(equivalentTo(ProcessBuilder.class))
            .or(equivalentTo(Process.class))
            .or(equivalentTo(ProcessHandle.class))
            .or(equivalentTo(Thread.class))
            .or(equivalentTo(Clock.class));

    @Test
    void purePackagesDoNoInputOrOutput() {
        noClasses().that(PURE.and(not(DOORS))).should().dependOnClassesThat(IO).check(House.CLASSES);
    }

    @Test
    void purePackagesKnowNoNativeCode() {
        noClasses()
                .that(PURE)
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "dev.probestream.bpf.sys..", "dev.probestream.bpf.internal..", "dev.probestream.bpf.ring.."))
                .check(House.CLASSES);
    }
}
