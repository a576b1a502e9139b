/** What people do with links: make an issue in a tracker, link one that is there, unlink. */
import { InvalidInput, storable } from "../../core/errors.ts";
import type { Sql } from "../../store/database.ts";
import { type Ask, asking, type AskTools, TrackerFailure } from "./ask.ts";
import {
  type Connection,
  findConnection,
  type LinkStores,
  listConnections,
  noteAsked,
  openSecrets,
} from "./connections.ts";
import { deleteLink, insertLink, linksOfIssue, MAX_LINKS } from "./issue_links.ts";
import { noteLinked } from "./link_activity.ts";
import type { Draft, RemoteIssue, TrackerApi } from "./tracker.ts";
import { TRACKER_KINDS } from "./tracker_types.ts";
import { t } from "../../core/language/translate.ts";

/** An issue that links are changed of, and by whom. */
export interface Linking {
  readonly projectId: string;
  readonly issueId: string;
  /** E-mail address; `""` for a token of the instance. */
  readonly by: string;
  /** Null for a token of the instance. */
  readonly userId: string | null;
}

export interface LinkTools extends LinkStores {
  readonly ask?: Omit<AskTools, "config">;
}

/** A link that was made, as it can be told. */
export interface MadeLink {
  readonly id: string;
  readonly key: string;
  readonly url: string;
}

const MAX_TITLE = 255;
const MAX_BODY = 60_000;

/**
 * Makes an issue in a tracker and links it.
 *
 * @param onceId made with the form: sent twice it makes one issue
 * @throws {InvalidInput} what was entered cannot be taken, or the tracker did not take it
 */
export async function createRemote(
  tools: LinkTools,
  linking: Linking,
  connectionId: string,
  draft: Draft,
  onceId: string,
): Promise<MadeLink> {
  const { sql } = tools;
  const { projectId } = linking;
  const connection = await findConnection(sql, projectId, connectionId);
  if (connection === null) {
    throw new InvalidInput("tracker", t("This tracker does not exist any more."));
  }
  const checked = checkDraft(draft);
  await refuseTooMany(sql, linking);
  const begun = `create:${storable(onceId).slice(0, 100)}`;
  if (!await begin(sql, connection, begun)) {
    throw new InvalidInput(
      "",
      t("This form was sent before: the issue is made, or is being made."),
    );
  }
  try {
    const remote = await askTracker(
      tools,
      connection,
      (api, ask, settings) => api.create(ask, settings, checked),
    );
    return await link(sql, linking, connection, remote, true);
  } catch (error) {
    await forget(sql, connection, begun);
    throw inputOf(error);
  }
}

/** @throws {InvalidInput} */
function checkDraft({ title, body, labels, assignee }: Draft): Draft {
  if (title.trim() === "") throw new InvalidInput("title", t("Enter a title."));
  if (title.length > MAX_TITLE) {
    throw new InvalidInput(
      "title",
      t(
        "Enter a title of at most {n} character.|Enter a title of at most {n} characters.",
        { n: MAX_TITLE },
      ),
    );
  }
  if (body.length > MAX_BODY) {
    throw new InvalidInput(
      "body",
      t("Enter a text of at most {n} character.|Enter a text of at most {n} characters.", {
        n: MAX_BODY,
      }),
    );
  }
  return {
    title: title.trim().toWellFormed(),
    body: body.toWellFormed(),
    labels,
    assignee: assignee.trim().replace(/^@/, ""),
  };
}

async function begin(sql: Sql, connection: Connection, id: string): Promise<boolean> {
  const { count } = await sql`
    insert into tracker_deliveries (project_id, connection_id, delivery_id, received_at)
    values (${connection.projectId}, ${connection.connectionId}, ${id}, now())
    on conflict do nothing
  `;
  return count > 0;
}

async function forget(sql: Sql, connection: Connection, id: string): Promise<void> {
  await sql`
    delete from tracker_deliveries
    where project_id = ${connection.projectId} and connection_id = ${connection.connectionId}
      and delivery_id = ${id}
  `;
}

/**
 * Links an issue that is there already, by its address or its key.
 *
 * @throws {InvalidInput}
 */
export async function attachRemote(
  tools: LinkTools,
  linking: Linking,
  entered: string,
): Promise<MadeLink> {
  const { sql } = tools;
  const text = storable(entered.trim());
  if (text === "" || text.length > 2_000) {
    throw new InvalidInput("url", t("Enter the address or the key of an issue."));
  }
  await refuseTooMany(sql, linking);
  const connections = await listConnections(sql, linking.projectId);
  const meant = connections.flatMap((connection) => {
    const ref = TRACKER_KINDS[connection.type].refOf(connection.settings, text);
    return ref === null ? [] : [{ connection, ref }];
  });
  const [first, second] = meant;
  if (first === undefined) return await attachAddress(sql, linking, text);
  if (second !== undefined && !/^https?:/i.test(text)) {
    throw new InvalidInput("url", t("Several trackers have such keys: enter the address."));
  }
  const remote = await readRemote(tools, first.connection, first.ref);
  return await link(sql, linking, first.connection, remote, false);
}

