import type { ProjectAccess } from "../../accounts/authorize.ts";
import type { ValueType } from "../../formats/pprof/profile.ts";
import { readTypeId } from "../../formats/pprof/sample_types.ts";
import type { ProfileQuery } from "../queries/profile_types.ts";
import { PROFILE_KINDS, type ProfileKind } from "../../records/mod.ts";
import type { ApiContext } from "../../api/api.ts";
import { ApiError } from "../../api/api_error.ts";
import { readText, readTracing } from "../../releases/read_tracing.ts";

const MAX_VALUES = 50;
const EXAMPLE = "memory:inuse_space:bytes";

/**
 * Reads which profiles of a project a request is about: environment, release, service and time as for traces, `kind`,
 * `type` (as `cpu:nanoseconds`, or with the kind before it), `transaction`, `label` (`key=value`), `profile`,
 * `profiler`, `thread`, `trace`, `span` and `clip`.
 *
 * @throws {ApiError} 400 naming the parameter that is wrong
 */
export function readProfileQuery(ctx: ApiContext, access: ProjectAccess): ProfileQuery {
  const { project, scope, interval } = readTracing(ctx, access);
  const { searchParams: search } = ctx.url;
  const profileIds = listOf(search, "profile").map((id) => hexOf("profile", id, 32));
  return {
    projectId: project.id,
    environments: scope.environments,
    releases: scope.releases,
    services: scope.services,
    ...interval,
    ...readValue(search),
    transaction: readText(search, "transaction") || undefined,
    labels: listOf(search, "label").map(readLabel),
    profileIds: profileIds.length === 0 ? undefined : profileIds,
    profilerId: readHex(search, "profiler", 32),
    threadId: readText(search, "thread") || undefined,
    traceId: readHex(search, "trace", 32),
    spanId: readHex(search, "span", 16),
    clip: readFlag(search, "clip"),
  };
}

/** `1`, `true`, `0`, `false` or nothing. @throws {ApiError} 400 for anything else */
export function readFlag(search: URLSearchParams, name: string): boolean {
  const text = search.get(name) ?? "";
  if (["1", "true"].includes(text)) return true;
  if (["", "0", "false"].includes(text)) return false;
  throw ApiError.detail(400, `Invalid ${name}: write 1 or 0`);
}

/** One of some words, the first when nothing is said. @throws {ApiError} 400 for anything else */
export function readWord<Word extends string>(
  search: URLSearchParams,
  name: string,
  words: readonly [Word, ...Word[]],
): Word {
  const text = search.get(name) || words[0];
  const word = words.find((each) => each === text);
  if (word !== undefined) return word;
  throw ApiError.detail(400, `Invalid ${name}: write ${words.join(", ")}`);
}

/** 32 lower-case hex digits out of what clients write; null for anything else. */
export function readProfileId(text: string): string | null {
  return hexDigits(text, 32);
}

function readValue(search: URLSearchParams): { kind?: ProfileKind; type?: ValueType } {
  const text = search.get("type") ?? "";
  const colon = text.indexOf(":");
  const hasKind = text.split(":").length === 3;
  const kind = readKind(search.get("kind") || (hasKind ? text.slice(0, colon) : ""));
  const type = text === "" ? null : readTypeId(hasKind ? text.slice(colon + 1) : text);
  if (text !== "" && type === null) {
    throw ApiError.detail(400, `Invalid type: write cpu:nanoseconds, or ${EXAMPLE}`);
  }
  return { ...kind && { kind }, ...type && { type } };
}

function readKind(text: string): ProfileKind | null {
  if (text === "") return null;
  const kind = PROFILE_KINDS.find((each) => each === text);
  if (kind !== undefined) return kind;
  throw ApiError.detail(400, `Invalid kind: write ${PROFILE_KINDS.join(", ")}`);
}

function listOf(search: URLSearchParams, name: string): string[] {
  const values = search.getAll(name).filter((value) => value !== "");
  if (values.length <= MAX_VALUES) return values;
  throw ApiError.detail(400, `Too many values of ${name}: write at most ${MAX_VALUES}`);
}

function readLabel(text: string): readonly [string, string] {
  const sign = text.indexOf("=");
  if (sign > 0) return [text.slice(0, sign), text.slice(sign + 1)];
  throw ApiError.detail(400, "Invalid label: write key=value");
}

function readHex(search: URLSearchParams, name: string, digits: number): string | undefined {
  const text = search.get(name);
  return text ? hexOf(name, text, digits) : undefined;
}

function hexOf(name: string, text: string, digits: number): string {
  const id = hexDigits(text, digits);
  if (id !== null) return id;
  throw ApiError.detail(400, `Invalid ${name}: write ${digits} hexadecimal digits`);
}

function hexDigits(text: string, digits: number): string | null {
  const id = text.replaceAll("-", "").toLowerCase();
  return id.length === digits && /^[0-9a-f]+$/.test(id) ? id : null;
}
