/** Profiles that no profiler takes, and what agents say beside theirs. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { profile as profileOf, request } from "@/test/lib/formats/otlp/samples.ts";
import { joinBytes } from "@/lib/core/read_body.ts";
import { type Bytes, joined, msg, num, packed, raw } from "@/test/lib/formats/pprof/messages.ts";
import { pagesAnswer, senders } from "@/test/support/hostile_senders.ts";
import { hostileUploads } from "@/test/support/hostile_uploads.ts";
import { FIELD_TEXTS, longText } from "@/test/support/hostile_values.ts";
import { pprofBytes, pprofGzip } from "@/test/support/pprof.ts";
import { changedTexts } from "@/test/support/sample_body.ts";

const MEBIBYTE = 1024 * 1024;
const PPROF = "/api/v1/profiles/pprof?service=shop";
const BINARY = "application/octet-stream";
const encode = (text: string) => new TextEncoder().encode(text);

const many = (count: number, make: (place: number) => Uint8Array): Bytes =>
  new Uint8Array(joinBytes(Array.from({ length: count }, (_, place) => make(place + 1))));
/** The same over and over. */
const times = (count: number, bytes: Uint8Array): Bytes =>
  Uint8Array.from({ length: count * bytes.length }, (_, at) => bytes[at % bytes.length] ?? 0);
/** Locations of nothing, their ids in three bytes each. */
const LOCATIONS = Uint8Array.from({ length: 6_000_000 }, (_, at) => {
  const [id, place] = [Math.floor(at / 6) + 1, at % 6];
  return [34, 4, 8, id | 128, id >> 7 | 128, id >> 14][place] ?? 0;
});
const zeros = (bytes: number) => new Uint8Array(bytes);

const STRINGS = joined(
  ...["", "cpu", "nanoseconds", "main", "trace_id"].map((text) => raw(6, encode(text))),
);
const TYPE = msg(1, num(1, 1), num(2, 2));
const FUNCTION = msg(5, num(1, 1), num(2, 3));
const location = (id: number | bigint, ...more: Uint8Array[]) =>
  msg(4, num(1, id), msg(4, num(1, 1), num(2, 7)), ...more);
const sample = (stack: readonly number[], ...more: Uint8Array[]) =>
  msg(2, packed(1, stack), packed(2, [10]), ...more);
const profile = (...parts: Uint8Array[]) => joined(STRINGS, TYPE, FUNCTION, ...parts);
const GOOD = profile(location(1), sample([1]));

/** By what is wrong with them. */
const PROFILES: Readonly<Record<string, () => Bytes>> = {
  "a million locations": () => profile(LOCATIONS, sample([1])),
  "a million locations of one id": () =>
    profile(times(1_000_000, location(1)), location(1), sample([1])),
  "locations of the same id": () => profile(times(10_000, location(1)), sample([1])),
  "functions of the same id": () => profile(times(10_000, FUNCTION), location(1), sample([1])),
  "a location of 100,000 lines": () =>
    profile(location(1, times(100_000, msg(4, num(1, 1)))), sample([1])),
  "a stack of 100,000": () =>
    profile(
      many(1_000, location),
      sample(Array.from({ length: 100_000 }, (_, i) => i % 1_000 + 1)),
    ),
  "a stack of 5,000 of one function": () =>
    profile(location(1), sample(Array.from({ length: 5_000 }, () => 1))),
  "stacks of every depth": () =>
    profile(
      many(2_048, location),
      many(300, (depth) => sample(Array.from({ length: 7 * depth }, (_, place) => place + 1))),
    ),
  "a sample of 100,000 labels": () =>
    profile(location(1), sample([1], times(100_000, msg(3, num(1, 4), num(2, 3))))),
  "200,000 samples": () => profile(location(1), times(200_000, sample([1]))),
  "a million samples": () => profile(location(1), times(1_000_000, sample([1]))),
  "a million strings": () => profile(times(1_000_000, raw(6, zeros(0))), location(1)),
  "a million mappings": () => profile(times(1_000_000, raw(3, zeros(0))), sample([1])),
  "a string of 30 MB": () =>
    profile(location(1), sample([1]), raw(6, encode("main".repeat(7_500_000)))),
  "no strings": () => joined(TYPE, FUNCTION, location(1), sample([1])),
  "no types": () => joined(STRINGS, FUNCTION, location(1), sample([1])),
  "no functions": () => joined(STRINGS, TYPE, location(1), sample([1])),
  "no locations": () => profile(sample([1])),
  "no samples": () => profile(location(1)),
  "nothing but strings": () => joined(STRINGS),
  "33 types": () => profile(times(33, TYPE), location(1), sample([1])),
  "a type of 100,000 characters": () =>
    joined(raw(6, zeros(0)), raw(6, encode("x".repeat(100_000))), TYPE, sample([])),
  "ids of 64 bits": () => profile(location(2n ** 64n - 1n), sample([-1])),
  "two that follow each other": () => joined(GOOD, GOOD),
  "a good one after a damaged one": () => joined(GOOD.slice(0, -3), GOOD),
};

