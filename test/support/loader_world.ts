/** The service with a project whose browser key pages load, and a site of another origin with such pages. */
import { type IngestKey, listKeys } from "../../lib/accounts/keys.ts";
import { createProject } from "../../lib/accounts/projects.ts";
import { type Acme, acme } from "./ui_app.ts";

export interface LoaderWorld extends Acme {
  /** Address of the service, with its path prefix. */
  readonly baseUrl: string;
  readonly projectId: string;
  /** The project's browser key. */
  readonly key: IngestKey;
  /** Paths that were asked of the service, without their query, with their method. */
  readonly asked: readonly string[];
  /** Serves an HTML page and returns its address. */
  page(html: string, headers?: Record<string, string>): string;
}

/**
 * Both on ports of their own.
 *
 * @param options.prefix path that a proxy before the service takes away, as `/watch`
 * @param options.hasTls both on https, with a certificate that nobody has signed
 */
export async function loaderWorld({ prefix = "", hasTls = false } = {}): Promise<LoaderWorld> {
  await using opened = new AsyncDisposableStack();
  const asked: string[] = [];
  let handle: Acme["handle"] = () => Promise.resolve(new Response(null, { status: 503 }));
  const place = { port: 0, hostname: "127.0.0.1", onListen() {}, ...(hasTls && await tls()) };
  const scheme = hasTls ? "https" : "http";
  const service = Deno.serve(place, (request) => {
    const url = new URL(request.url);
    asked.push(`${request.method} ${url.pathname}`);
    if (!url.pathname.startsWith(`${prefix}/`)) return new Response(null, { status: 404 });
    url.pathname = url.pathname.slice(prefix.length);
    return handle(new Request(url, request));
  });
  opened.defer(() => service.shutdown());
  const baseUrl = `${scheme}://127.0.0.1:${service.addr.port}${prefix}`;
  const app = opened.use(await acme({ baseUrl }));
  handle = app.handle;

  const pages: { readonly html: string; readonly headers: Record<string, string> }[] = [];
  const site = Deno.serve(place, (request) => {
    const page = pages[Number(new URL(request.url).pathname.split("/")[2])];
    if (page === undefined) return new Response(null, { status: 404 });
    return new Response(page.html, {
      headers: { "content-type": "text/html; charset=utf-8", ...page.headers },
    });
  });
  opened.defer(() => site.shutdown());

  const { kv } = app.services;
  const { id: projectId } = await createProject(kv, {
    organizationId: app.organization.id,
    name: "Shop",
    platform: "javascript",
  });
  const key = (await listKeys(kv, projectId)).find(({ type }) => type === "browser");
  if (key === undefined) throw new Error("The project has no browser key");
  const all = opened.move();
  return {
    ...app,
    baseUrl,
    projectId,
    key,
    asked,
    page(html, headers = {}) {
      pages.push({ html: `<!doctype html><html lang="en"><head>${html}`, headers });
      return `${scheme}://127.0.0.1:${site.addr.port}/pages/${pages.length - 1}`;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function tls(): Promise<{ cert: string; key: string }> {
  const [cert, key] = await Promise.all(
    ["certificate.pem", "key.pem"].map((name) =>
      Deno.readTextFile(new URL(`../fixtures/tls/${name}`, import.meta.url))
    ),
  );
  return { cert: cert ?? "", key: key ?? "" };
}

/** The line that a site's owner pastes, for a key. */
export function lineOf(
  { baseUrl, key }: Pick<LoaderWorld, "baseUrl" | "key">,
  attributes = "async",
): string {
  return `<script src="${baseUrl}/js/${key.publicKey}.js" crossorigin ${attributes}></script>`;
}
