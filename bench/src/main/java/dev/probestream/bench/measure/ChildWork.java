package dev.probestream.bench.measure;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What a {@link ChildJvm} does again and again. */
@FunctionalInterface
public interface ChildWork {
    /** Does it once, as a line of its input asks. */
    WorkTime turn(String line) throws Exception;

    /** Answers each line of the input until that ends. */
    static void serve(ChildWork work) throws Exception {
        PrintStream answers = System.out; // a work may put another in its place meanwhile
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        @Nullable String line;
        while ((line = questions.readLine()) != null) {
            answers.println(work.turn(line));
        }
    }
}
