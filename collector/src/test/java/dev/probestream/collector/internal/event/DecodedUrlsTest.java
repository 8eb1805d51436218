package dev.probestream.collector.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.collector.internal.program.PlannedProbe;
import dev.probestream.collector.internal.program.ProgramPlan;
import dev.probestream.collector.internal.program.ProgramPlanner;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.syscall.SyscallTable;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Disclosure;
import dev.probestream.collector.probe.PresetTraits;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.TextRule;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.MalformedEventException;
import dev.probestream.schema.record.Probe;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Samples of a parser's probes, through the decoder: what a rule takes out is in no event. */
class DecodedUrlsTest {
    private static final int BEGIN_ID = 1;
    private static final int URL_ID = 2;
    private static final int LINE_ID = 3;
    private static final int ROUNDS = 100_000;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1024).order(ByteOrder.LITTLE_ENDIAN);
    private final EventView view = new EventView();
    private final ProgramPlan plan = ProgramPlanner.plan(
            List.of(
                    probe(BEGIN_ID, "uprobe:b(parser=arg1:ptr)", "http.begin", TextRule.PLAIN),
                    probe(URL_ID, "uprobe:u(parser=arg1:ptr, url=arg2:str[..arg3,32])", "http.url", TextRule.URL_PIECE),
                    probe(LINE_ID, "uprobe:l(line=arg2:str[64])", "http.line", TextRule.HTTP_LINE)),
            ProgramOptions.of(RegisterTable.X86_64, TargetFilter.process(1)));

    private static ResolvedProbe probe(int id, String spec, String role, TextRule rule) {
        ProbeSpec written = SpecParser.parse(spec);
        List<ArgumentSpec> arguments = written.arguments().stream()
                .map(argument -> argument.type().isText() ? withRule(argument, rule) : argument)
                .toList();
        PresetTraits traits = new PresetTraits("", "node-http", true, role, PresetTraits.FileCondition.NONE);
        ProbeSpec ofSet = written.ofPreset(arguments, written.result(), written.filter(), traits);
        return ResolvedProbe.of(id, ofSet, Optional.empty());
    }

    private static ArgumentSpec withRule(ArgumentSpec argument, TextRule rule) {
        return new ArgumentSpec(
                argument.name(),
                argument.source(),
                argument.addend(),
                argument.dereferenceOffsetsBytes(),
                argument.type(),
                argument.atReturn(),
                argument.unit(),
                argument.flow(),
                argument.labels(),
                rule);
    }

    private EventDecoder decoder(boolean isQueryShown) {
        return new EventDecoder(
                7,
                plan,
                SyscallTable.of(RegisterTable.X86_64),
                new Viewer(),
                (timestampNs, tgid, sample, kernelOffset, kernelBytes, userOffset, userBytes, javaScriptOffset) -> 0,
                new Nobody(),
                new Disclosure(isQueryShown, false, false),
                probeId -> false);
    }

    /** Puts a sample into the buffer; no text = it could not be read. */
    private int sample(int probeId, long parser, Optional<String> text) {
        PlannedProbe probe = plan.probes().get(probeId - 1);
        EventLayout layout = probe.layout();
        for (int i = 0; i < layout.sizeBytes(); i += Long.BYTES) {
            buffer.putLong(i, 0);
        }
        buffer.putInt(EventLayout.TGID_OFFSET, 11);
        buffer.putShort(EventLayout.RECORD_TYPE_OFFSET, (short) RecordType.EVENT.code());
        buffer.putInt(EventLayout.PROBE_ID_OFFSET, probeId);
        buffer.putLong(EventLayout.DURATION_OFFSET, -1);
        for (int i = 0; i < layout.arguments().size(); i++) {
            ArgumentSlot slot = layout.arguments().get(i);
            if (!slot.type().isText()) {
                buffer.putLong(slot.offset(), parser);
            } else if (text.isPresent()) {
                byte[] all = text.get().getBytes(StandardCharsets.UTF_8);
                byte[] bytes =
                        Arrays.copyOf(all, Math.min(all.length, slot.type().capacityBytes() + 1));
                buffer.putInt(slot.offset(), bytes.length + 1);
                buffer.put(slot.offset() + ArgumentSlot.TEXT_OFFSET, bytes);
            }
        }
        return layout.sizeBytes();
    }

    private String decoded(EventDecoder decoder, int probeId, long parser, String text) {
        decoder.sample(buffer, 0, sample(probeId, parser, Optional.of(text)));
        return view.stringCount() == 0 ? "" : view.string(0);
    }

    @Test
    void piecesBelongToTheParserThatBeganAMessage() {
        EventDecoder decoder = decoder(false);

        assertThat(decoded(decoder, URL_ID, 16, "/a?b=c")).isEqualTo("***");
        decoded(decoder, BEGIN_ID, 16, "");
        decoded(decoder, BEGIN_ID, 32, "");
        assertThat(decoded(decoder, URL_ID, 16, "/one?x=ab")).isEqualTo("/one?x=***");
        assertThat(decoded(decoder, URL_ID, 32, "/two")).isEqualTo("/two");
        assertThat(decoded(decoder, URL_ID, 16, "cd&y=1")).isEqualTo("&y=***");
        assertThat(decoded(decoder, URL_ID, 32, "/more?z=1")).isEqualTo("/more?z=***");
        assertThat(view.number(0)).isEqualTo(32);
    }

    @Test
    void aPieceThatCouldNotBeReadMakesItsParserUnknown() {
        EventDecoder decoder = decoder(false);
        decoded(decoder, BEGIN_ID, 16, "");
        decoder.sample(buffer, 0, sample(URL_ID, 16, Optional.empty()));
        assertThat(view.unavailable()).isEqualTo(2);

        assertThat(decoded(decoder, URL_ID, 16, "secret")).isEmpty();
    }

    @Test
    void longTextsEndInAnEllipsisAndLinesOnlyWhenTheyAreCutThemselves() {
        EventDecoder decoder = decoder(false);
        decoded(decoder, BEGIN_ID, 16, "");

        assertThat(decoded(decoder, URL_ID, 16, "/" + "a".repeat(32))).isEqualTo("/" + "a".repeat(31) + "…");
        assertThat(decoded(decoder, LINE_ID, 0, "GET /a?b=c HTTP/1.1\r\nCookie: " + "x".repeat(40)))
                .isEqualTo("GET /a?b=*** HTTP/1.1");
        assertThat(decoded(decoder, LINE_ID, 0, "GET " + "/aa".repeat(21))).isEqualTo("GET " + "/aa".repeat(20) + "…");
        assertThat(decoded(decoder, LINE_ID, 0, "nothing of HTTP")).isEmpty();
        assertThat(view.unavailable()).isZero();
    }

    @Test
    void whoAsksForQueriesGetsThem() {
        EventDecoder decoder = decoder(true);

        assertThat(decoded(decoder, URL_ID, 16, "/a?b=c")).isEqualTo("/a?b=c");
        assertThat(decoded(decoder, LINE_ID, 0, "GET /a?b=c HTTP/1.1\r\nCookie: x\r\n"))
                .isEqualTo("GET /a?b=c HTTP/1.1");
    }

    @Test
    void maskingAllocatesNothing() {
        EventDecoder decoder = decoder(false);
        decoded(decoder, BEGIN_ID, 16, "");
        int sizeBytes = sample(URL_ID, 16, Optional.of("&user=ann&token=x"));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 5; attempt++) {
            long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            for (int i = 0; i < ROUNDS; i++) {
                decoder.sample(buffer, 0, sizeBytes);
            }
            allocated = Math.min(
                    allocated,
                    threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before);
        }
        assertThat(allocated).isLessThan(ROUNDS);
    }

    private final class Viewer implements EventDecoder.Consumer {
        @Override
        public void event(EventEncoder event) {
            try {
                view.wrap(event.bytes(), event.offset(), event.offset() + event.length());
            } catch (MalformedEventException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void probe(Probe probe) {}

        @Override
        public void announced(String name, long atNs) {}
    }

    private static final class Nobody implements TaskLifecycleListener {
        @Override
        public void forked(long timestampNs, int parentTgid, int parentTid, int tgid, int tid, String comm) {}

        @Override
        public void executed(long timestampNs, int tgid, int userId, String comm) {}

        @Override
        public void exited(long timestampNs, int tgid, int tid, boolean isProcessEnd, int waitStatus) {}

        @Override
        public void renamed(long timestampNs, int tgid, int tid, String comm) {}
    }
}
