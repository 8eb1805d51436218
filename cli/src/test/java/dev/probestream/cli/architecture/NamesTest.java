package dev.probestream.cli.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.INTERFACES;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Packages are steps of the flow, classes say what they are, and public is a promise. */
class NamesTest {
    private static final List<String> PACKAGES_NOBODY_NEEDS =
            List.of("util", "utils", "impl", "common", "model", "helper", "helpers", "misc", "core");

    @Test
    void noPackageIsADrawer() {
        noClasses()
                .should()
                .resideInAnyPackage(PACKAGES_NOBODY_NEEDS.stream()
                        .map(name -> ".." + name + "..")
                        .toArray(String[]::new))
                .check(House.CLASSES);
    }

    @Test
    void noClassIsNamedForWhatItIsFor() {
        noClasses()
                .that(not(House.GENERATED))
                // What extends Avro's GenericData may be called like it.
                .and()
                .areNotAssignableTo("org.apache.avro.generic.GenericData")
                .should()
                // Helper alone is the kernel's word for a function that programs call.
                .haveNameMatching(".*\\w(Manager|Helper|Processor|Data|Info|Utils?|Impl)")
                .check(House.CLASSES);
    }

    @Test
    void noTwoClassesShareASimpleName() {
        Map<String, List<String>> byName = House.CLASSES.stream()
                .filter(type -> !House.GENERATED.test(type) && type.isTopLevelClass())
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(
                        JavaClass::getSimpleName, Collectors.mapping(JavaClass::getName, Collectors.toList())));
        byName.values().removeIf(names -> names.size() == 1);

        assertThat(byName).as("simple names of several classes").isEmpty();
    }

    @Test
    void everyPackageIntroducesItself() {
        Set<String> packages = House.CLASSES.stream()
                .filter(type -> !House.GENERATED.test(type))
                .map(JavaClass::getPackageName)
                .collect(Collectors.toCollection(TreeSet::new));
        packages.removeIf(name -> House.CLASSES.contain(name + ".package-info"));

        assertThat(packages).as("packages without package-info.java").isEmpty();
    }

    @Test
    void eachWriterIsOnePublicClass() {
        for (String writer : List.of(
                "dev.probestream.convert.perfetto",
                "dev.probestream.convert.chrome",
                "dev.probestream.convert.parquet")) {
            List<String> publicClasses = House.CLASSES.stream()
                    .filter(type -> type.getPackageName().equals(writer))
                    .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                    .filter(type -> !type.isMemberClass())
                    .map(JavaClass::getSimpleName)
                    .toList();

            assertThat(publicClasses).as("public classes of " + writer).hasSizeLessThanOrEqualTo(1);
        }
    }

    @Test
    void thereIsNoStaticMutableState() {
        noFields()
                .that()
                .areDeclaredInClassesThat(not(House.GENERATED).and(not(INTERFACES)))
                .and()
                .areStatic()
                .should()
                .notBeFinal()
                .check(House.CLASSES);
    }
}
