/** Whether an answer is the one that is expected. */
import { ProbeFailure } from "./failure.ts";
import { type Answer, MAX_READ_BYTES } from "./http_exchange.ts";
import { type HttpTarget, jsonPath, statusRanges } from "./target.ts";

const MAX_SHOWN_VALUE = 100;

/**
 * @param isInternal a public reader is told nothing of what was found
 * @throws {ProbeFailure} status, keyword, json
 */
export function checkAnswer(answer: Answer, target: HttpTarget, isInternal: boolean): void {
  checkStatus(answer.status, target.expectedStatus);
  if (target.keyword !== null) checkKeyword(answer, target.keyword);
  if (target.json !== null) checkJson(answer, target.json, isInternal);
}

function checkStatus(status: number, expected: string): void {
  const ranges = statusRanges(expected) ?? [];
  if (ranges.some(([from, to]) => status >= from && status <= to)) return;
  throw new ProbeFailure("status", `The response has status ${status}; expected is ${expected}.`);
}

/** Said when the end of an answer was not looked at. */
function cutNote({ isCut }: Answer): string {
  return isCut ? ` Only the first ${MAX_READ_BYTES / 1024 / 1024} MiB of it were looked at.` : "";
}

function checkKeyword(answer: Answer, keyword: NonNullable<HttpTarget["keyword"]>): void {
  const isThere = answer.text.includes(keyword.text);
  if (isThere !== keyword.isAbsent) return;
  throw new ProbeFailure(
    "keyword",
    isThere
      ? "The response has the text that must not be there."
      : `The response does not have the text that is looked for.${cutNote(answer)}`,
  );
}

function checkJson(
  answer: Answer,
  { path, comparison, value }: NonNullable<HttpTarget["json"]>,
  isInternal: boolean,
): void {
  const fail = (sentence: string) => {
    throw new ProbeFailure("json", sentence + cutNote(answer));
  };
  let found: unknown;
  try {
    found = JSON.parse(answer.text);
  } catch {
    fail("The response is no JSON.");
  }
  for (const step of jsonPath(path) ?? []) {
    found = typeof found === "object" && found !== null && Object.hasOwn(found, step)
      ? (found as Record<string, unknown>)[step]
      : undefined;
  }
  if (found === undefined) return fail(`The response has nothing at ${path}.`);
  if (comparison === "exists" || compares(found, comparison, value)) return;
  const shown = isInternal ? "another value" : textOf(found).slice(0, MAX_SHOWN_VALUE);
  const wanted = comparison === "=" ? value : `${comparison} ${value}`;
  fail(`At ${path} the response has ${shown}; expected is ${wanted}.`);
}

function compares(found: unknown, comparison: "=" | "!=" | ">" | "<", value: string): boolean {
  if (comparison === "=") return textOf(found) === value;
  if (comparison === "!=") return textOf(found) !== value;
  const [left, right] = [Number(textOf(found)), Number(value)];
  return comparison === ">" ? left > right : left < right;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
