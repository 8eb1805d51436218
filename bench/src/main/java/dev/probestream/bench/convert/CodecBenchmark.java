package dev.probestream.bench.convert;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.Contest;
import dev.probestream.bench.measure.Contest.Contestant;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Our codec of events against Avro's generated one. */
public final class CodecBenchmark implements Benchmark {
    private static final int WARM_UP_ROUNDS = 20;
    private static final int ROUNDS = 61;
    private static final int BATCH = 100_000;

    @Override
    public String name() {
        return "codec";
    }

    @Override
    public String about() {
        return "one event (4 numbers, a path of 21 bytes) to and from Avro's bytes, against Avro's generated classes";
    }

    @Override
    public void run(ResultTable table) throws Exception {
        CodecPair pair = new CodecPair();
        Map<String, Samples> results = new Contest(WARM_UP_ROUNDS, ROUNDS, BATCH)
                .run(List.of(
                        new Contestant("SpecificDatumWriter", pair::avroEncode),
                        new Contestant("EventEncoder", pair::ourEncode),
                        new Contestant("SpecificDatumReader", pair::avroDecode),
                        new Contestant("EventView", pair::ourDecode),
                        new Contestant("EventView, string made", pair::ourDecodeWithString)));
        compare(table, results, "SpecificDatumWriter", List.of("EventEncoder"));
        compare(table, results, "SpecificDatumReader", List.of("EventView", "EventView, string made"));
        table.note(
                ROUNDS + " rounds of " + BATCH + " events each, in turn in one JVM; CPU time of the thread. The record"
                        + " that Avro writes is made beforehand, and the one it reads into is reused.");
    }

    private static void compare(ResultTable table, Map<String, Samples> results, String peer, List<String> ours) {
        Samples peerSamples = Objects.requireNonNull(results.get(peer));
        table.measured(peer, peerSamples, "ns");
        for (String name : ours) {
            Samples samples = Objects.requireNonNull(results.get(name));
            table.compared(name, samples, "ns", samples.median() / peerSamples.median(), peer);
        }
    }
}