/** What it is there; unknown where it cannot be asked. @throws {InvalidInput} when the tracker does not have it */
async function readRemote(
  tools: LinkTools,
  connection: Connection,
  ref: string,
): Promise<RemoteIssue> {
  const unknown = { ref, title: "", state: "unknown" } as const;
  const secrets = await openSecrets(tools, connection);
  if (!secrets?.token || TRACKER_KINDS[connection.type].api === null) return unknown;
  try {
    return await askTracker(
      tools,
      connection,
      (api, ask, settings) => api.read(ask, settings, ref),
    );
  } catch (error) {
    if (!(error instanceof TrackerFailure)) throw error;
    if (error.status === 404) throw new InvalidInput("url", error.message);
    return unknown;
  }
}

/** An address of none of the project's trackers: a link and nothing more. */
async function attachAddress(sql: Sql, linking: Linking, text: string): Promise<MadeLink> {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== "") {
    throw new InvalidInput(
      "url",
      t("This is neither an address that starts with https:// or http://, nor a key of one of the project's trackers."),
    );
  }
  const key = url.host + decoded(url.pathname).replace(/\/$/, "");
  return await store(
    sql,
    linking,
    {
      connectionId: null,
      key: key.slice(0, 200).toWellFormed(),
      url: url.href,
      title: "",
      state: "unknown",
    },
    "Link",
    false,
  );
}

function decoded(path: string): string {
  try {
    return storable(decodeURIComponent(path));
  } catch {
    return path;
  }
}

async function link(
  sql: Sql,
  linking: Linking,
  { connectionId, type, settings }: Connection,
  { ref, title, state }: RemoteIssue,
  isNew: boolean,
): Promise<MadeLink> {
  const kind = TRACKER_KINDS[type];
  // It becomes part of addresses, and a tracker may answer anything.
  if (kind.refOf(settings, ref) === null) {
    throw new InvalidInput(
      "",
      t("The tracker's response names no issue of {place}.", { place: kind.placeOf(settings) }),
    );
  }
  const [key, url] = [kind.keyOf(settings, ref), kind.urlOf(settings, ref)];
  return await store(sql, linking, { connectionId, key, url, title, state }, kind.label, isNew);
}

async function store(
  sql: Sql,
  linking: Linking,
  fields: Pick<
    Parameters<typeof insertLink>[1],
    "connectionId" | "key" | "url" | "title" | "state"
  >,
  provider: string,
  isNew: boolean,
): Promise<MadeLink> {
  const { projectId, issueId, by } = linking;
  return await sql.begin(async (tx) => {
    const id = await insertLink(tx, { projectId, issueId, createdBy: by, ...fields });
    if (id === null) {
      throw new InvalidInput("url", t("{key} is linked already.", { key: fields.key }), "taken");
    }
    const { title, url, key } = fields;
    await noteLinked(tx, linking, {
      title: title || key,
      provider,
      location: url,
      label: key,
      isNew,
    });
    return { id, key, url };
  });
}

/** Removes a link; the issue in the tracker stays. @returns false when there is none of this id */
export function unlink(
  sql: Sql,
  { projectId, issueId }: Linking,
  linkId: string,
): Promise<boolean> {
  return deleteLink(sql, projectId, issueId, linkId);
}

async function refuseTooMany(sql: Sql, { projectId, issueId }: Linking): Promise<void> {
  if ((await linksOfIssue(sql, projectId, issueId)).length < MAX_LINKS) return;
  throw new InvalidInput(
    "",
    t("An issue has at most {n} link.|An issue has at most {n} links.", { n: MAX_LINKS }),
  );
}

/** Tries address, project and token of a connection. @returns what it said @throws {TrackerFailure} */
export function testConnection(tools: LinkTools, connection: Connection): Promise<string> {
  return askTracker(tools, connection, (api, ask, settings) => api.test(ask, settings));
}

/**
 * Asks a tracker by its API, and notes with the connection what came of it.
 *
 * @throws {TrackerFailure}
 */
export async function askTracker<T>(
  tools: LinkTools,
  connection: Connection,
  question: (api: TrackerApi, ask: Ask, settings: Connection["settings"]) => Promise<T>,
): Promise<T> {
  const { api } = TRACKER_KINDS[connection.type];
  const secrets = await openSecrets(tools, connection);
  if (secrets === null) {
    const words = t("The token cannot be read: SERVICE_SECRET_KEY has changed. Enter it again.");
    throw new TrackerFailure(words, null, false);
  }
  if (api === null || secrets.token === "") {
    throw new TrackerFailure(t("This tracker has no token to work with."), null, false);
  }
  const { settings } = connection;
  const headers = api.authorization(settings, secrets.token);
  const credentials = Object.values(headers).map((value) => value.replace(/^\w+ /, ""));
  const ask = asking({ ...tools.ask, config: tools.config }, headers, [
    secrets.token,
    secrets.hookSecret,
    ...credentials,
  ]);
  try {
    const answer = await question(api, ask, settings);
    await noteAsked(tools.sql, connection, "");
    return answer;
  } catch (error) {
    if (error instanceof TrackerFailure) await noteAsked(tools.sql, connection, error.message);
    throw error;
  }
}

function inputOf(error: unknown): unknown {
  return error instanceof TrackerFailure ? new InvalidInput("", error.message) : error;
}
