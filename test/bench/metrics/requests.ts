/** Requests of many series, in OTLP's JSON form. */
import { attributes, metrics, nanosAt, RECEIVED_AT } from "../../lib/formats/otlp/otlp_samples.ts";
import type { SeriesForm } from "../../lib/formats/prometheus/to_protobuf.ts";

/** Points of one request, each of a series of its own. */
export const MANY_POINTS = 5_000;

/** @param index of the series */
function labelsOf(index: number) {
  return attributes({
    "http.request.method": index % 2 === 0 ? "GET" : "POST",
    "http.route": `/api/things/${Math.floor(index / 8)}/:id`,
    "http.response.status_code": 200 + index % 4,
  });
}

/** Cumulative counters. @param atMs of the points, after the sample time's beginning */
export function manyNumbers(atMs = 0): Record<string, unknown> {
  return metrics([{
    name: "http.server.requests",
    unit: "{request}",
    sum: {
      aggregationTemporality: 2,
      isMonotonic: true,
      dataPoints: Array.from({ length: MANY_POINTS }, (_, index) => ({
        startTimeUnixNano: nanosAt(-60_000),
        timeUnixNano: nanosAt(atMs),
        asInt: String(index * 17 + atMs),
        attributes: labelsOf(index),
      })),
    },
  }]);
}

const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Cumulative histograms of 15 buckets. */
export function manyHistograms(atMs = 0): Record<string, unknown> {
  return metrics([{
    name: "http.server.request.duration",
    unit: "s",
    histogram: {
      aggregationTemporality: 2,
      dataPoints: Array.from({ length: MANY_POINTS }, (_, index) => {
        const bucketCounts = Array.from({ length: BOUNDS.length + 1 }, (_, at) => index % (at + 3));
        return {
          startTimeUnixNano: nanosAt(-60_000),
          timeUnixNano: nanosAt(atMs),
          count: String(bucketCounts.reduce((sum, count) => sum + count, 0)),
          sum: index * 0.37,
          bucketCounts: bucketCounts.map(String),
          explicitBounds: BOUNDS,
          attributes: labelsOf(index),
        };
      }),
    },
  }]);
}

/** Counters as Prometheus has them. */
export function manyScraped(): SeriesForm[] {
  return Array.from({ length: MANY_POINTS }, (_, index) => ({
    labels: {
      __name__: "http_requests_total",
      instance: "10.0.0.1:9090",
      job: "shop",
      method: index % 2 === 0 ? "GET" : "POST",
      route: `/api/things/${Math.floor(index / 8)}/:id`,
      status: String(200 + index % 4),
    },
    samples: [{ value: index * 17, timeMs: RECEIVED_AT.getTime() - 1_000 }],
    metadata: { type: 1 },
  }));
}
