package dev.probestream.bpf;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Decides for {@link KernelTest} whether this machine can run the test. */
final class KernelTestCondition implements ExecutionCondition {
    // linux/capability.h
    private static final int CAP_SYS_ADMIN = 21;
    private static final int CAP_PERFMON = 38;
    private static final int CAP_BPF = 39;

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        Optional<KernelTest> annotation = AnnotationSupport.findAnnotation(context.getElement(), KernelTest.class);
        Optional<String> obstacle = annotation.flatMap(test -> obstacle(test.since()));
        if (obstacle.isEmpty()) {
            return ConditionEvaluationResult.enabled("the kernel and the privileges allow it");
        }
        if ("true".equals(System.getenv("CI"))) {
            throw new IllegalStateException("CI=true, yet this kernel test cannot run: " + obstacle.get());
        }
        return ConditionEvaluationResult.disabled(obstacle.get());
    }

    private static Optional<String> obstacle(String since) {
        try {
            String release =
                    Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip();
            if (isOlder(release, since)) {
                return Optional.of("needs Linux " + since + ", this is " + release);
            }
            return mayUseBpf(effectiveCapabilities())
                    ? Optional.empty()
                    : Optional.of("needs CAP_BPF and CAP_PERFMON, or root");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean mayUseBpf(long capabilities) {
        return has(capabilities, CAP_SYS_ADMIN) || (has(capabilities, CAP_BPF) && has(capabilities, CAP_PERFMON));
    }

    private static boolean has(long capabilities, int capability) {
        return (capabilities >>> capability & 1) == 1;
    }

    private static long effectiveCapabilities() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("CapEff:"))
                .map(line -> Long.parseUnsignedLong(
                        line.substring("CapEff:".length()).strip(), 16))
                .findFirst()
                .orElse(0L);
    }

    static boolean isOlder(String release, String since) {
        String[] have = release.split("[^0-9]+");
        String[] want = since.split("\\.");
        for (int i = 0; i < want.length; i++) {
            int difference =
                    Integer.compare(i < have.length ? Integer.parseInt(have[i]) : 0, Integer.parseInt(want[i]));
            if (difference != 0) {
                return difference < 0;
            }
        }
        return false;
    }
}
