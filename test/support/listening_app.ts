import { dsn, listKeys } from "../../lib/accounts/keys.ts";
import { createProject } from "../../lib/accounts/projects.ts";
import { freePort } from "./server.ts";
import { type Acme, acme } from "./ui_app.ts";

export interface ListeningApp extends Acme {
  readonly url: string;
  readonly projectId: string;
  readonly serverDsn: string;
  readonly browserDsn: string;
}

/**
 * The whole app on a port of its own in this process, so that a test can look into its stores.
 *
 * @param knowsAddress whether its own address in answers is the one that it listens at
 */
export async function listeningApp(knowsAddress = false): Promise<ListeningApp> {
  await using opened = new AsyncDisposableStack();
  const port = freePort();
  const app = opened.use(
    await acme(knowsAddress ? { baseUrl: `http://127.0.0.1:${port}` } : {}),
  );
  const server = Deno.serve(
    { port, hostname: "127.0.0.1", onListen() {} },
    (request) => app.handle(request),
  );
  opened.defer(() => server.shutdown());
  const { kv } = app.services;
  const { id } = await createProject(kv, {
    organizationId: app.organization.id,
    name: "Shop",
    platform: "node",
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const keys = await listKeys(kv, id);
  const dsnOf = (type: string) => {
    const key = keys.find((each) => each.type === type);
    return key === undefined ? "" : dsn(url, key);
  };
  const all = opened.move();
  return {
    ...app,
    url,
    projectId: id,
    serverDsn: dsnOf("server"),
    browserDsn: dsnOf("browser"),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
