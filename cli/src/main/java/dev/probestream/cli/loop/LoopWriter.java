package dev.probestream.cli.loop;

import dev.probestream.cli.live.LineBuffer;

/** Makes lines of what the loops did. */
interface LoopWriter {
    /** What stands before the first slow turn. */
    void slowHeader(LineBuffer out);

    /** @param comm the name of its thread */
    void slow(LoopTurn turn, String comm, LineBuffer out);

    /** @param isWhole whether the table is about everything since the start */
    void table(LoopTable table, boolean isWhole, LineBuffer out);
}
