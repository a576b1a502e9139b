import assert from "node:assert/strict";
import type { Project } from "@/lib/accounts/projects.ts";
import { loadExplore } from "@/lib/metrics/explore/load_explore.ts";
import { loadQueryForm } from "@/lib/metrics/query_form/load_query_form.ts";
import { loadPageScope } from "@/lib/releases/request_scope.ts";
import type { Sql } from "@/lib/store/database.ts";
import { explicitBuckets, histogramSeries } from "@/test/support/metric_series.ts";
import { metricStore, PROJECT } from "@/test/support/metric_store.ts";

const MINUTE = 60_000;
const NOW = Math.floor(Date.now() / MINUTE) * MINUTE;

const SHOP: Project = {
  id: PROJECT,
  organizationId: "acme",
  slug: "shop",
  name: "Shop",
  platform: "node",
  createdAt: new Date(),
  firstEventAt: null,
};

Deno.test("three quantiles of a metric take as many statements as one", async () => {
  await using store = await metricStore();
  await store.store(
    histogramSeries("latency", { host: "a" }, [
      [NOW - 3 * MINUTE, explicitBuckets([1, 10], [4, 4, 2])],
      [NOW - 2 * MINUTE, explicitBuckets([1, 10], [8, 8, 4])],
    ]),
  );
  let statements = 0;
  const sql = new Proxy(store.sql, {
    apply(target, self, given) {
      // Fragments and lists of columns are no statements.
      if (/^\s*(select|with)\b/.test(given[0]?.raw?.[0] ?? "")) statements++;
      return Reflect.apply(target, self, given);
    },
  }) as Sql;
  const pageScope = await loadPageScope(store.sql, SHOP, new URLSearchParams("range=1h"));
  const explore = async (...quantiles: string[]) => {
    const query = quantiles.flatMap((quantile, place) => {
      const id = "abc"[place];
      return [`${id}.metric=latency`, `${id}.agg=${quantile}`];
    });
    const form = await loadQueryForm(store.sql, PROJECT, new URLSearchParams(query.join("&")));
    const before = statements;
    const { result } = await loadExplore({ ...store.services, sql }, pageScope, form);
    return { statements: statements - before, series: result?.series ?? [] };
  };
  // What is remembered of the catalog is so already.
  await explore("p50");

  const one = await explore("p50");
  const three = await explore("p50", "p95", "p99");

  assert.equal(three.series.length, 3);
  assert.deepEqual(three.series[0]?.values, one.series[0]?.values);
  assert.equal(three.statements, one.statements);
});
