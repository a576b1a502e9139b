import assert from "node:assert/strict";
import { startReleasingMemory } from "@/lib/server/spare_memory.ts";

const PIECE = 65_536;
const PIECES = 2_000;
const MB = 2 ** 20;

const isGlibc = Deno.build.os === "linux" && hasGlibc();

Deno.test({
  name: "memory that was freed between pieces that are used goes back to the system",
  ignore: !isGlibc,
  async fn() {
    const libc = Deno.dlopen("libc.so.6", {
      malloc: { parameters: ["usize"], result: "pointer" },
      memset: { parameters: ["pointer", "i32", "usize"], result: "pointer" },
      free: { parameters: ["pointer"], result: "void" },
    });
    const { malloc, memset, free } = libc.symbols;
    const pieces = Array.from({ length: PIECES }, () => malloc(BigInt(PIECE)));
    for (const piece of pieces) memset(piece, 1, BigInt(PIECE));
    const kept = pieces.filter((_, index) => index % 20 === 19);
    for (const piece of pieces.filter((_, index) => index % 20 !== 19)) free(piece);
    const before = Deno.memoryUsage().rss;
    const releasing = startReleasingMemory();
    await releasing.run();
    await releasing.close();
    const after = Deno.memoryUsage().rss;
    for (const piece of kept) free(piece);
    libc.close();
    assert(after < before - 80 * MB, `${before / MB} MB before, ${after / MB} after`);
  },
});

function hasGlibc(): boolean {
  try {
    Deno.dlopen("libc.so.6", {}).close();
    return true;
  } catch {
    return false;
  }
}
