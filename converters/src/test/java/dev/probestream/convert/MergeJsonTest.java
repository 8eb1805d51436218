package dev.probestream.convert;

import static dev.probestream.convert.MergeRecording.START_US;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.TextFormat;
import dev.probestream.schema.perfetto.Trace;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files in Chrome's JSON, in all their shapes. */
class MergeJsonTest {
    /** One of each phase, with everything an event may have. */
    private static final List<String> EVENTS = List.of(
            at(
                    2000,
                    "X",
                    "'cat':'v8','name':'V8.Run','dur':1000.25,'tts':12,'tdur':7,'args':{'a':1,'b':[true,null,{}],'c':{'d':'e'}}"),
            at(2000.5, "X", "'cat':'v8','name':'child','dur':999.75,'args':{}"),
            at(2500, "X", "'cat':'v8','name':'overlaps','dur':4000"),
            at(3100, "B", "'cat':'node,node.fs','name':'fs.sync','args':{'path':'/\uD83D\uDE00'}"),
            at(3200, "E", "'cat':'node,node.fs','name':'fs.sync','tts':5,'args':{'result':18446744073709551615}"),
            at(3300, "E", "'name':'never begun'"),
            at(3400, "B", "'name':'never ended'"),
            at(3500, "b", "'cat':'node.http','name':'request','id':'0x1','args':{}"),
            at(3600, "n", "'cat':'node.http','name':'step','id':'0x1','args':{'n':-1.5}"),
            at(3700, "e", "'cat':'node.http','name':'request','id':'0x1','args':{'statusCode':200}"),
            at(3500, "b", "'cat':'node.http','name':'local','id2':{'local':'0x1'}"),
            at(3800, "e", "'cat':'node.http','name':'local','id2':{'local':'0x1'}"),
            at(3500, "S", "'cat':'old','name':'async','id':7"),
            at(3600, "T", "'cat':'old','name':'async','id':7,'args':{'step':'one'}"),
            at(3700, "F", "'cat':'old','name':'async','id':7"),
            at(4000, "i", "'name':'moment','s':'p'"),
            at(4000, "I", "'name':'old moment','tts':1,'dur':0,'tdur':0"),
            at(4100, "C", "'name':'heap','args':{'used':1,'total':2.5}"),
            at(4200, "C", "'name':'heap','id':'2','args':{'what':'no number'}"),
            at(4300, "s", "'cat':'flow','name':'f','id':9"),
            at(4400, "t", "'cat':'flow','name':'f','id':9"),
            at(4500, "f", "'cat':'flow','name':'f','id':9,'bp':'e'"),
            at(4600, "X", "'name':'bound','dur':1,'bind_id':'0x5','flow_out':true"),
            at(4700, "O", "'name':'snapshot','id':'0x9','args':{'snapshot':{'deep':[[1],[2]]}}"),
            at(4800, "R", "'name':'mark','cat':'blink.user_timing'"),
            at(4900, "X", "'name':'elsewhere','dur':10").replace("\"pid\":100", "\"pid\":4242"),
            "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":100,\"tid\":100,\"args\":{\"name\":\"JavaScript\"}}",
            "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":4242,\"ts\":0,\"args\":{\"name\":\"stranger\"}}",
            "{\"ph\":\"X\",\"name\":\"nobody's\",\"ts\":1005000,\"dur\":1}",
            "{\"name\":\"no phase, no time\"}");

    @TempDir
    private Path folder;

    private static String at(double us, String phase, String members) {
        return ("{'pid':100,'tid':100,'ts':" + BigDecimal.valueOf(START_US + us) + ",'ph':'" + phase + "'," + members
                        + "}")
                .replace('\'', '"');
    }

    private static String whole() {
        return "{\"traceEvents\":[" + String.join(",\n", EVENTS) + "]}";
    }

    @Test
    void everyEventIsInTheChromeTraceAsItWas() throws IOException {
        Path trace = MergeRecording.json(folder.resolve("t.json"), whole());
        assertThat(addedTo("out.json", trace)).isEqualTo(JsonEvents.counted(JsonEvents.of(trace)));
    }

