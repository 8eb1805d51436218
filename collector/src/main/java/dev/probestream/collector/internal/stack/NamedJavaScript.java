package dev.probestream.collector.internal.stack;

import dev.probestream.schema.record.Frame;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The named JavaScript frames of a stack, and where they belong among its user addresses. A frame whose pc is one of the
 * addresses stands in its place. The pc of the innermost frame may be unknown: it then stands before the caller that the
 * kernel found. Frames that the kernel's stack does not reach, because C++ has no frame pointers or the stack is deeper
 * than what is recorded, stand behind its last address. Async callers have no address; see {@link #asyncCallers}.
 */
final class NamedJavaScript {
    static final NamedJavaScript NONE = new NamedJavaScript(0);

    /** Of each user address the named frames that stand in its place; empty = the address is named as others are. */
    private final List<List<Frame>> inPlace;
    /** The frames without an address, which follow after {@link #followedAddress}. */
    private List<Frame> following = List.of();

    private int followedAddress = -1;
    private final List<List<Frame>> beyond = new ArrayList<>();
    private final List<Frame> asyncCallers = new ArrayList<>();

    private NamedJavaScript(int userFrames) {
        this.inPlace = new ArrayList<>(Collections.nCopies(userFrames, List.of()));
    }

    /**
     * @param userAddresses leaf first
     * @param names as of {@link JavaScriptNames#named}
     */
    static NamedJavaScript placed(long[] userAddresses, JavaScriptEntries entries, JavaScriptNames.Named names) {
        if (names.isNothing()) {
            return NONE;
        }
        NamedJavaScript placed = new NamedJavaScript(userAddresses.length);
        placed.inPlace.set(0, names.leaf());
        int next = 0;
        for (int entry = 0; entry < entries.count(); entry++) {
            List<Frame> frames = names.frames().get(entry);
            if (entries.isAsync(entry)) {
                placed.asyncCallers.addAll(frames);
            } else if (entries.pc(entry) == 0) {
                placed.following = frames;
                placed.followedAddress = next;
            } else {
                int at = indexOf(userAddresses, entries.pc(entry), next);
                if (at >= 0) {
                    placed.inPlace.set(at, frames);
                    next = at + 1;
                } else {
                    next = userAddresses.length;
                    placed.beyond.add(frames);
                }
            }
        }
        return placed;
    }

    private static int indexOf(long[] addresses, long address, int from) {
        for (int i = from; i < addresses.length; i++) {
            if (addresses[i] == address) {
                return i;
            }
        }
        return -1;
    }

    /** The frames in place of a user address; empty = it is named as other addresses are. */
    List<Frame> inPlaceOf(int userFrame) {
        return userFrame < inPlace.size() ? inPlace.get(userFrame) : List.of();
    }

    /** The frames without an address that stand after a user address. */
    List<Frame> after(int userFrame) {
        return userFrame == followedAddress ? following : List.of();
    }

    /** Of each JavaScript frame that the user addresses do not reach its frames; the innermost first. */
    List<List<Frame>> beyond() {
        return beyond;
    }

    /** The functions that await what this stack does, innermost first. They stand before the frame that runs microtasks. */
    List<Frame> asyncCallers() {
        return asyncCallers;
    }

    /** A hash of the stack in which named functions count by what they are, not by where their code lies at the time. */
    long hash(long seed, long[] userAddresses) {
        long hash = seed;
        for (int i = 0; i < userAddresses.length; i++) {
            List<Frame> named = inPlaceOf(i);
            hash = named.isEmpty() ? StackHash.with(hash, userAddresses[i]) : with(hash, named);
            hash = with(hash, after(i));
        }
        for (List<Frame> frames : beyond) {
            hash = with(hash, frames);
        }
        return with(hash, asyncCallers);
    }

    private static long with(long seed, List<Frame> frames) {
        long hash = seed;
        for (Frame frame : frames) {
            hash = StackHash.with(with(with(hash, frame.getSymbol()), frame.getFile()), frame.getLine());
            hash = StackHash.with(StackHash.with(hash, frame.getColumn()), frame.getCallLine());
            hash = StackHash.with(hash, frame.getCallColumn() << 1 | (frame.getIsInlined() ? 1 : 0));
        }
        return hash;
    }

    private static long with(long seed, String text) {
        long hash = StackHash.with(seed, text.length());
        for (int i = 0; i < text.length(); i++) {
            hash = StackHash.with(hash, text.charAt(i));
        }
        return hash;
    }
}
