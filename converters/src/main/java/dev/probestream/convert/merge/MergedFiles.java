package dev.probestream.convert.merge;

import dev.probestream.convert.chrome.ChromeWriter;
import dev.probestream.convert.intake.Window;
import dev.probestream.convert.merge.json.JsonEvent;
import dev.probestream.convert.merge.json.JsonFirstPass;
import dev.probestream.convert.merge.json.JsonToChrome;
import dev.probestream.convert.merge.json.JsonToPerfetto;
import dev.probestream.convert.merge.json.JsonTrace;
import dev.probestream.convert.merge.packet.PacketFirstPass;
import dev.probestream.convert.merge.packet.PacketTracks;
import dev.probestream.convert.merge.packet.PacketsToChrome;
import dev.probestream.convert.merge.packet.PacketsToPerfetto;
import dev.probestream.convert.merge.packet.PerfettoTrace;
import dev.probestream.convert.merge.track.EventSelection;
import dev.probestream.convert.merge.track.MergeFormatException;
import dev.probestream.convert.merge.track.MergedPackets;
import dev.probestream.convert.merge.track.MergedTaskNames;
import dev.probestream.convert.merge.track.MergedTracks;
import dev.probestream.convert.merge.track.TraceKind;
import dev.probestream.convert.perfetto.PerfettoWriter;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.schema.perfetto.TracePacket;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The trace files of a conversion that are to be merged: read once when this is made, and again by each {@code writeTo}.
 *
 * <p>Their times are taken to be CLOCK_MONOTONIC of the boot of the first capture; if they do not touch that capture at
 * all, a warning is given.
 */
public final class MergedFiles {
    private static final double NS_PER_SECOND = 1e9;

    private final Timeline timeline;
    private final EventSelection selection;
    private final MergedTaskNames names = new MergedTaskNames();
    private final List<MergedFile> files = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final List<String> beyondChrome = new ArrayList<>();
    private long events;

    private MergedFiles(Timeline timeline, Window window) {
        this.timeline = timeline;
        this.selection = new EventSelection(window);
    }

    /**
     * Reads the files for the first time.
     *
     * @param files in any order; those of one rotation are put in theirs
     * @param window what of them is selected, on the trace's clock
     * @throws MergeFormatException when one is not a trace, or is damaged before its end
     * @throws IOException when one cannot be read
     */
    public static MergedFiles firstPass(List<Path> files, Timeline timeline, Window window) throws IOException {
        MergedFiles merged = new MergedFiles(timeline, window);
        for (Path file : RotatedFiles.inOrder(files)) {
            merged.firstPass(file);
        }
        merged.selection.complete();
        merged.compareTimes();
        return merged;
    }

    private void firstPass(Path file) throws IOException {
        TraceKind kind = TraceKind.of(file);
        files.add(
                switch (kind) {
                    case JSON -> firstPassOfJson(file);
                    case PERFETTO -> firstPassOfPackets(file);
                });
    }

    private MergedFile firstPassOfJson(Path file) throws IOException {
        JsonFirstPass pass = new JsonFirstPass(selection, names);
        JsonTrace.Extent extent = JsonTrace.read(file, Long.MAX_VALUE, pass::event);
        if (extent.isCut()) {
            warnings.add(cutOff(file, extent.sizeBytes(), extent.events() + " whole events"));
        }
        if (extent.nonEvents() > 0) {
            warnings.add(file + " has " + extent.nonEvents()
                    + " elements in its list of events that are not objects; they were left out");
        }
        List<String> others = extent.otherMembers();
        if (!others.isEmpty()) {
            warnings.add(file + " has members other than events, which were left out: " + String.join(", ", others));
        }
        events += extent.events();
        return new MergedFile(file, TraceKind.JSON, extent.events(), new PacketTracks());
    }

    private MergedFile firstPassOfPackets(Path file) throws IOException {
        PacketFirstPass pass = new PacketFirstPass(files.size(), timeline, selection, names);
        PerfettoTrace.Extent extent = PerfettoTrace.read(file, Long.MAX_VALUE, pass::packet);
        if (extent.isCut()) {
            warnings.add(cutOff(file, extent.sizeBytes(), extent.packets() + " whole packets"));
        }
        if (pass.untimed() > 0) {
            warnings.add(file + " has " + pass.untimed()
                    + " packets whose time is of a clock without a clock snapshot; they were left out");
        }
        if (pass.others() > 0) {
            beyondChrome.add(file + " has " + pass.others() + " packets that are not track events (samples, or the"
                    + " kernel's events); Chrome's format cannot hold them, a .pftrace can");
        }
        events += pass.events();
        return new MergedFile(file, TraceKind.PERFETTO, extent.packets(), pass.tracks());
    }

