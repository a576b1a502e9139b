import assert from "node:assert/strict";
import type { PGlite } from "@electric-sql/pglite";
import { limitIn } from "@/lib/store/embedded/server.ts";
import { Session } from "@/lib/store/embedded/session.ts";
import { takeSharedMemory } from "@/lib/store/embedded/interrupt.ts";

/** Lends a session to all of them; tells in which order they had it. */
async function order(holders: readonly ("intake" | "page")[]): Promise<string> {
  // Nobody asks the engine anything here.
  const session = new Session({} as PGlite);
  const first = await session.acquire();
  const had: string[] = [];
  const all = holders.map(async (kind) => {
    const hold = await session.acquire(kind === "intake");
    had.push(kind[0] ?? "");
    hold.release();
  });
  first.release();
  await Promise.all(all);
  const last = await session.acquire();
  last.release();
  return had.join("");
}

Deno.test("the session is lent to the intake before pages that have waited longer", async () => {
  assert.equal(await order(["page", "page", "intake", "intake"]), "iipp");
});

Deno.test("pages have their turn now and then while the intake always waits", async () => {
  const had = await order(["page", ...Array<"intake">(20).fill("intake")]);
  assert.equal(had.indexOf("p"), 8);
});

Deno.test("limitIn() reads the limit that a transaction sets itself, and allows four seconds at most", () => {
  const query = (text: string) => {
    const body = new TextEncoder().encode(`${text}\0`);
    return Uint8Array.from([0x51, 0, 0, 0, body.length + 4, ...body]);
  };
  assert.equal(limitIn(query("set local statement_timeout = 250; set local jit = off")), 250);
  assert.equal(limitIn(query("set local statement_timeout = 8000")), 4_000);
  assert.equal(limitIn(query("set local statement_timeout = 0")), null);
  assert.equal(limitIn(query("select 1")), null);
  assert.equal(limitIn(query("set local statement_timeout = 250").with(0, 0x50)), null);
});

Deno.test("takeSharedMemory() lets a module take a shared memory, whether or not it had a maximum", async () => {
  const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  const name = (text: string) => [text.length, ...new TextEncoder().encode(text)];
  for (const limits of [[0, 1], [1, 1, 4]]) {
    const imports = [1, ...name("env"), ...name("memory"), 2, ...limits];
    const wasm = Uint8Array.from([...header, 2, imports.length, ...imports]);
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 4, shared: true });
    const shared = takeSharedMemory(wasm) ?? assert.fail();
    await WebAssembly.instantiate(await WebAssembly.compile(shared), { env: { memory } });
    await assert.rejects(async () =>
      await WebAssembly.instantiate(await WebAssembly.compile(wasm), { env: { memory } })
    );
  }
  assert.equal(takeSharedMemory(Uint8Array.from(header)), null);
});
