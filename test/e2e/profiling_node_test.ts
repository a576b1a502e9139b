/**
 * A program in Node that profiles itself with @datadog/pprof, and uploads what the library encodes. What is stored, shown
 * and exported has the numbers that `go tool pprof` finds in the originals.
 */
import assert from "node:assert/strict";
import { listeningApp } from "../support/listening_app.ts";
import { publicKeyOf } from "./clients/otel_env.ts";
import { nodeService, runProgram } from "./clients/services.ts";
import { notStored } from "./clients/stored.ts";
import type { Answer } from "./profiling/curl.ts";
import { goTop, hasGoPprof } from "./profiling/go_pprof.ts";
import { download, storedBytes } from "./profiling/downloads.ts";
import { areSameInGo } from "./profiling/read_back.ts";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN_ID = "00f067aa0ba902b7";
const WALL = { type: "wall", unit: "nanoseconds" };

const program = await nodeService("profiles_node");
const isReady = program !== null && await hasGoPprof();

Deno.test({
  name: "profiles of @datadog/pprof are read back with the numbers of go tool pprof",
  ignore: !isReady,
  async fn() {
    if (program === null) return;
    await using app = await listeningApp();
    const out = await Deno.makeTempDir({ prefix: "watchpost-profiles-" });
    await runProgram(program, {
      OUT: out,
      UPLOAD_URL: `${app.url}/api/v1/profiles/pprof`,
      UPLOAD_KEY: publicKeyOf(app.serverDsn),
      TRACE_ID,
      SPAN_ID,
    });
    const wall = await readUpload(out, "wall");
    const heap = await readUpload(out, "heap");
    await Deno.remove(out, { recursive: true });

    for (const { original, answer } of [wall, heap]) {
      assert.deepEqual(await storedBytes(app, answer.id), original, "it is stored as it came");
      const exported = await download(app, `/${answer.id}/export`, { format: "pprof" });
      await areSameInGo([original], exported, answer.sample_types);
    }
    assert.deepEqual(await kindsOf(app.services.sql), [
      { kind: "memory", service: "shop-api", release: "shop@1.4.2", platform: "node" },
      { kind: "wall", service: "shop-api", release: "shop@1.4.2", platform: "node" },
    ]);
    const { rows } = await goTop([wall.original], WALL);
    assert.ok(rows.some(({ name }) => name.startsWith("priceOf")), "it saw the program's work");
    const [traced] = await app.services.sql<{ profile: string; span: string; totals: string[] }[]>`
      select replace(profile_id::text, '-', '') as profile, span_id as span, totals::text[] as totals
      from profile_traces where project_id = ${app.projectId} and trace_id = ${TRACE_ID}
    `;
    const { total } = await goTop([wall.original], WALL, { label: ["trace_id", TRACE_ID] });
    const place = wall.answer.sample_types.findIndex(({ type }) => type === WALL.type);
    assert.ok(total > 0n);
    assert.deepEqual(
      [traced?.profile, traced?.span, traced?.totals[place]],
      [wall.answer.id, SPAN_ID, String(total)],
    );
    assert.deepEqual(await notStored(app), []);
  },
});

async function readUpload(
  directory: string,
  name: string,
): Promise<{ original: Uint8Array; answer: Answer }> {
  return {
    original: await Deno.readFile(`${directory}/${name}.pb.gz`),
    answer: JSON.parse(await Deno.readTextFile(`${directory}/${name}.json`)),
  };
}

async function kindsOf(sql: import("postgres").Sql) {
  const rows = await sql`
    select kind, service, release, platform from profiles order by kind
  `;
  return rows.map((row) => ({ ...row }));
}
