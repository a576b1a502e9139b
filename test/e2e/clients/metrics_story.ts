/**
 * What each of the shops counts, in two rounds with an export after each, and whether the query API answers just that:
 * - the counter `shop.orders`: 3, then 4 paid by `payment=card`, and 2 by `payment=cash`
 * - the gauge `shop.queue.length`: 9, then 4
 * - the histogram `shop.checkout.duration` in seconds: 0.02, 0.2, 0.7, then 1.4 and 3.2
 */
import assert from "node:assert/strict";
import { createApiToken } from "@/lib/accounts/api_tokens.ts";
import { findUserByEmail } from "@/lib/accounts/users.ts";
import { api } from "../../support/api_client.ts";
import type { ListeningApp } from "../../support/listening_app.ts";
import { waitFor } from "../../support/wait_for.ts";

/** What of the answer of the query API is looked at here. */
export interface MetricAnswer {
  readonly times: readonly number[];
  readonly series: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly values: readonly (number | null)[];
    readonly last: number | null;
    readonly max: number | null;
  }[];
  readonly queries: readonly { readonly kind: string | null; readonly unit: string }[];
}

export type AskMetrics = (params: Readonly<Record<string, string>>) => Promise<MetricAnswer>;

/** Asks the query API of a project as a script of its owner does; over the last hour unless told otherwise. */
export async function askMetrics(
  { services: { kv }, organization, url, projectId }: ListeningApp,
): Promise<AskMetrics> {
  const owner = await findUserByEmail(kv, "olga@example.com");
  assert.ok(owner);
  const { token } = await createApiToken(kv, {
    organizationId: organization.id,
    userId: owner.id,
    name: "Numbers",
    scopes: ["project:read"],
  });
  const path = `/projects/${organization.slug}/${projectId}/metrics/query/`;
  return (params) =>
    api<MetricAnswer>(url, token, `${path}?${new URLSearchParams({ step: "1h", ...params })}`);
}

/** All that happened, whichever hour it was in; null where there is nothing. */
export function totalOf(answer: MetricAnswer, labels: Readonly<Record<string, string>> = {}) {
  const series = answer.series.find((each) =>
    Object.entries(labels).every(([label, value]) => each.labels[label] === value)
  );
  const values = series?.values.filter((value) => value !== null) ?? [];
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
}

/**
 * Waits until what was counted is answered.
 *
 * @param scope what the shop says of itself, as parameters of the query
 */
export async function isAnswered(
  ask: AskMetrics,
  scope: Readonly<Record<string, string>>,
): Promise<void> {
  const orders = { ...scope, metric: "shop.orders", aggregation: "increase", groupBy: "payment" };
  const answer = await waitFor("all nine orders", async () => {
    const found = await ask(orders);
    const card = totalOf(found, { payment: "card" }) ?? 0;
    const cash = totalOf(found, { payment: "cash" }) ?? 0;
    return card + cash >= 9 ? found : null;
  });
  assert.equal(totalOf(answer, { payment: "card" }), 7);
  assert.equal(totalOf(answer, { payment: "cash" }), 2);
  assert.equal(answer.queries[0]?.kind, "counter");

  const queue = { ...scope, metric: "shop.queue.length", aggregation: "last" };
  const length = await waitFor("the last length of the queue", async () => {
    const found = await ask(queue);
    return found.series[0]?.last === 4 ? found : null;
  });
  assert.equal(length.queries[0]?.kind, "gauge");
  const [longest] = (await ask({ ...queue, aggregation: "max" })).series;
  assert.equal(longest?.max, 9);

  const checkout = { ...scope, metric: "shop.checkout.duration" };
  await waitFor(
    "all five durations",
    async () => totalOf(await ask({ ...checkout, aggregation: "increase" })) === 5 || null,
  );
  const sum = await ask({ ...checkout, aggregation: "sum" });
  assert.ok(Math.abs((totalOf(sum) ?? NaN) - 5.52) < 0.06, `they sum up to ${totalOf(sum)}`);
  assert.deepEqual([sum.queries[0]?.kind, sum.queries[0]?.unit], ["histogram", "s"]);
  const [median] = (await ask({ ...checkout, aggregation: "p50" })).series;
  const p50 = median?.values.findLast((value) => value !== null) ?? NaN;
  assert.ok(p50 > 0.5 && p50 <= 1, `the median is ${p50}`);
}
