/** https://www.speedscope.app on a port of its own, in Chromium. */
import type { Browser } from "playwright-core";

/** A function in its table, in the words of speedscope. */
export interface SpeedscopeRow {
  readonly name: string;
  /** As "30.00ms (75%)". */
  readonly total: string;
  readonly self: string;
}

export interface Speedscope extends AsyncDisposable {
  /** Opens a file, and reads the table of its first profile. @param name its ending tells nothing, its content does */
  open(name: string, file: string | Uint8Array): Promise<SpeedscopeRow[]>;
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html",
  js: "text/javascript",
  css: "text/css",
};
/** The view with the table. */
const SANDWICH_KEY = "3";
const OPENS_WITHIN_MS = 20_000;

/** @param directory where its built page is */
export function startSpeedscope(directory: URL, browser: Browser): Speedscope {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const name = new URL(request.url).pathname.slice(1) || "index.html";
    return respond(name, files.get(name) ?? null, directory);
  });
  const url = `http://127.0.0.1:${server.addr.port}/`;
  return {
    async open(name, file) {
      files.set(name, typeof file === "string" ? new TextEncoder().encode(file) : file.slice());
      const page = await browser.newPage();
      await page.goto(`${url}#profileURL=${encodeURIComponent(url + name)}`);
      await page.getByText("Sandwich").click({ timeout: OPENS_WITHIN_MS });
      await page.keyboard.press(SANDWICH_KEY);
      await page.getByText("Symbol Name").waitFor({ timeout: OPENS_WITHIN_MS });
      const rows = parseRows(await page.evaluate(() => document.body.innerText));
      await page.close();
      return rows;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function respond(
  name: string,
  file: Uint8Array<ArrayBuffer> | null,
  directory: URL,
): Promise<Response> {
  if (file !== null) return new Response(file);
  try {
    const type = TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream";
    const bytes = await Deno.readFile(new URL(name, directory));
    return new Response(bytes, { headers: { "content-type": type } });
  } catch {
    return new Response(null, { status: 404 });
  }
}

/** Three cells follow each other: total, own, name. */
function parseRows(text: string): SpeedscopeRow[] {
  const [, table = ""] = text.split("Symbol Name");
  const cells = table.split(/[\n\t]+/).map((cell) => cell.trim()).filter((cell) => cell !== "");
  return Array.from({ length: Math.floor(cells.length / 3) }, (_, row) => ({
    total: cells[3 * row] ?? "",
    self: cells[3 * row + 1] ?? "",
    name: cells[3 * row + 2] ?? "",
  }));
}