    @Test
    void everyEventCanBeMadeAgainOfThePerfettoTrace() throws IOException {
        Path trace = MergeRecording.json(folder.resolve("t.json"), whole());
        Path output = folder.resolve("out.pftrace");
        MergeRecording.merge(folder, output, RecordingRange.ALL, trace);

        Map<String, Integer> expected = JsonEvents.counted(JsonEvents.of(trace));
        assertThat(withoutEmptyArgs(JsonEvents.counted(PerfettoEvents.of(output))))
                .isEqualTo(withoutEmptyArgs(expected));
    }

    /** What has no value in Perfetto is said as text there. */
    private static Map<String, Integer> withoutEmptyArgs(Map<String, Integer> events) {
        Map<String, Integer> made = new HashMap<>();
        events.forEach((event, count) ->
                made.merge(event.replace("\"null\"", "null").replace("\"{}\"", "{}"), count, Integer::sum));
        return made;
    }

    @Test
    void perfettoTraceIsAsKept() throws IOException {
        Path output = folder.resolve("out.pftrace");
        MergeRecording.merge(
                folder, output, RecordingRange.ALL, MergeRecording.json(folder.resolve("t.json"), whole()));
        Golden.assertMatches(
                "merged.pftrace.txt",
                TextFormat.printer()
                        .escapingNonAscii(false)
                        .printToString(Trace.parseFrom(Files.readAllBytes(output))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'traceEvents':[%s]}",
                "[%s]",
                "[%s",
                "{'traceEvents':[%s",
                "{'metadata':{'a':[1]},'traceEvents':[%s],'displayTimeUnit':'ns'}",
                " \n[\n%s,\n]",
                "{'traceEvents':[%s,{'ph':'X','na",
            })
    void allShapesHoldTheSame(String shape) throws IOException {
        Path trace = MergeRecording.json(
                folder.resolve("t.json"), shape.replace('\'', '"').formatted(String.join(",", EVENTS)));
        Path plain = MergeRecording.json(folder.resolve("plain.json"), whole());
        assertThat(addedTo("out.json", trace)).isEqualTo(JsonEvents.counted(JsonEvents.of(plain)));
    }

    @Test
    void compressedFilesAreUnpackedAndTheirCutEndsForgiven() throws IOException {
        Path trace = folder.resolve("t.json.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(trace))) {
            out.write(whole().getBytes(StandardCharsets.UTF_8));
        }
        assertThat(addedTo("out.json", trace)).isEqualTo(JsonEvents.counted(JsonEvents.of(trace)));
        byte[] bytes = Files.readAllBytes(trace);
        Files.write(trace, Arrays.copyOf(bytes, bytes.length / 2));
        ConversionOutcome outcome = MergeRecording.merge(folder, folder.resolve("cut.json"), RecordingRange.ALL, trace);
        assertThat(outcome.warnings()).anyMatch(warning -> warning.contains("was cut off after"));
    }

    @Test
    void rotatedFilesAreJoinedByTheirNumbers() throws IOException {
        Path first =
                MergeRecording.json(folder.resolve("node_trace.2.log"), "[" + at(2000, "B", "'name':'long'") + "]");
        Path second =
                MergeRecording.json(folder.resolve("node_trace.10.log"), "[" + at(3000, "E", "'name':'long'") + "]");
        Path output = folder.resolve("out.pftrace");
        MergeRecording.merge(folder, output, RecordingRange.ALL, second, first);

        List<ObjectNode> events = PerfettoEvents.of(output);
        assertThat(events).hasSize(2);
        assertThat(JsonEvents.counted(events).keySet()).allMatch(event -> event.contains("\"long\""));
    }

