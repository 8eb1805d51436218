package dev.probestream.convert.merge;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The order in which files are joined. Node begins another file now and then ({@code node_trace.${rotation}.log}, counted
 * from 1), and a shell sorts their names as text, 10 before 2.
 */
final class RotatedFiles {
    private static final Pattern NAME = Pattern.compile("(.*?\\D|)(\\d{1,9})(\\.(?:log|json)(?:\\.gz)?)");

    private RotatedFiles() {}

    /** Files of one name but for its last number stand together, where the first of them stood, by that number. */
    static List<Path> inOrder(List<Path> files) {
        Map<String, List<Numbered>> series = new LinkedHashMap<>();
        for (Path file : files) {
            Numbered numbered = number(file);
            series.computeIfAbsent(numbered.series, name -> new ArrayList<>()).add(numbered);
        }
        List<Path> ordered = new ArrayList<>();
        for (List<Numbered> rotated : series.values()) {
            rotated.sort(Comparator.comparingInt(Numbered::number));
            rotated.forEach(numbered -> ordered.add(numbered.file));
        }
        return ordered;
    }

    private static Numbered number(Path file) {
        Matcher name = NAME.matcher(file.toString());
        return name.matches()
                ? new Numbered(file, name.group(1) + '\0' + name.group(3), Integer.parseInt(name.group(2)))
                : new Numbered(file, file.toString(), 0);
    }

    private record Numbered(Path file, String series, int number) {}
}
