/** A check of DNS records. */
import { isIP } from "node:net";
import { isPublicAddress } from "../../core/addresses.ts";
import { findHost } from "./connect.ts";
import { ProbeFailure } from "./failure.ts";
import type { Observation } from "./observation.ts";
import { type DnsTarget, nameServerOf } from "./target.ts";

/** @throws {ProbeFailure} dns, record, refused, timeout */
export async function probeDns(target: DnsTarget, seen: Observation): Promise<void> {
  const nameServer = target.nameServer === null ? null : nameServerOf(target.nameServer);
  if (nameServer !== null) {
    await findHost({ host: nameServer.ipAddr, port: nameServer.port }, seen);
    seen.address = nameServer.ipAddr;
  }
  const began = performance.now();
  const records = await seen.within(resolve(target, nameServer, seen));
  seen.spend("dns", began);
  // What our own network's names stand for is nobody's business.
  seen.isInternal ||= records.some((record) => isIP(record) !== 0 && !isPublicAddress(record));
  seen.body = records.join("\n");
  checkRecords(records, target, seen.isInternal);
}

async function resolve(
  { name, type }: DnsTarget,
  nameServer: Deno.ResolveDnsOptions["nameServer"] | null,
  { ending }: Observation,
): Promise<string[]> {
  try {
    const records = await Deno.resolveDns(name, type, {
      signal: ending,
      ...nameServer ? { nameServer } : {},
    });
    return [...new Set(records.map((record) => normal(textOf(record), type)))].sort();
  } catch (cause) {
    const sentence = cause instanceof Deno.errors.NotFound
      ? `There is no record of type ${type} for ${name}.`
      : "The name server does not respond to the question.";
    throw new ProbeFailure("dns", sentence, { cause });
  }
}

/** As a zone file writes it; parts of a text are one. */
function textOf(record: unknown): string {
  if (typeof record === "string") return record;
  if (Array.isArray(record)) return record.join("");
  return Object.values(record ?? {}).map(String).join(" ");
}

function normal(record: string, type: DnsTarget["type"]): string {
  const trimmed = record.trim();
  return type === "TXT" ? trimmed : trimmed.toLowerCase().replace(/\.(?=\s|$)/g, "");
}

function checkRecords(
  records: readonly string[],
  { expected, match, type }: DnsTarget,
  isInternal: boolean,
): void {
  if (expected === null) return;
  const wanted = [...new Set(expected.split("\n").map((line) => normal(line, type)))]
    .filter((line) => line !== "").sort();
  const isMissing = wanted.some((record) => !records.includes(record));
  if (!isMissing && (match === "contains" || records.length === wanted.length)) return;
  const found = isInternal ? "others" : records.slice(0, 5).join(", ");
  throw new ProbeFailure(
    "record",
    `The records are not the expected ones: found ${found || "none"}; expected ${
      wanted.slice(0, 5).join(", ")
    }.`,
  );
}
