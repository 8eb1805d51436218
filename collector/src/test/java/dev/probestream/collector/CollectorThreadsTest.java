package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.HeldKernelObjects;
import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.publish.CollectedEvent;
import dev.probestream.collector.publish.EventHandler;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.TargetSelection;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a program that embeds the collector relies on: who calls whom, how it ends, and what comes out of it. */
@KernelTest(since = "5.10")
class CollectorThreadsTest {
    @TempDir
    private static Path folder;

    private static CProgram calls;
    private final ExecutorService executor = Executors.newCachedThreadPool();

    @BeforeAll
    static void compile() throws Exception {
        calls = CProgram.compile(folder, "bpf/calls");
    }

    @AfterEach
    void end() {
        executor.shutdownNow();
    }

    private static CollectionRequest request(CProgram.Running program, String... specs) {
        return CollectionRequest.of(TargetSelection.ofPids(List.of(program.pid())))
                .probes(specs)
                .live()
                .build();
    }

    /** Keeps what it is given and the threads that gave it. */
    private static final class Keeping implements EventHandler {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch hit = new CountDownLatch(1);
        final Set<Thread> threads = new HashSet<>();
        final List<CaptureEnd> ends = new ArrayList<>();
        private final Consumer<CollectedEvent> action;

        Keeping(Consumer<CollectedEvent> action) {
            this.action = action;
        }

        @Override
        public void event(CollectedEvent event) {
            threads.add(Thread.currentThread());
            hit.countDown();
            action.accept(event);
        }

        @Override
        public void capture(Capture capture) {
            threads.add(Thread.currentThread());
            begun.countDown();
        }

        @Override
        public void captureEnd(CaptureEnd captureEnd) {
            ends.add(captureEnd);
        }
    }

