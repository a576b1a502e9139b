/** Requests of 5,000 series, of which every one brings the next points of the same. */
import { gzipSync } from "node:zlib";
import { compress } from "snappyjs";
import { attributes, metrics } from "../../lib/formats/otlp/otlp_samples.ts";
import { metricsToProtobuf } from "../../lib/formats/otlp/otlp_to_protobuf.ts";
import { toV1 } from "../../lib/formats/prometheus/to_protobuf.ts";
import type { MadeRequest } from "../mixed/requests.ts";

export const SERIES = 5_000;

export const WAYS = {
  otlp: {
    name: "OTLP, protobuf, gzip",
    path: "/v1/metrics",
    /** Of VictoriaMetrics. */
    peerPath: "/opentelemetry/v1/metrics",
    contentType: "application/x-protobuf",
    encoding: "gzip",
  },
  remoteWrite: {
    name: "Prometheus remote write 1.0, snappy",
    path: "/api/v1/write",
    peerPath: "/api/v1/write",
    contentType: "application/x-protobuf",
    encoding: "snappy",
  },
} as const;
export type Way = keyof typeof WAYS;

/** Requests must not repeat a time, and none may lie in the future. */
const start = Date.now() - 30 * 60_000;

/** @param index of the request: its points lie 20 ms after those of the one before */
export function makeRequest(way: Way, index: number): MadeRequest {
  return way === "otlp" ? otlpRequest(index) : remoteWriteRequest(index);
}

function labelsOf(index: number): Record<string, string> {
  return {
    "http.request.method": index % 2 === 0 ? "GET" : "POST",
    "http.route": `/api/things/${Math.floor(index / 8)}/:id`,
    "http.response.status_code": String(200 + Math.floor(index / 2) % 4),
  };
}

function otlpRequest(index: number): MadeRequest {
  const nanos = `${start + index * 20}000000`;
  const request = metrics([{
    name: "http.server.requests",
    unit: "{request}",
    sum: {
      aggregationTemporality: 2,
      isMonotonic: true,
      dataPoints: Array.from({ length: SERIES }, (_, place) => ({
        startTimeUnixNano: `${start - 60_000}000000`,
        timeUnixNano: nanos,
        asInt: String(place * 17 + index),
        attributes: attributes(labelsOf(place)),
      })),
    },
  }]);
  const bytes = metricsToProtobuf(request);
  return { body: gzipSync(bytes), bytes: bytes.length };
}

function remoteWriteRequest(index: number): MadeRequest {
  const timeMs = start + index * 20;
  const bytes = toV1(Array.from({ length: SERIES }, (_, place) => ({
    labels: {
      __name__: "http_server_requests_total",
      instance: "checkout-1:8080",
      job: "checkout",
      ...Object.fromEntries(
        Object.entries(labelsOf(place)).map(([key, value]) => [key.replaceAll(".", "_"), value]),
      ),
    },
    samples: [{ value: place * 17 + index, timeMs }],
  })));
  return { body: compress(bytes), bytes: bytes.length };
}
