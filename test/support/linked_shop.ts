import {
  addConnection,
  type ConnectionInput,
  type SavedConnection,
} from "../../lib/errors/links/connections.ts";
import type { LinkTools } from "../../lib/errors/links/link_actions.ts";
import type { TrackerType } from "../../lib/errors/links/tracker_types.ts";
import { failure, type Shop, shop } from "./shop.ts";

/** A shop with one issue, which trackers in private networks may be linked to. */
export interface LinkedShop extends Shop {
  readonly issueId: string;
  readonly tools: LinkTools;
  connect(type: TrackerType, input: ConnectionInput): Promise<SavedConnection>;
  /** Status of the issue. */
  status(): Promise<string>;
}

export async function linkedShop(): Promise<LinkedShop> {
  const app = await shop({ allowPrivateWebhooks: true });
  await app.store(failure("Cannot read price"));
  const { sql } = app.services;
  const [row] = await sql<{ id: string }[]>`select id::text as id from issues`;
  const issueId = row?.id ?? "";
  return {
    ...app,
    issueId,
    tools: app.services,
    connect: (type, input) =>
      addConnection(
        app.services,
        app.projectId,
        type,
        { name: type, ...input },
        "olga@example.com",
      ),
    async status() {
      const [issue] = await sql<
        { status: string }[]
      >`select status from issues where id = ${issueId}`;
      return issue?.status ?? "";
    },
  };
}
