import assert from "node:assert/strict";
import { ucumUnit, unitInName } from "@/lib/formats/metrics/units.ts";

Deno.test("units in words become UCUM's, UCUM stays, and other words are annotations", () => {
  const units: Record<string, string> = {
    millisecond: "ms",
    seconds: "s",
    Bytes: "By",
    mebibyte: "MiBy",
    percent: "%",
    ratio: "1",
    celsius: "Cel",
    hertz: "Hz",
    none: "",
    "": "",
    ms: "ms",
    s: "s",
    By: "By",
    "1": "1",
    "{request}": "{request}",
    "By/s": "By/s",
    request: "{request}",
    constructor: "{constructor}",
  };
  for (const [unit, expected] of Object.entries(units)) {
    assert.equal(ucumUnit(unit), expected, unit);
  }
});

Deno.test("Prometheus' names end in their unit", () => {
  assert.equal(unitInName("http_request_duration_seconds"), "s");
  assert.equal(unitInName("process_resident_memory_bytes"), "By");
  assert.equal(unitInName("up"), "");
  assert.equal(unitInName("seconds"), "");
});
