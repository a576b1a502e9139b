/**
 * Merged profiles, in memory and in the object store. Their name is made of the ids of what is in them, so that nothing
 * is ever wrong: a profile that comes late, or is deleted, makes another name.
 */
import { packStacks, unpackStacks } from "../trees/pack_stacks.ts";
import type { StackProfile } from "../trees/stack_profile.ts";
import { StackMemory } from "./stack_memory.ts";
import type { ProfileStores } from "./merge_work.ts";

type Objects = ProfileStores["objects"];

/** Those of one object store never stand for those of another. */
const memories = new WeakMap<Objects, StackMemory>();

/** A merge that was made before, or null. A damaged one is none. */
export async function readMerge(objects: Objects, key: string): Promise<StackProfile | null> {
  const known = memoryOf(objects).get(key);
  if (known !== undefined) return known;
  const bytes = await objects.get(key);
  const stacks = bytes === null ? null : unpacked(bytes);
  if (stacks !== null) memoryOf(objects).set(key, stacks);
  return stacks;
}

/** Keeps a merge. An object store that does not take it costs the next reader time, and nobody anything else. */
export async function keepMerge(
  objects: Objects,
  key: string,
  stacks: StackProfile,
): Promise<void> {
  memoryOf(objects).set(key, stacks);
  await objects.put(key, packStacks(stacks)).catch(() => {});
}

function memoryOf(objects: Objects): StackMemory {
  const known = memories.get(objects);
  if (known !== undefined) return known;
  const memory = new StackMemory();
  memories.set(objects, memory);
  return memory;
}

function unpacked(bytes: Uint8Array): StackProfile | null {
  try {
    return unpackStacks(bytes);
  } catch {
    return null;
  }
}
