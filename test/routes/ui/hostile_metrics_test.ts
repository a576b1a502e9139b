/** Names, labels and addresses that somebody has thought about. */
import assert from "node:assert/strict";
import { dashboardSite } from "../../support/dashboard_site.ts";
import { gaugeSeries } from "../../support/metric_series.ts";

const MARKUP = "</script><img src=x onerror=alert(1)>";
const NAMES = [MARKUP, "__proto__", "constructor", "toString"];
const LABELS = { ["__proto__"]: MARKUP, constructor: "a", hasOwnProperty: "b", "a,b": "\u202e" };

function nastySeries() {
  const now = Date.now();
  return NAMES.map((name, place) =>
    gaugeSeries(
      name,
      LABELS,
      [[now - 120_000, 1e308], [now - 60_000, place === 0 ? 1e308 : -1e308]],
      MARKUP.slice(0, 60),
    )
  );
}

const LABEL_LIST = Array.from({ length: 50 }, (_, place) => `l${place}`).join(",");

/** Parameters of an exploration beside its metric. */
const QUERIES = [
  "a.agg=sum",
  "a.aggregation=sum&a.by=__proto__&a.by=constructor&a.groupBy=__proto__",
  `a.groupBy=${LABEL_LIST}&a.by=${LABEL_LIST}`,
  `a.filter=${encodeURIComponent(`__proto__="${MARKUP}"`)}`,
  `a.filter=${encodeURIComponent('x=~"((((a{1,99}){1,9}"')}`,
  `a.filter=${"(".repeat(3_000)}`,
  `f1.expression=${"(".repeat(400)}a&f1=${"(".repeat(400)}a`,
  `f1.expression=${"-".repeat(400)}a&f1=a/0*1e308*1e308`,
  "a.top=1e9&a.top=-1&step=0&step=1e99",
  "step=1&range=30d",
  "start=0000-01-01T00:00:00Z&end=9999-12-31T23:59:59Z",
  "start=9999-12-31T23:59:59Z&end=0000-01-01T00:00:00Z",
  "start=-271821-04-20T00:00:00Z&end=%2B275760-09-13T00:00:00Z&step=86400",
  "range=99999999999999d&view=heatmap",
  "view=__proto__&hidden=__proto__&compare=1",
  ...["line", "bars", "table", "value", "heatmap"].map((view) => `view=${view}&a.by=__proto__`),
];

Deno.test("whatever names, labels and addresses say, pages of metrics show it as text", async () => {
  await using site = await dashboardSite(...nastySeries());
  const project = `/projects/${site.projectId}`;
  const paths = [
    `${project}/metrics`,
    `${project}/metrics?query=${encodeURIComponent("%_\\*".repeat(60))}&kind=__proto__&cursor=x`,
    `${project}/alerts/new?source=__proto__&a.metric=__proto__&a.by=__proto__`,
    ...NAMES.flatMap((name) =>
      QUERIES.map((query) =>
        `${project}/metrics/explore?a.metric=${encodeURIComponent(name)}&${query}`
      )
    ),
  ];
  for (const path of paths) {
    const { status, html } = await site.owner.get(path);
    assert.ok(status < 500, `${status} ${path}`);
    // Upstream Fresh has the props of islands in a script, where they are no markup.
    assert.doesNotMatch(html.replaceAll(/<script\b.*?<\/script>/gs, ""), /<img src=x/, path);
  }
  for (const what of ["metric", "label", "value", "aggregation", "__proto__"]) {
    for (const name of NAMES) {
      const query = new URLSearchParams({ what, metric: name, label: "__proto__", prefix: "" });
      const { status } = await site.owner.get(`${project}/metrics/completions?${query}`);
      assert.equal(status, 200, `${what} ${name}`);
    }
  }
});

Deno.test("an import that is a bomb is refused with a sentence", async () => {
  await using site = await dashboardSite();
  const nested = (open: string, close: string) => open.repeat(40_000) + close.repeat(40_000);
  const document = (rest: string) =>
    `{"format":"watchpost-dashboard","version":1,"name":"x","description":"","variables":[],${rest}}`;
  const bombs = [
    nested("[", "]"),
    nested('{"a":', "").replace(/$/, "1") + "}".repeat(40_000),
    document(`"panels":${nested("[", "]")}`),
    document('"panels":[],"__proto__":{"name":"y"}'),
    document('"panels":[{"__proto__":{"kind":"text"},"kind":"__proto__"}]'),
    document(`"panels":[${new Array(2_000).fill("{}").join()}]`),
  ];
  for (const json of bombs) {
    const { status } = await site.owner.post(`${site.base}/new`, [["from", "json"], [
      "json",
      json,
    ]]);
    assert.equal(status, 422, json.slice(0, 160));
  }
  assert.equal(Reflect.get({}, "name"), undefined);
});
