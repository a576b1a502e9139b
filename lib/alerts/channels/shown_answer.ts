import { storable } from "../../core/storable.ts";
import { cut } from "./message.ts";

const MAX_ANSWER = 500;

/**
 * The beginning of what a receiver said, without secrets that it repeats.
 *
 * @param secrets as `secretsOf()` lists them
 */
export function shownAnswer(text: string, secrets: readonly string[]): string {
  let shown = text;
  // The long ones first: a part may stand within the whole.
  for (const secret of secrets.toSorted((a, b) => b.length - a.length)) {
    shown = shown.replaceAll(secret, "[secret]");
  }
  return cut(storable(shown).trim(), MAX_ANSWER);
}
