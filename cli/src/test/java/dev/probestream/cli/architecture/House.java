package dev.probestream.cli.architecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/** The classes of all modules, read once, and the predicates that the rules share. */
final class House {
    /** The classes that ship: no tests, nothing of other projects. */
    static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("dev.probestream");

    /** Written by the Avro and protobuf generators, not by us. */
    static final DescribedPredicate<JavaClass> GENERATED = JavaClass.Predicates.resideInAnyPackage(
            "dev.probestream.schema.record..", "dev.probestream.schema.perfetto..");

    private House() {}
}
