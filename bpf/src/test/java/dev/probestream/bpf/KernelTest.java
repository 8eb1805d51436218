package dev.probestream.bpf;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Marks a test (or a class of tests) that talks to the real kernel. It is skipped, with the reason, where the kernel is
 * older than {@link #since} or privileges are missing. With {@code CI=true} in the environment it fails instead:
 * a skipped test proves nothing.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith({KernelTestCondition.class, HungTestInterceptor.class})
public @interface KernelTest {
    /** The first kernel release that can run the test, such as {@code 5.8}. */
    String since();
}
