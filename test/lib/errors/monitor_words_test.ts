import assert from "node:assert/strict";
import { issueWords, monitorTexts } from "@/lib/errors/monitor_words.ts";
import { inLanguage } from "@/lib/core/request_scope.ts";

const inRussian = (texts: { title: string; culprit: string }) =>
  inLanguage({ language: "ru" }, () => issueWords(texts));

Deno.test("the issue of a failed cron job is stored in English and read in the reader's language", () => {
  const stored = monitorTexts("nightly: report", { errors: 1, missed: 3, timeouts: 2 });
  assert.deepEqual(stored, {
    title: "Monitor failure: nightly: report",
    culprit: "1 failed check-in, 3 missed check-ins, 2 timed out check-ins detected",
  });
  assert.deepEqual(issueWords(stored), stored);
  assert.deepEqual(inRussian(stored), {
    title: "Сбой монитора: nightly: report",
    culprit: "обнаружено: 1 неудачный запуск, 3 пропущенных запуска, 2 запуска дольше положенного",
  });
});

Deno.test("what a program reports is read as it was reported, and hides nothing", () => {
  const reported = { title: "Monitor failure: disk", culprit: "app.disk in watch" };
  assert.deepEqual(inRussian(reported), reported);
  const hiding = { title: "\u202eMonitor failure: x", culprit: "1 missed check-in detected\u202e" };
  assert.deepEqual(inRussian(hiding), {
    title: "[U+202E]Monitor failure: x",
    culprit: "1 missed check-in detected[U+202E]",
  });
});