    @Test
    void eventsHaveNamesAndComeOnTheThreadThatRuns() throws Exception {
        List<String> seen = new ArrayList<>();
        List<CollectedEvent> borrowed = new ArrayList<>();
        Keeping handler = new Keeping(event -> {
            borrowed.add(event);
            seen.add(event.probe().getName() + " " + event.kind() + " " + event.argumentNames());
            if (event.argumentNames().contains("word")) {
                assertThat(event.text("word")).isEqualTo("hello");
                assertThat(event.returnValue()).isEqualTo(OptionalLong.of(5));
                assertThat(event.durationNs()).isPositive();
                assertThat(event.isAvailable("word")).isTrue();
                assertThatThrownBy(() -> event.number("word")).hasMessageContaining("word of greet is a text");
                assertThatThrownBy(() -> event.text("wort")).hasMessageContaining("[word]");
            } else {
                assertThat(event.number("a")).isEqualTo(3);
                assertThat(event.number("b")).isEqualTo(-4);
                assertThat(event.returnValue()).isEmpty();
                assertThat(event.durationNs()).isEqualTo(-1);
            }
        });
        try (CProgram.Running program = calls.start();
                Collector collector = Collector.open(request(
                        program,
                        "span:greet (word=arg1:str, length=ret:s64)",
                        "uprobe:add (a=arg1:s64, b=arg2:s64)"))) {
            Thread[] runner = new Thread[1];
            Future<CollectionOutcome> run = executor.submit(() -> {
                runner[0] = Thread.currentThread();
                return collector.run(EventPublisher.of(handler));
            });
            await(handler.begun);
            program.ask("greet hello");
            program.ask("add 3 -4");
            collector.stop();
            collector.stop();
            CollectionOutcome outcome = run.get(2, TimeUnit.MINUTES);

            assertThat(outcome.deliveredEvents()).isEqualTo(2);
            assertThat(outcome.lostEvents()).isZero();
            assertThat(seen).containsExactly("greet SPAN [word]", "add INSTANT [a, b]");
            assertThat(handler.threads).containsExactly(runner[0]);
            assertThat(handler.ends).hasSize(1);
            assertThatThrownBy(() -> borrowed.get(0).probe()).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> collector.run(EventPublisher.of(handler)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has run before");
        }
    }

    @Test
    void closeFromAnotherThreadEndsTheRunInOrderAndLeavesNothing() throws Exception {
        Keeping handler = new Keeping(event -> {});
        HeldKernelObjects before = HeldKernelObjects.held();
        try (CProgram.Running program = calls.start()) {
            Collector collector = Collector.open(request(program, "uprobe:tick"));
            Future<CollectionOutcome> run = executor.submit(() -> collector.run(EventPublisher.of(handler)));
            await(handler.begun);
            program.ask("repeat 100");
            Future<?> closing = executor.submit(collector::close);
            collector.close();
            collector.close();
            closing.get(2, TimeUnit.MINUTES);

            assertThat(run.get(2, TimeUnit.MINUTES).deliveredEvents()).isEqualTo(100);
            assertThat(handler.ends).hasSize(1);
            assertThat(HeldKernelObjects.held()).isEqualTo(before);
            assertThatThrownBy(() -> collector.run(EventPublisher.of(handler))).hasMessageContaining("is closed");
        }
    }

    @Test
    void aPublisherMayCloseItsCollector() throws Exception {
        HeldKernelObjects before = HeldKernelObjects.held();
        try (CProgram.Running program = calls.start()) {
            Collector collector = Collector.open(request(program, "uprobe:tick"));
            AtomicInteger events = new AtomicInteger();
            Keeping handler = new Keeping(event -> {
                if (events.incrementAndGet() == 100) {
                    collector.close();
                }
            });
            Future<CollectionOutcome> run = executor.submit(() -> collector.run(EventPublisher.of(handler)));
            await(handler.begun);
            program.ask("repeat 100");

            assertThat(run.get(2, TimeUnit.MINUTES).deliveredEvents()).isEqualTo(100);
            assertThat(HeldKernelObjects.held()).isEqualTo(before);
        }
    }

    @Test
    void anExceptionOfThePublisherComesOutAsItIs() throws Exception {
        IllegalArgumentException own = new IllegalArgumentException("of the handler");
        Keeping handler = new Keeping(event -> {
            throw own;
        });
        HeldKernelObjects before = HeldKernelObjects.held();
        try (CProgram.Running program = calls.start()) {
            Future<CollectionOutcome> run;
            try (Collector collector = Collector.open(request(program, "uprobe:tick"))) {
                run = executor.submit(() -> collector.run(EventPublisher.of(handler)));
                await(handler.begun);
                program.ask("repeat 100");

                assertThatThrownBy(() -> run.get(2, TimeUnit.MINUTES))
                        .isInstanceOf(ExecutionException.class)
                        .cause()
                        .isSameAs(own);
            }
            assertThat(handler.ends).isEmpty();
            assertThat(HeldKernelObjects.held()).isEqualTo(before);
        }
    }

    @Test
    void aBlockedPublisherDelaysNobodyAndWhatDoesNotFitIsCounted() throws Exception {
        int hits = 20_000;
        CountDownLatch asked = new CountDownLatch(1);
        Keeping handler = new Keeping(event -> await(asked));
        try (CProgram.Running program = calls.start()) {
            CollectionRequest small = CollectionRequest.of(TargetSelection.ofPids(List.of(program.pid())))
                    .probes("uprobe:tick (n=arg1:s64)")
                    .ringSizeBytes(4096)
                    .build();
            try (Collector collector = Collector.open(small)) {
                Future<CollectionOutcome> run = executor.submit(() -> collector.run(EventPublisher.of(handler)));
                await(handler.begun);
                program.ask("repeat 1");
                await(handler.hit);
                program.ask("repeat " + (hits - 1)); // answers although the publisher blocks
                asked.countDown();
                collector.stop();
                CollectionOutcome outcome = run.get(2, TimeUnit.MINUTES);

                assertThat(outcome.lostEvents()).isPositive();
                assertThat(outcome.deliveredEvents() + outcome.lostEvents()).isEqualTo(hits);
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(2, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
