/** Go writes pprof itself, and `go tool pprof` is what defines it. */
import assert from "node:assert/strict";
import { gunzipSync, gzipSync } from "node:zlib";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import { PprofBuilder } from "@/lib/formats/pprof/encode.ts";
import { inflatePprof } from "@/lib/formats/pprof/compression.ts";
import { traceIdOf, traceLabelOf } from "@/lib/formats/pprof/labels.ts";
import type { PprofProfile } from "@/lib/formats/pprof/profile.ts";
import { noRepairs } from "@/lib/formats/pprof/faults.ts";
import { defaultTypeOf, profileKindOf, valueTypesOf } from "@/lib/formats/pprof/sample_types.ts";
import { plainByOther, plainOf } from "./plain_profile.ts";

const PROGRAM = new URL("../../pprof/go/main.go", import.meta.url).pathname;
const KINDS = {
  cpu: "cpu",
  heap: "memory",
  allocs: "memory",
  goroutine: "goroutine",
  threadcreate: "threadcreate",
  mutex: "lock",
  block: "lock",
} as const;
const hasGo = await run("version").then(() => true, () => false);

async function run(...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("go", { args }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

/** What `go tool pprof` says all samples of a type add up to. */
async function totalByGo(file: string, type: string): Promise<bigint> {
  const args = ["-raw", `-sample_index=${type}`, file];
  const raw = await run("tool", "pprof", ...args);
  const [, header = "", rows = ""] = /\nSamples:\n(.*)\n([^]*?)\nLocations/.exec(raw) ?? [];
  const column = header.split(" ").findIndex((name) => name.startsWith(`${type}/`));
  let sum = 0n;
  for (const [, values = ""] of rows.matchAll(/^ *([-\d ]+):/gm)) {
    sum += BigInt(values.trim().split(/ +/)[column] ?? 0);
  }
  return sum;
}

function totalOf({ samples, sampleTypes }: PprofProfile, index: number): bigint {
  let sum = 0n;
  for (let sample = 0; sample < samples.count; sample++) {
    sum += samples.values[sample * sampleTypes.length + index] ?? 0n;
  }
  return sum;
}

Deno.test({
  name: "Go's own profiles are read as others read them, and add up to what Go says",
  ignore: !hasGo,
  async fn(t) {
    const directory = await Deno.makeTempDir();
    try {
      await run("run", PROGRAM, directory);
      for (const [name, kind] of Object.entries(KINDS)) {
        await t.step(name, async () => {
          const file = `${directory}/${name}.pb.gz`;
          const bytes = inflatePprof(await Deno.readFile(file));
          const { profile, repairs } = decodePprof(bytes);
          assert.deepEqual(repairs, noRepairs());
          assert.deepEqual(plainOf(profile), plainByOther(bytes));
          assert.ok(profile.samples.count > 0);
          assert.equal(profileKindOf(profile, ""), kind);
          for (const { type, index } of valueTypesOf(profile)) {
            assert.equal(totalOf(profile, index), await totalByGo(file, type), type);
          }
        });
      }
      const cpu = decodePprof(inflatePprof(await Deno.readFile(`${directory}/cpu.pb.gz`))).profile;
      const labels = plainOf(cpu).samples.flatMap(({ labels }) => labels);
      const trace = labels.find(({ key }) => traceLabelOf(key) === "trace_id");
      assert.equal(traceIdOf(trace?.text ?? ""), "5b8efff798038103d269b633813fc60c");
      const allocs = decodePprof(inflatePprof(await Deno.readFile(`${directory}/allocs.pb.gz`)));
      assert.equal(defaultTypeOf(allocs.profile).type, "alloc_space");
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});

Deno.test({
  name: "what we build is a profile to Go, and comes back from it as it was",
  ignore: !hasGo,
  async fn() {
    const builder = new PprofBuilder({
      sampleTypes: [{ type: "samples", unit: "count" }, { type: "wall", unit: "nanoseconds" }],
      timeNanos: 1_795_000_000_123_456_789n,
      durationNanos: 5_000_000_000n,
      periodType: { type: "wall", unit: "nanoseconds" },
      period: 10_000_000n,
      defaultSampleType: "wall",
      comments: ["made by a test"],
    });
    const mapping = builder.mapping("/srv/app.js", "app");
    const line = (name: string, line: number) => ({
      function: builder.function(name, `/srv/${name}.js`, { startLine: 2 }),
      line,
      column: 4,
    });
    const leaf = builder.location([line("inlined", 3), line("work", 7)], { mapping });
    const root = builder.location([line("main", 1)], { mapping });
    builder.sample([leaf, root], [1n, (1n << 60n) + 1n], [{ key: "thread_id", text: "1" }]);
    builder.sample([root], [-3n, -7n], [{ key: "offset", number: -5n, unit: "nanoseconds" }]);
    const directory = await Deno.makeTempDir();
    try {
      const file = `${directory}/built.pb.gz`;
      const written = `${directory}/written.pb.gz`;
      const bytes = builder.toBytes();
      await Deno.writeFile(file, gzipSync(bytes));
      await run("tool", "pprof", "-proto", "-symbolize=none", `-output=${written}`, file);
      const plain = plainOf(decodePprof(bytes).profile);
      const back = decodePprof(gunzipSync(await Deno.readFile(written))).profile;
      assert.deepEqual(plainOf(back), plain);
      assert.equal(await totalByGo(file, "wall"), (1n << 60n) - 6n);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});
