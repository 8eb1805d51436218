package dev.probestream.bpf.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LinksTest {
    @Test
    void linksCloseAtTheSameTime() {
        Links links = new Links();
        CountDownLatch allAreClosing = new CountDownLatch(20);
        AtomicInteger met = new AtomicInteger();
        for (int i = 0; i < 20; i++) {
            links.add(() -> {
                allAreClosing.countDown();
                if (await(allAreClosing)) {
                    met.incrementAndGet();
                }
            });
        }
        links.close();

        assertThat(met).hasValue(20);
    }

    @Test
    void eachLinkIsClosedOnceAlsoWhereOthersFail() {
        Links links = new Links();
        AtomicInteger closed = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            int number = i;
            links.add(() -> {
                closed.incrementAndGet();
                if (number % 50 == 0) {
                    throw new IllegalStateException("link " + number % 50);
                }
            });
        }

        assertThatThrownBy(links::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("link 0")
                .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(1));
        links.close();
        assertThat(closed).hasValue(100);
    }

    @Test
    void interruptedOwnerStillWaitsForEveryLink() {
        Links links = new Links();
        AtomicInteger closed = new AtomicInteger();
        for (int i = 0; i < 10; i++) {
            links.add(closed::incrementAndGet);
        }
        Thread.currentThread().interrupt();
        links.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(closed).hasValue(10);
    }

    @Test
    void noLinksCloseAtOnce() {
        new Links().close();
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
