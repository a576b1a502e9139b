import { dsn, listKeys } from "../../lib/accounts/keys.ts";
import { createProject } from "../../lib/accounts/projects.ts";
import { type Acme, acme } from "./ui_app.ts";

export interface ListeningApp extends Acme {
  readonly url: string;
  readonly projectId: string;
  readonly serverDsn: string;
  readonly browserDsn: string;
}

/** The whole app on a port of its own in this process, so that a test can look into its stores. */
export async function listeningApp(): Promise<ListeningApp> {
  await using opened = new AsyncDisposableStack();
  const app = opened.use(await acme());
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
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
