/** The trackers of a project: what was entered is checked, its secrets are sealed, and it is stored. */
import { isIP } from "node:net";
import { checkName } from "../../accounts/names.ts";
import { newSecret, openValue, sealValue } from "../../accounts/secrets.ts";
import { isPublicAddress } from "../../core/addresses.ts";
import type { Config } from "../../core/config.ts";
import { InvalidInput } from "../../core/errors.ts";
import { changesBetween } from "../../records/audit.ts";
import { auditChange, type AuditedKind, insertAudit, inTransaction } from "../../store/audit.ts";
import type { Queryable } from "../../store/database.ts";
import type { Stores } from "../../store/stores.ts";
import type { TrackerSecrets, TrackerSettings } from "./tracker.ts";
import { TRACKER_KINDS, type TrackerType } from "./tracker_types.ts";
import { t } from "../../core/language/translate.ts";

export interface Connection {
  readonly projectId: string;
  /** UUID. */
  readonly connectionId: string;
  readonly type: TrackerType;
  readonly name: string;
  readonly settings: TrackerSettings;
  readonly sealed: Uint8Array;
  /** Since when an issue that is resolved here is closed there; null: it is not. */
  readonly closesSince: Date | null;
  readonly askedAt: Date | null;
  /** What went wrong when it was asked last; `""` for nothing. */
  readonly lastError: string;
  /** When its webhook said something last. */
  readonly heardAt: Date | null;
  readonly updatedAt: Date;
  /** E-mail address; `""` for a bootstrap token. */
  readonly updatedBy: string;
}

/** What managing connections needs of the services. */
export interface LinkStores extends Pick<Stores, "kv" | "sql"> {
  readonly config: Pick<Config, "secretKey" | "allowPrivateWebhooks" | "baseUrl">;
}

/** What somebody entered: name, token and switches, and by their names the fields of the type. */
export type ConnectionInput = Readonly<Record<string, string | undefined>>;

/** A connection, and the secret of its webhook where that was just made: it is not shown again. */
export interface SavedConnection {
  readonly connection: Connection;
  readonly hookSecret: string | null;
}

const MAX_CONNECTIONS = 20;
const MAX_TOKEN = 2_000;

/** All connections of a project, by name. */
export async function listConnections(sql: Queryable, projectId: string): Promise<Connection[]> {
  return await sql<Connection[]>`
    select ${columns(sql)} from tracker_connections
    where project_id = ${projectId}
    order by lower(name), connection_id
  `;
}

/** The connection of this id, or null when the project has none. */
export async function findConnection(
  sql: Queryable,
  projectId: string,
  connectionId: string,
): Promise<Connection | null> {
  if (!isConnectionId(connectionId)) return null;
  const [connection] = await sql<Connection[]>`
    select ${columns(sql)} from tracker_connections
    where project_id = ${projectId} and connection_id = ${connectionId}
  `;
  return connection ?? null;
}

function columns(sql: Queryable) {
  return sql`
    project_id::text as "projectId", connection_id as "connectionId", type, name, settings, sealed,
    closes_since as "closesSince", asked_at as "askedAt", last_error as "lastError",
    heard_at as "heardAt", updated_at as "updatedAt", updated_by as "updatedBy"
  `;
}

function isConnectionId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

/**
 * Adds a tracker to a project.
 *
 * @param by e-mail address of who does it, or `""`
 * @throws {InvalidInput}
 */
export async function addConnection(
  stores: LinkStores,
  projectId: string,
  type: TrackerType,
  input: ConnectionInput,
  by: string,
): Promise<SavedConnection> {
  const { sql } = stores;
  const name = checkName("name", input.name ?? "");
  const settings = checkSettings(type, input, {}, stores.config.allowPrivateWebhooks);
  const secrets = { token: checkToken(input.token ?? ""), hookSecret: newHookSecret() };
  if ((await listConnections(sql, projectId)).length >= MAX_CONNECTIONS) {
    throw new InvalidInput(
      "",
      t("A project has at most {n} tracker.|A project has at most {n} trackers.", {
        n: MAX_CONNECTIONS,
      }),
    );
  }
  const connectionId = crypto.randomUUID();
  const sealed = await sealValue(stores, placeOf(projectId, connectionId), secrets);
  const closes = input.closes === "on";
  await inTransaction(sql, async (tx) => {
    await tx`
      insert into tracker_connections (
        project_id, connection_id, type, name, settings, sealed, closes_since, created_at, updated_at,
        updated_by
      ) values (
        ${projectId}, ${connectionId}, ${type}, ${name}, ${tx.json({ ...settings })}, ${sealed},
        case when ${closes} then now() end, now(), now(), ${by}
      )
    `;
    const made = await findConnection(tx, projectId, connectionId);
    await auditChange(tx, "integration.add", AUDITED, null, made);
  });
  return saved(await findConnection(sql, projectId, connectionId), secrets.hookSecret);
}

