package dev.probestream.cli.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What other programs may use of the modules that are libraries. */
class PublicApiTest {
    /** The public packages, below {@code dev.probestream}; the other packages of these modules are internal. */
    static final Set<String> PUBLIC = Set.of(
            "bpf.asm",
            "bpf.btf",
            "bpf.elf",
            "bpf.kernel",
            "bpf.machine",
            "bpf.map",
            "bpf.object",
            "bpf.proc",
            "bpf.ring",
            "bpf.sys",
            "bpf.tracefs",
            "bpf.usdt",
            "bpf.watch",
            "schema",
            "schema.file",
            "schema.format",
            "schema.message",
            "schema.perfetto",
            "schema.record",
            "schema.recording",
            "schema.registry",
            "collector",
            "collector.catalog",
            "collector.cost",
            "collector.dialect",
            "collector.histogram",
            "collector.probe",
            "collector.probe.parse",
            "collector.probe.preset",
            "collector.probe.provider",
            "collector.publish",
            "collector.request");

    static List<String> libraries() {
        return List.of("bpf", "schema", "collector");
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void aPackageIsPublicOrInternal(String module) {
        Set<String> others = classes(module)
                .map(type -> type.getPackageName().substring("dev.probestream.".length()))
                .filter(name -> !PUBLIC.contains(name) && !(name + ".").startsWith(module + ".internal."))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(others).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void internalPackagesAreOfTheirModuleOnly(String module) {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.probestream." + module + "..")
                // Benchmarks measure the parts.
                .and()
                .resideOutsideOfPackage("dev.probestream.bench..")
                .should()
                .dependOnClassesThat(resideInAPackage("dev.probestream." + module + ".internal.."))
                .check(House.CLASSES);
    }

    @Test
    void aPublicSignatureNamesNoInternalType() {
        Set<String> leaks = libraries().stream()
                .flatMap(PublicApiTest::classes)
                .filter(type -> !isInternal(type) && isPublic(type))
                .flatMap(type -> type.getMembers().stream())
                .filter(member -> member.getModifiers().contains(JavaModifier.PUBLIC)
                        || member.getModifiers().contains(JavaModifier.PROTECTED))
                .filter(member -> types(member).anyMatch(PublicApiTest::isInternal))
                .map(JavaMember::getFullName)
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(leaks).isEmpty();
    }

    private static Stream<JavaClass> classes(String module) {
        return House.CLASSES.stream().filter(resideInAPackage("dev.probestream." + module + ".."));
    }

    private static Stream<JavaClass> types(JavaMember member) {
        if (member instanceof JavaField field) {
            return field.getType().getAllInvolvedRawTypes().stream();
        }
        JavaCodeUnit unit = (JavaCodeUnit) member;
        return Stream.concat(
                unit.getReturnType().getAllInvolvedRawTypes().stream(),
                unit.getParameterTypes().stream().flatMap(type -> type.getAllInvolvedRawTypes().stream()));
    }

    private static boolean isInternal(JavaClass type) {
        return type.getPackageName().matches("dev\\.probestream\\.[a-z]+\\.internal(\\..*)?");
    }

    /** Whether code in other packages can name the type. */
    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(PublicApiTest::isPublic).orElse(true);
    }
}
