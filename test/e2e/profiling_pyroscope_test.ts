/** Agents of Pyroscope that are pointed here, and py-spy: what they push is stored whole. */
import assert from "node:assert/strict";
import { typeId } from "../../lib/formats/pprof/sample_types.ts";
import { callTree } from "../../lib/profiles/trees/call_tree.ts";
import { topFunctions } from "../../lib/profiles/trees/top_functions.ts";
import { type ListeningApp, listeningApp } from "../support/listening_app.ts";
import { publicKeyOf } from "./clients/otel_env.ts";
import { nodeService, type Program, pythonService, runProgram } from "./clients/services.ts";
import { notStored } from "./clients/stored.ts";
import { storedBytes } from "./profiling/downloads.ts";
import { merged } from "./profiling/read_back.ts";

const [node, python, pyspy] = await Promise.all([
  nodeService("profiles_pyroscope_node"),
  pythonService("profiles_pyroscope_python"),
  pythonService("profiles_pyspy", "py-spy"),
]);

pushed("Node", node, async (app) => {
  const rows = await rowsOf(app);
  assert.deepEqual(new Set(rows.map(({ kind }) => kind)), new Set(["memory", "wall"]));
  for (const row of rows) {
    assert.equal(row.service, "shop-api");
    assert.equal(row.platform, "node");
    assert.equal(row.environment, "production");
    assert.equal(row.release, "shop@1.4.2");
    assert.deepEqual(row.labels.region, ["eu"]);
  }
  const wall = rows.filter(({ kind }) => kind === "wall").map(({ id }) => id);
  assert.ok(await shareOf(app, wall, "wall", "priceOf") > 0.5);
});

pushed("Python", python, async (app) => {
  const rows = await rowsOf(app);
  assert.ok(rows.length > 0);
  for (const row of rows) {
    assert.deepEqual([row.service, row.platform, row.kind], ["shop-api", "python", "cpu"]);
    assert.deepEqual(row.labels.route, ["/prices"]);
    assert.deepEqual(row.labels.region, ["eu"]);
  }
  assert.ok(await shareOf(app, rows.map(({ id }) => id), "cpu", "price_of") > 0.5);
});

Deno.test({
  name: "stacks that py-spy collapsed are stored as it counted them",
  ignore: pyspy === null,
  async fn() {
    if (pyspy === null) return;
    await using app = await listeningApp();
    const args = ["record", "--rate", "100", "--function", "--format", "raw", "--output"];
    const stacks = "stacks.txt";
    await runProgram({ ...pyspy, args: [...args, stacks, "--", ...pyspy.args] });
    const text = await Deno.readTextFile(new URL(stacks, pyspy.directory));
    const query = new URLSearchParams({
      name: "shop-api.cpu{env=production}",
      from: "now-2s",
      until: "now",
      format: "folded",
      sampleRate: "100",
      spyName: "pyspy",
    });
    const response = await fetch(`${app.url}/ingest?${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${publicKeyOf(app.serverDsn)}` },
      body: text,
    });
    assert.equal(response.status, 200, await response.text());
    const [row, ...others] = await rowsOf(app);
    assert.ok(row);
    assert.deepEqual(others, []);
    assert.deepEqual([row.service, row.platform, row.kind], ["shop-api", "python", "cpu"]);
    const counted = [...text.matchAll(/ (\d+)$/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
    assert.equal(Number(row.totals[0]), counted);
    assert.equal(Number(row.totals[1]), counted * 10_000_000);
    assert.ok(await shareOf(app, [row.id], "cpu", "price_of") > 0.5);
  },
});

function pushed(
  language: string,
  program: Program | null,
  isStored: (app: ListeningApp) => Promise<void>,
): void {
  Deno.test({
    name: `what Pyroscope's SDK in ${language} pushes is stored`,
    ignore: program === null,
    async fn() {
      if (program === null) return;
      await using app = await listeningApp();
      await runProgram(program, { PUSH_URL: app.url, PUSH_KEY: publicKeyOf(app.serverDsn) });
      await isStored(app);
      assert.deepEqual(await notStored(app), []);
    },
  });
}

interface Row {
  readonly id: string;
  readonly kind: string;
  readonly service: string;
  readonly platform: string;
  readonly environment: string;
  readonly release: string;
  readonly totals: readonly string[];
  readonly labels: Readonly<Record<string, readonly string[]>>;
}

async function rowsOf({ services: { sql }, projectId }: ListeningApp): Promise<Row[]> {
  return await sql<Row[]>`
    select replace(profile_id::text, '-', '') as id, kind, service, platform, environment, release,
      labels, totals::text[] as totals
    from profiles where project_id = ${projectId}
  `;
}

/** How much of all values a function has, with what it calls. */
async function shareOf(
  app: ListeningApp,
  ids: readonly string[],
  type: string,
  name: string,
): Promise<number> {
  const stacks = merged(await Promise.all(ids.map((id) => storedBytes(app, id))));
  const found = stacks.types.find((each) => each.type === type);
  assert.ok(found, stacks.types.map(typeId).join(" "));
  const tree = callTree(stacks, found);
  const own = topFunctions(tree).find(({ frame }) => frame.name.includes(name));
  return Number(own?.total ?? 0n) / Number(tree.totals[0]);
}