/** What may be shown: token and secret are sealed. */
const AUDITED: AuditedKind<Connection> = {
  kind: "tracker",
  of: ({ projectId, connectionId, name }) => ({ projectId, id: connectionId, label: name }),
  shown: ({ type, name, settings, closesSince }) => ({
    type,
    name,
    settings,
    closes: closesSince !== null,
  }),
};

/**
 * Changes name, settings and token of a connection; an empty token stays as it is, `-` removes it.
 *
 * @returns with the secret of the webhook where that was lost and is a new one now; null when the connection is gone
 * @throws {InvalidInput}
 */
export async function changeConnection(
  stores: LinkStores,
  connection: Connection,
  input: ConnectionInput,
  by: string,
): Promise<SavedConnection | null> {
  const { sql, config } = stores;
  const { projectId, connectionId, type } = connection;
  const name = checkName("name", input.name ?? "");
  const settings = checkSettings(type, input, connection.settings, config.allowPrivateWebhooks);
  const former = await openSecrets(stores, connection);
  const entered = checkToken(input.token ?? "");
  if (entered === "" && former !== null && former.token !== "" && hasMoved(connection, settings)) {
    throw new InvalidInput(
      "token",
      t("Enter the token again: it is not sent to another address than the one it was entered for."),
    );
  }
  const token = entered === "-" ? "" : entered || (former?.token ?? "");
  const hookSecret = former?.hookSecret ?? newHookSecret();
  const sealed = await sealValue(stores, placeOf(projectId, connectionId), { token, hookSecret });
  const closes = input.closes === "on";
  const found = await inTransaction(sql, async (tx) => {
    await tx`
      update tracker_connections set
        name = ${name}, settings = ${tx.json({ ...settings })}, sealed = ${sealed},
        closes_since = ${closes ? tx`least(closes_since, now())` : null},
        last_error = '', updated_at = now(), updated_by = ${by}
      where project_id = ${projectId} and connection_id = ${connectionId}
    `;
    const changed = await findConnection(tx, projectId, connectionId);
    if (changed === null) return null;
    const isOtherToken = entered !== "" && token !== (former?.token ?? "");
    await insertAudit(tx, {
      event: "integration.edit",
      projectId,
      target: { kind: AUDITED.kind, id: connectionId, label: name },
      changes: {
        ...changesBetween(AUDITED.shown(connection), AUDITED.shown(changed)),
        ...(isOtherToken ? { token: ["[secret]", "[secret]"] as const } : {}),
      },
    });
    return changed;
  });
  return found && saved(found, former === null ? hookSecret : null);
}

/** Whether what the token is sent to is another server now. */
function hasMoved({ settings }: Connection, { url }: TrackerSettings): boolean {
  return URL.parse(settings.url ?? "")?.origin !== URL.parse(url ?? "")?.origin;
}

/** Gives the webhook a new secret; the old one proves nothing from then on. @returns null when the connection is gone */
export async function renewHookSecret(
  stores: LinkStores,
  connection: Connection,
  by: string,
): Promise<SavedConnection | null> {
  const { sql } = stores;
  const { projectId, connectionId } = connection;
  const former = await openSecrets(stores, connection);
  const hookSecret = newHookSecret();
  const secrets = { token: former?.token ?? "", hookSecret };
  const sealed = await sealValue(stores, placeOf(projectId, connectionId), secrets);
  const count = await inTransaction(sql, async (tx) => {
    const { count } = await tx`
      update tracker_connections set sealed = ${sealed}, updated_at = now(), updated_by = ${by}
      where project_id = ${projectId} and connection_id = ${connectionId}
    `;
    if (count > 0) {
      await insertAudit(tx, {
        event: "integration.rotate-client-secret",
        projectId,
        target: { kind: AUDITED.kind, id: connectionId, label: connection.name },
      });
    }
    return count;
  });
  return count === 0 ? null : saved({ ...connection, sealed }, hookSecret);
}