    private static String cutOff(Path file, long sizeBytes, String kept) {
        return file + " was cut off after " + sizeBytes + " bytes, or is still being written: its " + kept
                + " were merged";
    }

    private void compareTimes() {
        if (!selection.hasTimes() || timeline.captures().isEmpty()) {
            return;
        }
        boolean touches = selection.firstNs() <= timeline.endNs() && selection.lastNs() >= timeline.startNs();
        if (!touches) {
            warnings.add("the merged events (" + seconds(selection.firstNs()) + " to " + seconds(selection.lastNs())
                    + " s after the boot) and the recording (" + seconds(timeline.startNs()) + " to "
                    + seconds(timeline.endNs())
                    + " s) do not overlap: are they of another boot, or of another machine?");
        }
    }

    private static String seconds(long ns) {
        return String.format(Locale.ROOT, "%.3f", ns / NS_PER_SECOND);
    }

    /**
     * What a person should know, one sentence each.
     *
     * @param isChrome whether they are merged into a Chrome trace
     */
    public List<String> warnings(boolean isChrome) {
        List<String> all = new ArrayList<>();
        if (!files.isEmpty()) {
            all.add("merged " + events + " events of "
                    + (files.size() == 1 ? files.get(0).file() : files.size() + " files") + outside());
        }
        all.addAll(warnings);
        if (isChrome) {
            all.addAll(beyondChrome);
        }
        return all;
    }

    private String outside() {
        return selection.excluded() == 0 ? "" : ", but for " + selection.excluded() + " outside the time range";
    }

    /** Adds the selected events; {@code writer} must have been started and not finished. */
    public void writeTo(ChromeWriter writer) throws IOException {
        JsonToChrome json = new JsonToChrome(writer);
        PacketsToChrome packets = new PacketsToChrome(json, timeline);
        selection.rewind();
        for (int i = 0; i < files.size(); i++) {
            MergedFile file = files.get(i);
            switch (file.kind()) {
                case JSON -> readJson(file, json::event);
                case PERFETTO -> {
                    packets.begin(i, file.tracks(), timeline);
                    readPackets(file, packets::packet);
                }
            }
        }
    }

    /** As above. */
    public void writeTo(PerfettoWriter writer) throws IOException {
        MergedPackets merged = new MergedPackets(writer, timeline.startNs());
        MergedTracks tracks = new MergedTracks(writer, merged, names);
        JsonToPerfetto json = new JsonToPerfetto(merged, tracks, timeline.startNs());
        PacketsToPerfetto packets = new PacketsToPerfetto(writer, tracks, timeline);
        selection.rewind();
        for (int i = 0; i < files.size(); i++) {
            MergedFile file = files.get(i);
            switch (file.kind()) {
                case JSON -> readJson(file, json::event);
                case PERFETTO -> {
                    packets.begin(i, timeline);
                    readPackets(file, packets::packet);
                }
            }
        }
        json.finish();
    }

    private void readJson(MergedFile file, EventWriter writer) throws IOException {
        if (file.elements() == 0) {
            return;
        }
        JsonTrace.read(file.file(), file.elements(), members -> {
            if (selection.nextIsSelected()) {
                writer.event(new JsonEvent(members));
            }
        });
    }

    private void readPackets(MergedFile file, PacketWriter writer) throws IOException {
        PerfettoTrace.read(file.file(), file.elements(), packet -> writer.packet(packet, selection.nextIsSelected()));
    }

    private interface EventWriter {
        void event(JsonEvent event) throws IOException;
    }

    private interface PacketWriter {
        void packet(TracePacket packet, boolean isSelected) throws IOException;
    }

    /**
     * A file that was read once.
     *
     * @param elements as many events or packets as it had then; a file that is still written may have more
     * @param tracks those of Perfetto's; empty for JSON
     */
    private record MergedFile(Path file, TraceKind kind, long elements, PacketTracks tracks) {}
}
