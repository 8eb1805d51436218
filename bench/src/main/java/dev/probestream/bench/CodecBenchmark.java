package dev.probestream.bench;

import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Our codec of events against Avro's generated one, by JMH. */
final class CodecBenchmark implements Benchmark {
    @Override
    public String name() {
        return "codec";
    }

    @Override
    public String about() {
        return "one event (4 numbers, a path of 21 bytes) to and from Avro's bytes, ours against Avro's generated classes";
    }

    @Override
    public void run(Table table) throws RunnerException {
        Options options = new OptionsBuilder()
                .include("\\." + CodecRounds.class.getSimpleName() + "\\.")
                .forks(3)
                .warmupIterations(3)
                .warmupTime(TimeValue.seconds(1))
                .measurementIterations(5)
                .measurementTime(TimeValue.seconds(1))
                .timeUnit(TimeUnit.NANOSECONDS)
                .verbosity(VerboseMode.SILENT)
                .build();
        Collection<RunResult> results = new Runner(options).run();
        Samples avroEncode = samples(results, "avroEncode");
        Samples ourEncode = samples(results, "ourEncode");
        Samples avroDecode = samples(results, "avroDecode");
        Samples ourDecode = samples(results, "ourDecode");
        Samples ourDecodeWithString = samples(results, "ourDecodeWithString");
        table.measured("SpecificDatumWriter", avroEncode, "ns");
        table.compared(
                "EventEncoder", ourEncode, "ns", ourEncode.median() / avroEncode.median(), "SpecificDatumWriter");
        table.measured("SpecificDatumReader, record reused", avroDecode, "ns");
        table.compared("EventView", ourDecode, "ns", ourDecode.median() / avroDecode.median(), "SpecificDatumReader");
        table.compared(
                "EventView, its string made",
                ourDecodeWithString,
                "ns",
                ourDecodeWithString.median() / avroDecode.median(),
                "SpecificDatumReader");
        table.remark(
                "JMH, average time, 3 forks of 5 iterations. The record that Avro writes is made beforehand, so its"
                        + " making costs Avro nothing here.");
    }

    private static Samples samples(Collection<RunResult> results, String method) {
        Samples samples = new Samples();
        for (RunResult result : results) {
            if (result.getParams().getBenchmark().endsWith("." + method)) {
                result.getBenchmarkResults()
                        .forEach(fork -> fork.getIterationResults()
                                .forEach(iteration ->
                                        samples.add(iteration.getPrimaryResult().getScore())));
            }
        }
        return samples;
    }
}
