package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.report.Finding.Evidence;

/** Links from findings to the sections that show them. */
public final class EvidenceLinks {
    public static final Evidence ENDS = new Evidence("how processes ended", EndsChapter.ID);
    public static final Evidence REQUESTS = new Evidence("requests", RequestsChapter.ID);
    public static final Evidence SLOW_REQUESTS = new Evidence("slowest requests", SlowRequestsChapter.ID);
    public static final Evidence LOOP = new Evidence("event loop", LoopChapter.ID);
    public static final Evidence CPU = new Evidence("CPU samples", CpuChapter.ID);
    public static final Evidence WAITING = new Evidence("waiting", WaitingChapter.ID);
    public static final Evidence POOL = new Evidence("thread pool", PoolChapter.ID);
    public static final Evidence FILES = new Evidence("files", FilesChapter.ID);
    public static final Evidence DNS = new Evidence("names looked up", DnsChapter.ID);
    public static final Evidence GC = new Evidence("garbage collector", GcChapter.ID);
    public static final Evidence CONNECTIONS = new Evidence("connections", ConnectionsChapter.ID);
    public static final Evidence OUTGOING = new Evidence("outgoing", OutgoingChapter.ID);
    public static final Evidence PROCESS = new Evidence("process", ProcessChapter.ID);
    public static final Evidence ERRORS = new Evidence("errors", ErrorsChapter.ID);
    public static final Evidence RECORDED = new Evidence("what was recorded", LossesChapter.ID);

    private EvidenceLinks() {}
}
