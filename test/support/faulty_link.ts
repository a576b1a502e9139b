import { connectEmbedded, connectServer, type Sql } from "../../lib/store/database.ts";
import { type TcpLink, tcpLink } from "./tcp_link.ts";

/** A connection to a test's database that can be broken. */
export interface FaultyLink extends TcpLink {
  readonly sql: Sql;
}

/** Opens a pool on the database of `sql` that goes through a small proxy on the loopback. */
export function faultyLink(sql: Sql): FaultyLink {
  const { host, port, path, database, user, pass, connection } = sql.options;
  const link = tcpLink(() =>
    path
      ? Deno.connect({ transport: "unix", path })
      : Deno.connect({ hostname: String(host[0]), port: Number(port[0]) })
  );
  const searchPath = connection.search_path;
  const broken = typeof searchPath === "string"
    ? connectEmbedded({ transport: "tcp", port: link.port }, { searchPath })
    : connectServer(`postgres://${user}:${pass}@127.0.0.1:${link.port}/${database}`);
  return {
    ...link,
    sql: broken,
    async [Symbol.asyncDispose]() {
      await broken.end({ timeout: 0.2 });
      await link[Symbol.asyncDispose]();
    },
  };
}