/** What there is around a profile. */
const WRAPPED: Readonly<Record<string, () => Bytes>> = {
  "gzip of gzip": () => gzipped(gzipped(GOOD)),
  "gzip ten times over": () => Array.from({ length: 10 }).reduce<Bytes>(gzipped, GOOD),
  "a bomb": () => gzipped(zeros(250 * MEBIBYTE)),
  "a bomb in a bomb": () => gzipped(gzipped(zeros(250 * MEBIBYTE))),
  "31 MiB of zeros": () => gzipped(zeros(31 * MEBIBYTE)),
  "7 MiB of gzip of nothing": () => times(350_000, gzipped(zeros(0))),
  "100,000 times gzip of one byte": () => times(100_000, gzipped(zeros(1))),
  "gzip that says that it has 4 GB": () => {
    const bytes = gzipped(GOOD);
    bytes.fill(0xff, -4);
    return bytes;
  },
  "gzip and what is none": () => joined(gzipped(GOOD), encode("x".repeat(1_000))),
  "9 MiB": () => zeros(9 * MEBIBYTE),
};

function gzipped(bytes: Uint8Array): Bytes {
  return new Uint8Array(gzipSync(bytes));
}

/** What the process may grow by while it reads one of them: a profile of 32 MiB is some hundred. */
const MAX_GROWTH_MB = 700;

/** The most that was resident since the last time that somebody asked, in MB; 0 where the system does not tell. */
function peakMb(): number {
  try {
    const status = Deno.readTextFileSync("/proc/self/status");
    Deno.writeTextFileSync("/proc/self/clear_refs", "5");
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_000;
  } catch {
    return 0;
  }
}

Deno.test("whatever profiles are made of, they end in no error of ours, and pages show what is stored", async (t) => {
  await using sent = await senders();
  for (const [name, make] of Object.entries({ ...PROFILES, ...WRAPPED })) {
    await t.step(name, async () => {
      const plain = make();
      const bodies = name in PROFILES ? [plain, gzipped(plain)] : [plain];
      for (const body of bodies) {
        peakMb();
        const before = Deno.memoryUsage().rss / 1e6;
        await sent.post(PPROF, body, BINARY);
        const growth = peakMb() - before;
        assert.ok(growth < MAX_GROWTH_MB, `${growth} MB`);
      }
    });
  }
  await t.step("OTLP's in JSON", async () => {
    const whole = request([profileOf()]);
    for (const value of FIELD_TEXTS) {
      await sent.postAll("/v1development/profiles", changedTexts(whole, value));
    }
  });
  await t.step("what is in order", async () => {
    assert.equal(await sent.post(PPROF, GOOD, BINARY), 200);
  });
  await t.step("pages", () => pagesAnswer(sent));
});

