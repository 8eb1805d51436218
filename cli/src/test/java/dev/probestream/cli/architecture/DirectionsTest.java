package dev.probestream.cli.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import org.junit.jupiter.api.Test;

/** Who may know whom: schema <- collector, converters; converters <- sink, query; all <- cli; and nobody in a circle. */
class DirectionsTest {
    @Test
    void schemaKnowsNobody() {
        noClasses()
                .that()
                .resideInAPackage("dev.probestream.schema..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("dev.probestream..").and(not(resideInAPackage("dev.probestream.schema.."))))
                .check(House.CLASSES);
    }

    @Test
    void bpfKnowsLinuxAndNothingOfUs() {
        noClasses()
                .that()
                .resideInAPackage("dev.probestream.bpf..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("dev.probestream..").and(not(resideInAPackage("dev.probestream.bpf.."))))
                .allowEmptyShould(true)
                .check(House.CLASSES);
    }

    @Test
    void collectorKnowsNeitherConvertersNorCommands() {
        noClasses()
                .that()
                .resideInAPackage("dev.probestream.collector..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.probestream.convert..",
                        "dev.probestream.sink..",
                        "dev.probestream.cli..",
                        "dev.probestream.bench..")
                .allowEmptyShould(true)
                .check(House.CLASSES);
    }

    @Test
    void convertersKnowOnlyTheSchema() {
        noClasses()
                .that()
                .resideInAPackage("dev.probestream.convert..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.probestream.bpf..",
                        "dev.probestream.collector..",
                        "dev.probestream.sink..",
                        "dev.probestream.cli..",
                        "dev.probestream.bench..")
                .allowEmptyShould(true)
                .check(House.CLASSES);
    }

    @Test
    void nobodyButTheCommandLineKnowsQuery() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.probestream.query..", "dev.probestream.cli..", "dev.probestream.bench..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.probestream.query..")
                .check(House.CLASSES);
    }

    @Test
    void sinksKnowTheSchemaAndTheConverters() {
        noClasses()
                .that()
                .resideInAPackage("dev.probestream.sink..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.probestream.bpf..",
                        "dev.probestream.collector..",
                        "dev.probestream.cli..",
                        "dev.probestream.bench..")
                .check(House.CLASSES);
    }

    @Test
    void queryKnowsTheSchemaAndTheConverters() {
        noClasses()
                .that()
                .resideInAPackage("dev.probestream.query..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.probestream.bpf..",
                        "dev.probestream.collector..",
                        "dev.probestream.sink..",
                        "dev.probestream.cli..",
                        "dev.probestream.bench..")
                .check(House.CLASSES);
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
                .dependOnClassesThat(resideInAPackage("dev.probestream..")
                        .and(not(resideInAnyPackage(
                                "dev.probestream.bpf.elf..",
                                "dev.probestream.bpf.usdt..",
                                "dev.probestream.bpf.btf..",
                                "dev.probestream.collector.probe..",
                                "dev.probestream.collector.resolve..",
                                "dev.probestream.collector.catalog.."))))
                .check(House.CLASSES);
    }

    @Test
    void onlyBpfSysCallsNativeCode() {
        noClasses()
                .that(not(resideInAPackage("dev.probestream.bpf.sys..")))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jnr..", "com.kenai.jffi..")
                .check(House.CLASSES);
    }

    @Test
    void kafkaIsWhereRecordsComeAndGo() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "dev.probestream.collector.publish..", "dev.probestream.sink..", "dev.probestream.cli..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.kafka..", "kafka..")
                .check(House.CLASSES);
    }

    @Test
    void onlyTheEmbeddedBrokerKnowsKafkasServer() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.probestream.cli.broker..")
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
                .resideOutsideOfPackage("dev.probestream.cli.prompt..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.jline..")
                .check(House.CLASSES);
    }

    @Test
    void onlyTheCommandLineKnowsPicocli() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.probestream.cli")
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
