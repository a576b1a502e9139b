/** Freed memory that the C library keeps goes back to the system, where an embedded Postgres and pages leave much of it. */
import { MINUTE_MS } from "../core/time.ts";
import { repeat, type Repeated } from "../core/waiting.ts";

/** glibc alone has it; other systems give freed memory back by themselves. */
const GLIBC = "libc.so.6";
const SYMBOLS = {
  // In a thread of its own: it takes 2 to 60 ms.
  malloc_trim: { parameters: ["usize"], result: "i32", nonblocking: true },
} as const;

/**
 * Has the C library give back, once a minute, what it keeps. It gives back only what lies at the end of its heaps, and
 * keeps what was freed between: 50 MB once the embedded Postgres is compiled, and 20 to 50 under load. Does nothing where
 * the library is another one.
 */
export function startReleasingMemory(): Repeated {
  const library = glibc();
  const releasing = repeat(
    async () => void await library?.symbols.malloc_trim(0n),
    () => library === null ? null : MINUTE_MS,
  );
  return {
    ...releasing,
    async close() {
      await releasing.close();
      library?.close();
    },
  };
}

function glibc(): Deno.DynamicLibrary<typeof SYMBOLS> | null {
  try {
    return Deno.dlopen(GLIBC, SYMBOLS);
  } catch {
    return null;
  }
}
