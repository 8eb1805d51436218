package dev.probestream.convert.request.origin;

import dev.probestream.schema.FrameText;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import java.util.List;
import java.util.Set;

/**
 * The JavaScript function that asked for something, by the stack of the hit: the innermost function of the application, if there is
 * one; else the innermost function of a package, leaving out the package that talks to Node (a client such as pg).
 *
 * @param function "fetchPrice (lib/feed.js:12)", "(anonymous) (chatty/index.js:7)": with the line where it begins, and the end of the
 *     path, which is that in node_modules or the file with its folder
 * @param packageName NAME of node_modules/NAME: of the function, or of the package that the application called; "" = the
 *     application called Node itself
 */
public record Caller(String function, String packageName) {
    /** Nothing is known. */
    public static final Caller UNKNOWN = new Caller("", "");

    /** The library in which Node has its fetch. */
    private static final String UNDICI = "node:internal/deps/undici/undici";

    /** Functions of Node that call back what was put off, or has been waited for. */
    private static final Set<String> LATER = Set.of("processTicksAndRejections", "processImmediate", "onStreamRead");

    /** V8's own, below which functions go on from an await: they have no other caller. */
    private static final String MICROTASKS = "RunMicrotasks";

    private static final String MODULES = "node_modules/";

    /** {@link #UNKNOWN} if the stack has no such function, or one without a name stands before it. */
    public static Caller of(List<Frame> leafFirst) {
        String client = null;
        Frame ofPackage = null;
        for (Frame frame : leafFirst) {
            if (frame.getKind() != FrameKind.JS || frame.getFile().startsWith("node:")) {
                continue;
            }
            if (frame.getFile().isEmpty()) {
                return UNKNOWN;
            }
            String name = packageOf(frame.getFile());
            if (name.isEmpty()) {
                return new Caller(text(frame), client == null ? "" : client);
            }
            if (client == null) {
                client = name;
                ofPackage = frame;
            } else if (ofPackage != null && isOf(client, packageOf(ofPackage.getFile())) && !isOf(client, name)) {
                ofPackage = frame;
            }
        }
        return ofPackage == null ? UNKNOWN : new Caller(text(ofPackage), packageOf(ofPackage.getFile()));
    }

    /**
     * Whether a client runs by itself from the queue of ticks or of immediates, or because something was read: who asked for what it does
     * then, as of a pool of connections, did so earlier. Packages between its functions may be its own.
     */
    static boolean isLater(List<Frame> leafFirst) {
        String client = null;
        String outermostPackage = "";
        String outermost = "";
        for (Frame frame : leafFirst) {
            if (frame.getKind() == FrameKind.JS) {
                outermost = frame.getSymbol();
                if (!frame.getFile().startsWith("node:")) {
                    outermostPackage = packageOf(frame.getFile());
                    client = client == null ? outermostPackage : client;
                    if (outermostPackage.isEmpty()) {
                        return false;
                    }
                }
            } else if (frame.getSymbol().equals(MICROTASKS)) {
                return false;
            }
        }
        return client != null && isOf(client, outermostPackage) && LATER.contains(outermost);
    }

    /** Whether it is Node's own fetch that does it: no other function of JavaScript is nearer, but those of Node. */
    static boolean isOfFetch(List<Frame> leafFirst) {
        for (Frame frame : leafFirst) {
            if (frame.getKind() == FrameKind.JS
                    && (isUndici(frame) || !frame.getFile().startsWith("node:"))) {
                return isUndici(frame);
            }
        }
        return false;
    }

    /** Of a stack that {@linkplain #isOfFetch is of fetch}: who called it. */
    static Caller ofFetch(List<Frame> leafFirst) {
        boolean isCall = false;
        for (Frame frame : leafFirst) {
            if (frame.getKind() == FrameKind.JS && !frame.getFile().startsWith("node:")) {
                return isCall && !frame.getIsAsync() ? of(leafFirst) : UNKNOWN;
            }
            isCall |= frame.getKind() == FrameKind.JS && frame.getSymbol().equals("fetch");
        }
        return UNKNOWN;
    }

    private static boolean isUndici(Frame frame) {
        return frame.getFile().equals(UNDICI);
    }

    /** Whether a package is the client, or a part of it, as pg-pool is of pg. */
    private static boolean isOf(String client, String name) {
        return name.equals(client) || name.startsWith(client + "-") || client.startsWith(name + "-");
    }

    /** "" = of the application. */
    private static String packageOf(String file) {
        int modules = modules(file);
        if (modules < 0) {
            return "";
        }
        String path = file.substring(modules + MODULES.length());
        int first = path.indexOf('/');
        int end = path.startsWith("@") && first >= 0 ? path.indexOf('/', first + 1) : first;
        return end < 0 ? path : path.substring(0, end);
    }

    private static int modules(String file) {
        int within = file.lastIndexOf("/" + MODULES);
        return within >= 0 ? within + 1 : file.startsWith(MODULES) ? 0 : -1;
    }

    private static String text(Frame frame) {
        String place = FrameText.functionPlace(frame);
        int modules = modules(place);
        return FrameText.symbol(frame) + " ("
                + (modules < 0 ? withFolder(place) : place.substring(modules + MODULES.length())) + ")";
    }

    /** The file and the folder that it is in. */
    private static String withFolder(String place) {
        int file = place.lastIndexOf('/');
        int folder = file <= 0 ? -1 : place.lastIndexOf('/', file - 1);
        return place.substring(folder < 0 ? file == 0 ? 1 : 0 : folder + 1);
    }
}
