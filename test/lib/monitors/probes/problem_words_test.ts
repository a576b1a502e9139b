import assert from "node:assert/strict";
import { inLanguage } from "@/lib/core/request_scope.ts";
import { probeWords, reasonWords } from "@/lib/monitors/probes/problem_words.ts";
import { PROBLEMS } from "@/lib/monitors/probes/result.ts";
import { openedNotice } from "@/lib/monitors/uptime/notices.ts";
import { sentencesIn } from "@/test/support/stored_sentences.ts";

const inRussian = <T>(work: () => T) => inLanguage({ language: "ru" }, work);

Deno.test("every sentence about a check that failed is read in Russian", () => {
  const sentences = sentencesIn(
    "lib/monitors/probes",
    /\bnew ProbeFailure\(|\breturn (?=[`"][A-Z])/g,
  );
  assert.ok(sentences.length > 20, `only ${sentences.length} were found`);
  const late = ["connection was made", "TLS handshake was made", "response came"]
    .map((step) => `Within 7 s no ${step}.`);
  const left = [
    ...sentences.filter((each) => !each.startsWith("Within 7 s")),
    ...late,
    "Within 7 s the response did not end.",
  ].filter((each) => !/[а-яё]/i.test(inRussian(() => probeWords(each))));
  assert.deepEqual(left, []);
});

Deno.test("every kind of problem has its word, and stands for itself in English", () => {
  assert.deepEqual(PROBLEMS.map(reasonWords), [...PROBLEMS]);
  assert.equal(inRussian(() => reasonWords("timeout")), "время истекло");
});

Deno.test("channels of a project are told of an incident in the project's language", () => {
  const monitor = {
    projectId: "7",
    monitorId: crypto.randomUUID(),
    name: "Shop",
    target: { kind: "ping", host: "shop.test", family: "any", timeoutMs: 1_000, slowMs: null },
  } as const;
  const problem = { kind: "timeout", sentence: "Within 10 s no response came." } as const;
  const result = { problem, status: null, address: null, durationMs: 10_000 };
  const place = { projectName: "Shop", baseUrl: "https://watch.test", language: "ru" } as const;
  const { title, text } = openedNotice(monitor, "1", new Date(), result, 3, place);
  assert.equal(title, "Shop: недоступен");
  assert.equal(text, "За 10 с не пришёл ответ. 3 проверки подряд не удались.");
});
