import { withoutIds } from "./transaction_name.ts";

/**
 * The name of the transaction that a span says it belongs to, as {@linkcode entryFacts} would name it: SDKs do not say
 * there where the name comes from. `""` when there is none.
 */
export function transactionNameOf(sent: string): string {
  const name = sent.trim();
  return name === "" ? "" : withoutIds(name, "url").name;
}