    @Test
    void sliceTakesWholeSpansAndOneProcess() throws IOException {
        List<String> events = List.of(
                at(1000, "b", "'cat':'c','name':'reaches in','id':1"),
                at(1000, "X", "'name':'before','dur':500"),
                at(1000, "B", "'name':'around'"),
                at(5000, "e", "'cat':'c','name':'reaches in','id':1"),
                at(5000, "i", "'name':'within'"),
                at(6000, "i", "'name':'of another'").replace("\"pid\":100", "\"pid\":200"),
                at(9000, "E", "'name':'around'"),
                at(9000, "b", "'cat':'c','name':'after','id':2"),
                at(9500, "e", "'cat':'c','name':'after','id':2"));
        Path trace = MergeRecording.json(folder.resolve("t.json"), "[" + String.join(",", events) + "]");
        RecordingRange slice = new RecordingRange(
                Optional.of(RecordingRange.Bound.sinceStart(4_000_000)),
                Optional.of(RecordingRange.Bound.sinceStart(8_000_000)),
                Set.of(100));
        Path output = folder.resolve("out.json");
        ConversionOutcome outcome = MergeRecording.merge(folder, output, slice, trace);

        List<String> names = new ArrayList<>();
        for (ObjectNode event : JsonEvents.of(output)) {
            if (event.path("pid").asInt() < 1000 && !event.path("ph").asText().equals("M")) {
                names.add(event.path("ph").asText() + " " + event.path("name").asText());
            }
        }
        assertThat(names)
                .containsExactlyInAnyOrder(
                        "X uv_run", "b reaches in", "e reaches in", "B around", "E around", "i within");
        assertThat(outcome.warnings()).contains("merged 9 events of " + trace + ", but for 4 outside the time range");
    }

    @Test
    void eventsOfAnotherTimeAreMergedWithAWarning() throws IOException {
        Path trace = MergeRecording.json(folder.resolve("t.json"), "[" + at(-900_000, "i", "'name':'long ago'") + "]");
        ConversionOutcome outcome = MergeRecording.merge(folder, folder.resolve("out.json"), RecordingRange.ALL, trace);
        assertThat(outcome.warnings()).anyMatch(warning -> warning.contains("of another boot, or of another machine?"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "| it is empty",
                "hello | not a trace but text that begins with 'hello'",
                "Obj\u0001xx | not a trace but an Avro file, perhaps a recording",
                "{\"nodes\":[],\"samples\":[]} | not a trace but a CPU profile of V8",
                "{\"name\":\"x\",\"version\":1} | not a trace but JSON with \"name\", \"version\"",
                "{\"traceEv | it ends after 9 bytes, before its first event",
                "[{\"ph\":\"i\"} {\"ph\":\"i\"}] | it is broken at byte",
                "[{\"ph\":\"i\"}] [] | it is broken at byte",
                "\nxyz\n\n\n\n\n\n\n\n\n\n | not a trace but",
                "\u0000\u0001\u0002 | not a trace but a binary file of unknown kind",
            })
    void whatIsNoTraceIsNamed(String example) throws IOException {
        String content = example.substring(0, example.lastIndexOf('|')).stripTrailing();
        String reason = example.substring(example.lastIndexOf('|') + 2);
        Path trace = MergeRecording.json(folder.resolve("t.json"), content);
        assertThatThrownBy(() -> MergeRecording.merge(folder, folder.resolve("out.json"), RecordingRange.ALL, trace))
                .isInstanceOf(ConversionException.class)
                .hasMessageStartingWith("cannot merge " + trace + ": ")
                .hasMessageContaining(reason);
        assertThat(folder.resolve("out.json")).doesNotExist();
    }

    /** What merging this file adds to the Chrome trace. */
    private Map<String, Integer> addedTo(String name, Path trace) throws IOException {
        Path output = folder.resolve(name);
        MergeRecording.merge(folder, output, RecordingRange.ALL, trace);
        Path alone = folder.resolve("alone.json");
        MergeRecording.merge(folder, alone, RecordingRange.ALL, MergeRecording.json(folder.resolve("none.json"), "[]"));
        Map<String, Integer> counts = JsonEvents.counted(JsonEvents.of(output));
        JsonEvents.counted(JsonEvents.of(alone)).forEach((event, count) -> counts.merge(event, -count, Integer::sum));
        counts.values().removeIf(count -> count == 0);
        return counts;
    }
}
