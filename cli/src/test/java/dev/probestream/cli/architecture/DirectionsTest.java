package dev.probestream.cli.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which module may use which, and where each library may be used. */
class DirectionsTest {
    /** Each module, by its root package below {@code dev.probestream}, and the modules that it may use. */
    private static final Map<String, Set<String>> MODULES = Map.of(
            "bpf", Set.of(),
            "schema", Set.of(),
            "broker", Set.of("schema"),
            "collector", Set.of("bpf", "schema"),
            "convert", Set.of("schema"),
            "sink", Set.of("schema", "convert"),
            "query", Set.of("schema", "convert"),
            "cli", Set.of("bpf", "schema", "broker", "collector", "convert", "sink", "query"));

    @ParameterizedTest
    @MethodSource("modules")
    void aModuleUsesOnlyTheModulesBelowIt(String module) {
        Set<String> allowed = new HashSet<>(MODULES.get(module));
        allowed.add(module);
        String[] packages =
                allowed.stream().map(name -> "dev.probestream." + name + "..").toArray(String[]::new);

        noClasses()
                .that()
                .resideInAPackage("dev.probestream." + module + "..")
                .should()
                .dependOnClassesThat(resideInAPackage("dev.probestream..").and(not(resideInAnyPackage(packages))))
                .check(House.CLASSES);
    }

    private static Set<String> modules() {
        return MODULES.keySet();
    }

    @Test
    void onlyQueryAsksADatabase() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.probestream.query..", "dev.probestream.bench..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "org.duckdb..")
                .check(House.CLASSES);
    }

    @Test
    void onlyTheCommandLineKnowsPrometheus() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.probestream.cli..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.prometheus..")
                .check(House.CLASSES);
    }

    @Test
    void theCatalogLoadsNothingIntoTheKernel() {
        noClasses()
                .that()
                .resideInAPackage("dev.probestream.collector.catalog..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.probestream.bpf.kernel..",
                        "dev.probestream.bpf.map..",
                        "dev.probestream.bpf.ring..",
                        "dev.probestream.collector.internal.program..",
                        "dev.probestream.collector.internal.event..")
                .check(House.CLASSES);
    }

    @Test
    void onlyOnePackageCallsNativeCode() {
        noClasses()
                .that(not(resideInAPackage("dev.probestream.bpf.internal..")))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jnr..", "com.kenai.jffi..")
                .check(House.CLASSES);
    }

    @Test
    void nothingUsesTheInsideOfJnrFfi() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jnr.ffi.provider..", "com.kenai.jffi..")
                .check(House.CLASSES);
    }

    @Test
    void onlyPublishersAndSinksUseKafka() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "dev.probestream.collector.publish..",
                        "dev.probestream.sink..",
                        "dev.probestream.broker..",
                        "dev.probestream.cli..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.kafka..", "kafka..")
                .check(House.CLASSES);
    }

    @Test
    void onlyTheBrokerUsesKafkasServer() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.probestream.broker..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "kafka..",
                        "org.apache.kafka.metadata..",
                        "org.apache.kafka.server..",
                        "org.apache.kafka.raft..")
                .check(House.CLASSES);
    }

    @Test
    void onlyTheSchemaEncodesAvro() {
        noClasses()
                .that(not(resideInAPackage("dev.probestream.schema..")))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.apache.avro.io..",
                        "org.apache.avro.file..",
                        "org.apache.avro.generic..",
                        "org.apache.avro.reflect..",
                        "org.apache.avro.message..")
                .check(House.CLASSES);
    }

    @Test
    void onlyPerfettosTracesAreProtobuf() {
        noClasses()
                .that(not(resideInAnyPackage(
                        "dev.probestream.schema.perfetto..",
                        "dev.probestream.convert.perfetto..",
                        "dev.probestream.convert.merge..")))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.google.protobuf..")
                .check(House.CLASSES);
    }

    @Test
    void onlyTheTablesKnowParquet() {
        noClasses()
                .that(not(resideInAPackage("dev.probestream.convert.parquet..")))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.parquet..", "org.apache.hadoop..")
                .check(House.CLASSES);
    }

    @Test
    void onlyThePromptKnowsJline() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.probestream.cli.query.prompt..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.jline..")
                .check(House.CLASSES);
    }

    @Test
    void onlyDebugFilesAreXz() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.probestream.collector.internal.debugfile..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.tukaani..")
                .check(House.CLASSES);
    }

    /**
     * What picocli reads is recognised by the class's name; the work behind it is in classes that do not know picocli.
     * The module deploy writes manuals from picocli's model.
     */
    @Test
    void onlyCommandsAndOptionsUsePicocli() {
        noClasses()
                .that(
                        not(
                                resideInAPackage("dev.probestream.deploy..")
                                        .or(
                                                resideInAPackage("dev.probestream.cli..")
                                                        .and(
                                                                describe(
                                                                        "a command, options or a converter of their values",
                                                                        type -> type.getName()
                                                                                .matches(
                                                                                        ".*(Commands?|Options?|Converter|Failures|Version)(\\$.*)?"))))))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("picocli..")
                .check(House.CLASSES);
    }

    @Test
    void noPackageIsPartOfACircle() {
        slices().matching("dev.probestream.(**)")
                .should()
                .beFreeOfCycles()
                .check(House.CLASSES.that(not(House.GENERATED)));
    }
}
