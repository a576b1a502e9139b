import assert from "node:assert/strict";
import type { FlameData } from "@/lib/ui/flamegraph/flame_tree.ts";
import { CPU_SAMPLES, type TestSample } from "../../support/pprof.ts";
import { minutesAgo, profiledShop } from "../../support/profiled_shop.ts";
import { textOf } from "../../support/ui_app.ts";

const SLOWER: readonly TestSample[] = [
  { stack: ["main.main", "main.work", "main.hash"], values: [90n, 900_000_000n] },
  { stack: ["main.main", "main.work"], values: [10n, 100_000_000n] },
];

Deno.test("two selections are compared in one graph and side by side, and the address holds both", async () => {
  await using site = await profiledShop();
  await site.upload("service=api&release=1", CPU_SAMPLES, { timeNanos: minutesAgo(90) });
  await site.upload("service=api&release=2", SLOWER, { timeNanos: minutesAgo(30) });
  const read = async (query: string) => await site.owner.get(`${site.profiling}/compare?${query}`);
  const period = await read("range=1h&wait=1");
  assert.match(textOf(period.html), /Profiles One profile\. One profile\. Total 40 ms 1 s/);
  assert.match(textOf(period.html), /Both ends count as wholes/);
  assert.match(period.html, /\+20% main\.hash/);
  const release = await read("range=24h&base=previous-release&wait=1");
  assert.match(textOf(release.html), /Release 1 2 Environment all all Profiles One profile/);
  const data = /\/projects\/\d+\/profiling\/compare\/flamegraph\?[^"\\]*/.exec(release.html)?.[0] ??
    "";
  assert.match(data, /release=2.*base=custom&base_release=1&base_start=/);
  const graph: FlameData = JSON.parse((await site.owner.get(data)).html);
  assert.deepEqual([graph.totals[0], graph.base?.totals[0]], [1_000_000_000, 1_000_000_000]);
  const exact: FlameData = JSON.parse((await site.owner.get(`${data}&scale=none`)).html);
  assert.deepEqual([exact.totals[0], exact.base?.totals[0]], [1_000_000_000, 40_000_000]);
  const both = await read("range=1h&view=both&wait=1");
  assert.match(textOf(both.html), /CPU time, before.*CPU time, after/);
  const none = await read("range=24h&base=custom&base_release=0&wait=1");
  assert.match(textOf(none.html), /What is compared with has no profiles of this type/);
  const alone = await read("range=24h&base=previous-release&release=1&wait=1");
  assert.match(textOf(alone.html), /there are no profiles of this type of two releases/);
  const svg = await site.owner.get(data.replace("/flamegraph?", "/export?format=svg&"));
  assert.match(svg.headers.get("content-disposition") ?? "", /compared-cpu\.svg/);
});

Deno.test("only releases that sent the type of profile are offered and chosen for a comparison", async () => {
  await using site = await profiledShop();
  await site.upload("service=api&release=1", CPU_SAMPLES, { timeNanos: minutesAgo(90) });
  await site.upload("service=api&release=heap-only", [{ stack: ["main.main"], values: [64n] }], {
    sampleTypes: [{ type: "alloc_space", unit: "bytes" }],
    timeNanos: minutesAgo(60),
  });
  await site.upload("service=api&release=3", SLOWER, { timeNanos: minutesAgo(30) });
  const { html } = await site.owner.get(
    `${site.profiling}/compare?range=24h&base=previous-release&profile_type=cpu:cpu:nanoseconds&wait=1`,
  );
  assert.match(textOf(html), /Release 1 3 Environment/);
  const form = /<form[^>]*aria-label="What is compared with".*?<\/form>/s.exec(html)?.[0] ?? "";
  assert.match(form, /<option value="1" selected/);
  assert.doesNotMatch(form, /heap-only/);
  const none = await site.owner.get(
    `${site.profiling}/compare?range=24h&release=0&base=custom&base_release=00&wait=1`,
  );
  assert.match(textOf(none.html), /Neither end has any profiles of this type/);
});

Deno.test("the release that is shown after stays chosen when the end before is chosen by hand", async () => {
  await using site = await profiledShop();
  await site.upload("service=api&release=1", CPU_SAMPLES, { timeNanos: minutesAgo(90) });
  await site.upload("service=api&release=2", SLOWER, { timeNanos: minutesAgo(30) });
  const { html } = await site.owner.get(
    `${site.profiling}/compare?range=24h&base=previous-release&wait=1`,
  );
  const form = /<form[^>]*aria-label="What is compared with".*?<\/form>/s.exec(html)?.[0] ?? "";
  assert.match(form, /name="release" value="2"/);
  assert.match(form, /name="base" value="custom"/);
  assert.match(form, /<option value="1" selected/);
});