/** Values of parameters. */
const VALUES = [
  ...["", "a\0b", "\ud800", "__proto__", "constructor", "9".repeat(25), "-1", "1e400", "NaN"],
  ...["0x10", "now", "now-999999999d", "now-1h", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"],
  ...["253402300799", "-62167219200", "1e-300", "%", "{{}}", longText(20_000), "x".repeat(300)],
  ...["pprof", "folded", "lines", "jfr", "trie", "tree", "speedscope", "groups"],
];
/** Names of applications with labels. */
const NAMES = [
  ...[
    "shop",
    "shop.cpu",
    "shop.cpu{}",
    "shop{",
    "{a=b}",
    "shop{a}",
    "shop{=b}",
    "shop{a=}",
    "shop}",
  ],
  ...['shop{a="b"}', "shop{a=b,a=c}", "shop{__proto__=a,constructor=b}", "shop{a=b}{c=d}", "."],
  ...["shop.cpu.cpu", ".cpu", "a\0.cpu{a\0=b\0}", "\ud800{\ud800=\ud800}", "shop{service_name=}"],
  ...[`shop{${Array.from({ length: 2_000 }, (_, index) => `l${index}=v`).join()}}`],
  ...[`shop{${Array.from({ length: 2_000 }, (_, index) => `l=v${index}`).join()}}`],
  ...[`shop{a=${longText(20_000)}}`, `shop{${longText(20_000)}=a}`, longText(20_000)],
  ...["shop{__session_id__=a,pod=b,env=c,version=d}", "shop{trace_id=a,span_id=b,profile_id=c}"],
];
const STACKS = [
  ...["main;work 1\nmain 2", "", "\n\n", "main", "main 0", "main -1", "main 1.5", "main NaN"],
  ...["main 999999999999999999", "main 9999999999999999999", ";;; 1", " 1", "1", "main;work 1 2"],
  ...["a\0b;c 1", "\ud800 1", "main 1\r\nwork 2\r\n", "__proto__;constructor 1"],
  ...[`${"a;".repeat(100_000)}b 1`, `${" ".repeat(500_000)}x`, `${"x ".repeat(500_000)}x`],
  ...[`${longText(500_000)} 1`, "a 1\n".repeat(200_000), '{"version":1}', "<html></html>"],
];
const PARAMETERS = ["from", "until", "format", "sampleRate", "spyName", "units", "aggregationType"];
/** As Pyroscope's agent for Go sends it. */
const TYPE_CONFIG = {
  cpu: { units: "samples", sampled: true, "display-name": "cpu", aggregation: "sum" },
  contentions: { "display-name": "mutex_count", units: "lock_samples", cumulative: false },
};
const BOUNDARY = "xyz";
const FORM = `multipart/form-data; boundary=${BOUNDARY}`;

function form(parts: readonly (readonly [name: string, content: Uint8Array])[]): Bytes {
  return joined(
    ...parts.flatMap(([name, content]) => [
      encode(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\n\r\n`,
      ),
      content,
      encode("\r\n"),
    ]),
    encode(`--${BOUNDARY}--\r\n`),
  );
}

Deno.test("whatever agents of Pyroscope say, it ends in no error of ours, and pages show what is stored", async (t) => {
  await using sent = await senders();
  const address = (query: Readonly<Record<string, string>>) =>
    `/ingest?${new URLSearchParams({ name: "shop.cpu{region=eu}", ...query })}`;
  const STACK = "main;work 3\nmain 1";
  await t.step("names", async () => {
    for (const name of NAMES) {
      await sent.post(address({ name }), STACK, "");
      await sent.post(address({ name }), pprofBytes(), BINARY);
    }
  });
  await t.step("parameters", async () => {
    for (const name of PARAMETERS) {
      for (const value of VALUES) {
        const query = new URLSearchParams({ [name]: value.toWellFormed() });
        await sent.post(`${address({})}&${query}`, STACK, "");
        await sent.post(`${address({ format: "pprof" })}&${query}`, pprofGzip(), BINARY);
        await sent.post(`${address({ from: "1e9" })}&${query}&${query}`, STACK, "");
      }
    }
  });
  await t.step("stacks", async () => {
    for (const stack of STACKS) {
      for (const format of ["folded", "lines", "groups", "pprof", "trie", "tree"]) {
        await sent.post(address({ format }), stack, "");
      }
    }
  });
  await t.step("what they say of their types", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const texts = [...FIELD_TEXTS, deep].flatMap((value) => [...changedTexts(TYPE_CONFIG, value)]);
    const bodies = texts.map((text) =>
      form([["profile", pprofGzip()], ["sample_type_config", encode(text)]])
    );
    await sent.postAll(address({}), bodies, FORM);
  });
  await t.step("forms", async () => {
    const part = ["profile", pprofGzip()] as const;
    const config = ["sample_type_config", encode("{}")] as const;
    for (
      const parts of [[], [config], [part, part], [config, config], [part, part, part, config]]
    ) {
      await sent.post(address({}), form(parts), FORM);
    }
    const whole = form([part, config, ["prev_profile", pprofGzip()]]);
    const cut = Array.from(whole, (_, length) => whole.slice(0, length));
    await sent.postAll(address({}), cut, FORM);
    for (const { type, body } of hostileUploads("profile")) {
      await sent.post(address({}), body, type);
    }
  });
  await t.step("pages", () => pagesAnswer(sent));
});