/** Removes a tracker; the links to its issues stay, as plain addresses. @returns false when it was gone already */
export async function deleteConnection(
  sql: LinkStores["sql"],
  projectId: string,
  connectionId: string,
): Promise<boolean> {
  return await inTransaction(sql, async (tx) => {
    const before = await findConnection(tx, projectId, connectionId);
    await auditChange(tx, "integration.remove", AUDITED, before, null);
    await tx`
      update issue_links set connection_id = null
      where project_id = ${projectId} and connection_id = ${connectionId}
    `;
    await tx`
      delete from tracker_deliveries
      where project_id = ${projectId} and connection_id = ${connectionId}
    `;
    const { count } = await tx`
      delete from tracker_connections
      where project_id = ${projectId} and connection_id = ${connectionId}
    `;
    return count > 0;
  });
}

/** Notes what came of asking a tracker. @param error `""` for nothing */
export async function noteAsked(
  sql: Queryable,
  { projectId, connectionId }: Connection,
  error: string,
): Promise<void> {
  await sql`
    update tracker_connections set asked_at = now(), last_error = ${error}
    where project_id = ${projectId} and connection_id = ${connectionId}
  `;
}

/** The secrets of a connection; null when the key of this instance is another one now. */
export async function openSecrets(
  { kv, config }: Pick<LinkStores, "kv" | "config">,
  { projectId, connectionId, sealed }: Connection,
): Promise<TrackerSecrets | null> {
  return await openValue<TrackerSecrets>({ kv, config }, placeOf(projectId, connectionId), sealed);
}

function placeOf(projectId: string, connectionId: string): string {
  return `tracker/${projectId}/${connectionId}`;
}

function saved(connection: Connection | null, hookSecret: string | null): SavedConnection {
  if (connection === null) throw new Error("Cannot find the tracker that was just saved");
  return { connection, hookSecret };
}

/**
 * Reads the settings of a connection.
 *
 * @param former what holds so far; what is absent from `input` stays
 * @param allowsPrivate whether requests may go to private networks
 * @throws {InvalidInput}
 */
function checkSettings(
  type: TrackerType,
  input: ConnectionInput,
  former: TrackerSettings,
  allowsPrivate: boolean,
): TrackerSettings {
  const { fields } = TRACKER_KINDS[type];
  const settings = Object.fromEntries(fields.map(({ name, schema }) => {
    const result = schema.safeParse(input[name]?.trim() ?? former[name] ?? "");
    if (result.success) return [name, result.data];
    throw new InvalidInput(name, result.error.issues[0]?.message ?? "");
  }));
  if (settings.url !== undefined && !allowsPrivate) refusePrivate(settings.url);
  return settings;
}

function checkToken(text: string): string {
  const token = text.trim();
  if (token.length > MAX_TOKEN || !/^[\x21-\x7e]*$/.test(token)) {
    throw new InvalidInput(
      "token",
      t("This is no token: it has no blanks, and letters of ASCII only."),
    );
  }
  return token;
}

/** Names are judged when they are used: what they lead to may change. */
function refusePrivate(url: string): void {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  if (host === "localhost" || isIP(host) !== 0 && !isPublicAddress(host)) {
    throw new InvalidInput(
      "url",
      t("This address is in a private or reserved network. The operator of this instance can allow such addresses."),
    );
  }
}

function newHookSecret(): string {
  return `whsec_${newSecret()}`;
}

/** Where the tracker's webhook posts to. */
export function hookUrl(
  { config }: Pick<LinkStores, "config">,
  { projectId, connectionId }: Connection,
): string {
  return `${config.baseUrl}/hooks/${projectId}/${connectionId}`;
}
