package dev.probestream.cli.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import java.io.File;
import java.io.FileOutputStream;
import java.io.FileWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Files and folders are created in one package, which knows their mode and, under sudo, their owner. */
class PrivateFilesRuleTest {
    private static final Set<String> CREATING_METHODS = Set.of(
            "newOutputStream",
            "newBufferedWriter",
            "newByteChannel",
            "write",
            "writeString",
            "copy",
            "createFile",
            "createDirectory",
            "createDirectories",
            "createTempFile",
            "createTempDirectory",
            "createSymbolicLink");

    /** How a channel is opened for anything but reading. */
    private static final Set<String> WRITING_OPTIONS = Set.of("WRITE", "APPEND", "CREATE", "CREATE_NEW");

    /** Classes of java.io whose constructors open a file for writing; here, by its path only. */
    private static final Set<Class<?>> WRITERS =
            Set.of(FileOutputStream.class, FileWriter.class, PrintWriter.class, PrintStream.class);

    /** Open a RandomAccessFile to read it. */
    private static final Set<String> READERS =
            Set.of("dev.probestream.schema.recording.RecordingFile", "dev.probestream.convert.parquet.RowCount");

    /** Opens memory that it has made itself as a file (memfd_create(2)): it is in no folder. */
    private static final Set<String> MAPPERS = Set.of("dev.probestream.bpf.internal.MappedMemory");

    private static final DescribedPredicate<JavaAccess<?>> CREATES_A_FILE =
            DescribedPredicate.describe("creates a file or folder", PrivateFilesRuleTest::createsFile);

    @Test
    void onlyOnePackageCreatesFilesAndFolders() {
        noClasses()
                // The build's own files, which deploy writes, are for everybody.
                .that(DescribedPredicate.not(
                        resideInAnyPackage("dev.probestream.schema.file..", "dev.probestream.deploy..")))
                .should()
                .accessTargetWhere(CREATES_A_FILE)
                .because("dev.probestream.schema.file.PrivateFiles gives files mode 0600 and folders 0700")
                .check(House.CLASSES);
    }

    private static boolean createsFile(JavaAccess<?> access) {
        AccessTarget target = access.getTarget();
        JavaClass owner = target.getOwner();
        if (owner.isEquivalentTo(Files.class)) {
            return CREATING_METHODS.contains(target.getName());
        }
        if (owner.isEquivalentTo(StandardOpenOption.class)) {
            return WRITING_OPTIONS.contains(target.getName())
                    && !MAPPERS.contains(access.getOriginOwner().getName());
        }
        if (owner.isEquivalentTo(RandomAccessFile.class)) {
            return isConstructor(target)
                    && !READERS.contains(access.getOriginOwner().getName());
        }
        return isConstructor(target) && WRITERS.stream().anyMatch(owner::isEquivalentTo) && takesPath(target);
    }

    private static boolean isConstructor(AccessTarget target) {
        return target instanceof AccessTarget.ConstructorCallTarget;
    }

    private static boolean takesPath(AccessTarget target) {
        return ((AccessTarget.ConstructorCallTarget) target)
                .getRawParameterTypes().stream()
                        .anyMatch(type -> type.isEquivalentTo(File.class) || type.isEquivalentTo(String.class));
    }
}
