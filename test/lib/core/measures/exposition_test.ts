import assert from "node:assert/strict";
import { exposition } from "@/lib/core/measures/exposition.ts";
import { SharedNumbers } from "@/lib/core/measures/numbers.ts";

function families() {
  const numbers = new SharedNumbers();
  const requests = numbers.counter({
    name: "requests",
    help: "Two\nlines.",
    labels: { way: ['a "b"', "c\\d"] },
  });
  const times = numbers.histogram({ name: "seconds", help: "Times.", bounds: [0.5, 1] });
  numbers.open();
  requests.add(3, 'a "b"');
  times.observe(0.7);
  return numbers.read();
}

Deno.test("Prometheus' text format names a counter with its ending, and masks quotes, lines and backslashes", () => {
  const { contentType, text } = exposition(families(), null);
  assert.equal(contentType, "text/plain; version=0.0.4; charset=utf-8");
  assert.equal(
    text,
    [
      "# HELP requests_total Two\\nlines.",
      "# TYPE requests_total counter",
      'requests_total{way="a \\"b\\""} 3',
      'requests_total{way="c\\\\d"} 0',
      "# HELP seconds Times.",
      "# TYPE seconds histogram",
      'seconds_bucket{le="0.5"} 0',
      'seconds_bucket{le="1"} 1',
      'seconds_bucket{le="+Inf"} 1',
      "seconds_sum 0.7",
      "seconds_count 1",
      "",
    ].join("\n"),
  );
});

Deno.test("OpenMetrics names the family without the ending, writes bounds as floats, and says where it ends", () => {
  const accept = "application/openmetrics-text;version=1.0.0,text/plain;q=0.5";
  const { contentType, text } = exposition(families(), accept);
  assert.match(contentType, /^application\/openmetrics-text; version=1\.0\.0/);
  assert.match(text, /^# HELP requests Two/);
  assert.match(text, /# TYPE requests counter\nrequests_total\{/);
  assert.match(text, /seconds_bucket\{le="1\.0"\} 1\n/);
  assert.ok(text.endsWith("\n# EOF\n"));
});
