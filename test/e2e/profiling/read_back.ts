/** What became of profiles, beside what Go's own tool makes of them. */
import assert from "node:assert/strict";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import { inflatePprof } from "@/lib/formats/pprof/compression.ts";
import type { ValueType } from "@/lib/formats/pprof/profile.ts";
import { typeId, valueTypesOf } from "@/lib/formats/pprof/sample_types.ts";
import { callTree } from "@/lib/profiles/trees/call_tree.ts";
import { StackBuilder } from "@/lib/profiles/trees/stack_builder.ts";
import type { CallTree, StackProfile } from "@/lib/profiles/trees/stacks.ts";
import { topFunctions } from "@/lib/profiles/trees/top_functions.ts";
import { type GoTop, goTop } from "./go_pprof.ts";

/** As many functions as are compared in their order; their values are compared for all. */
const TOP = 20;

/** Profiles added up. @param profiles of the same types, gzip-compressed or not */
export function merged(profiles: readonly Uint8Array[]): StackProfile {
  const decoded = profiles.map((bytes) => decodePprof(inflatePprof(bytes)).profile);
  const [first] = decoded;
  assert.ok(first);
  const builder = new StackBuilder(valueTypesOf(first));
  for (const profile of decoded) builder.add(profile);
  return builder.build();
}

/**
 * Whether Go finds the same in an export as in the originals, functions and totals of every type, exactly; and whether
 * our own table of functions has these numbers too.
 *
 * @param originals as clients made them
 * @param exported all of them as one, as pprof
 * @param types those that the export has to have
 */
export async function areSameInGo(
  originals: readonly Uint8Array[],
  exported: Uint8Array,
  types: readonly ValueType[],
): Promise<void> {
  const stacks = merged([exported]);
  const ids = new Set(stacks.types.map(typeId));
  for (const type of types) {
    assert.ok(ids.has(typeId(type)), `${typeId(type)} is in the export`);
    const top = await goTop(originals, type, { rows: TOP });
    const own = await goTop([exported], type, { rows: TOP });
    assert.deepEqual(own.rows, top.rows, typeId(type));
    // Go's total takes memory that was freed for allocated, sample by sample, of which an export has fewer.
    if (!originals.some(hasNegatives)) assert.equal(own.total, top.total, typeId(type));
    hasSameFunctions(callTree(stacks, type), await goTop(originals, type));
  }
}

function hasNegatives(bytes: Uint8Array): boolean {
  return decodePprof(inflatePprof(bytes)).profile.samples.values.some((value) => value < 0n);
}

/** Go takes functions of the same name for one, whatever their file. */
function hasSameFunctions(tree: CallTree, { rows }: GoTop): void {
  const byName = Map.groupBy(topFunctions(tree), ({ frame }) => frame.name);
  for (const { name, flat, cum } of rows) {
    const [own, ...others] = byName.get(name) ?? [];
    if (others.length > 0) continue;
    assert.deepEqual(
      [own?.self ?? 0n, own?.total ?? 0n],
      [flat, cum],
      `${name} ${typeId(tree.type)}`,
    );
  }
}
