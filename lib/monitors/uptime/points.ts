/** Checks as data points, for the explorer, dashboards and alerts. */
import { createHash } from "node:crypto";
import type { Label, Metric, MetricBatch, MetricSeries } from "../../records/mod.ts";
import type { ProbeResult } from "../probes/probe.ts";
import { daysUntil, type Monitor } from "./monitor.ts";

const UP: Metric = {
  name: "uptime.up",
  kind: "gauge",
  unit: "1",
  description: "Whether a check of an uptime monitor succeeded: 1 or 0",
};
const DURATION: Metric = {
  name: "uptime.duration",
  kind: "gauge",
  unit: "ms",
  description: "How long a check of an uptime monitor took, by phase",
};
const CERTIFICATE_DAYS: Metric = {
  name: "uptime.certificate_days",
  kind: "gauge",
  unit: "d",
  description: "Days that the certificate of an uptime monitor is valid still",
};
const DOMAIN_DAYS: Metric = {
  name: "uptime.domain_days",
  kind: "gauge",
  unit: "d",
  description: "Days that the domain of an uptime monitor is registered still",
};

/** The points of one check; the same again for the same due time. */
export function pointsOf(
  { monitorId, name, domainEndsAt }: Pick<Monitor, "monitorId" | "name" | "domainEndsAt">,
  dueAt: Date,
  { state, at, durationMs, phases, certificate }: ProbeResult,
): MetricBatch {
  const point = (metric: Metric, value: number, phase: string | null = null): MetricSeries => ({
    shape: "number",
    metric,
    temporality: "level",
    labels: [
      ["monitor", name],
      ["monitor.id", monitorId],
      ...phase === null ? [] : [["phase", phase] satisfies Label],
    ],
    exemplars: [],
    points: [{ timeMs: at.getTime(), startMs: 0, value }],
  });
  const phaseNames = {
    dns: phases.dns,
    connect: phases.connect,
    tls: phases.tls,
    first_byte: phases.firstByte,
    download: phases.download,
    // How long a failure took says nothing about how fast the target is.
    total: state === "down" ? null : durationMs,
  };
  const series = [
    point(UP, state === "down" ? 0 : 1),
    ...Object.entries(phaseNames).flatMap(([phase, ms]) =>
      ms === null ? [] : [point(DURATION, ms, phase)]
    ),
    ...certificate === null ? [] : [point(CERTIFICATE_DAYS, certificate.daysLeft)],
    ...domainEndsAt === null ? [] : [point(DOMAIN_DAYS, daysUntil(domainEndsAt, at))],
  ];
  return {
    kind: "metrics",
    batchId: createHash("md5").update(`${monitorId} ${dueAt.toISOString()}`).digest("hex"),
    timestamp: at,
    receivedAt: at,
    series,
    pointCount: series.length,
  };
}
