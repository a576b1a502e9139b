import assert from "node:assert/strict";
import { choiceParams, metricsOf, readChoices, withChoices } from "@/lib/dashboards/content.ts";
import { contentOf, metricsPanel, place, query, textPanel } from "./panels.ts";

const VARIABLES = [{ label: "http.route", value: "" }, { label: "host.name", value: "web-1" }];

function filterWith(choices: Record<string, string>, operator: "=" | "!=" | "=~" = "=") {
  const filter = [
    { label: "http.route", operator, value: "$http.route" },
    { label: "host.name", operator: "=", value: "$5" },
  ] as const;
  const panel = metricsPanel({ queries: [query({ filter })] });
  const { queries } = withChoices(panel, new Map(Object.entries(choices)));
  return queries[0]?.filter.map(({ label, operator, value }) => `${label}${operator}${value}`);
}

Deno.test("an address chooses values; what it does not name is as the dashboard has it", () => {
  const choices = readChoices(VARIABLES, new URLSearchParams("var.http.route=/cart&var.other=x"));
  assert.deepEqual([...choices], [["http.route", "/cart"], ["host.name", "web-1"]]);
  const all = readChoices(VARIABLES, new URLSearchParams("var.host.name=*"));
  assert.equal(all.get("host.name"), "");
});

Deno.test("choices are written to the address as they are read, without what is usual", () => {
  const written = choiceParams(VARIABLES, new Map([["http.route", ""], ["host.name", ""]]));
  assert.deepEqual(written, { "var.host.name": "*" });
  const again = readChoices(VARIABLES, new URLSearchParams(written));
  assert.deepEqual([...again.values()], ["", ""]);
});

Deno.test("a filter that names a variable asks for its value, and for nothing when all are chosen", () => {
  assert.deepEqual(filterWith({ "http.route": "/cart" }), ["http.route=/cart", "host.name=$5"]);
  assert.deepEqual(filterWith({ "http.route": "" }), ["host.name=$5"]);
  assert.deepEqual(filterWith({}), ["http.route=$http.route", "host.name=$5"]);
});

Deno.test("a chosen value is no pattern", () => {
  assert.deepEqual(
    filterWith({ "http.route": "/a.b?(c)" }, "=~")?.[0],
    "http.route=~/a\\.b\\?\\(c\\)",
  );
});

Deno.test("a variable offers values of the metrics whose filters name it, else of all", () => {
  const content = contentOf([
    metricsPanel(),
    metricsPanel({ id: "p2", queries: [query({ metric: "jobs", filter: [] })] }),
    textPanel("p3", place(0, 9, 12, 2)),
  ]);
  assert.deepEqual(metricsOf(content, "http.route"), ["http.server.request.duration"]);
  assert.deepEqual(metricsOf(content, "queue"), ["http.server.request.duration", "jobs"]);
});
