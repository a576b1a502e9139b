/** What a link to an issue shows to strangers: what broke and where. Never whom it hit, nor what was sent with it. */
import { findOrganization } from "../../accounts/organizations.ts";
import { findProject, type Project } from "../../accounts/projects.ts";
import type { Stores } from "../../store/stores.ts";
import { asObject } from "../../ui/json.ts";
import { type Exception, exceptionsOf } from "../event/interfaces.ts";
import { type Frame, framesOf } from "../event/stack.ts";
import { findEventOfIssue } from "../events.ts";
import { findIssue, type Issue } from "../issues.ts";
import { findShare, type Share } from "./shares.ts";

export interface SharedIssue {
  readonly share: Share;
  readonly project: Project;
  readonly issue: Issue;
  /** The newest event; null when all have expired. */
  readonly event: {
    readonly eventId: string;
    readonly timestamp: Date;
    /** Outermost first; without a variable, and without source unless the link says so. */
    readonly exceptions: readonly Exception[];
  } | null;
}

/** More frames nobody reads, and a page would grow too large. */
const MAX_FRAMES = 200;
const MAX_EXCEPTIONS = 20;
const MAX_VALUE = 2_000;

/**
 * What a link leads to. Null for one that never was, has ended or is revoked, and where issue or project are gone.
 *
 * @param shareId what a stranger sent, whatever it is
 */
export async function loadShared(
  { kv, sql }: Pick<Stores, "kv" | "sql">,
  shareId: string,
): Promise<SharedIssue | null> {
  const share = await findShare(sql, shareId);
  if (share === null) return null;
  const [project, found] = await Promise.all([
    findProject(kv, share.projectId),
    findIssue(sql, share.projectId, share.issueId),
  ]);
  if (project === null || found === null) return null;
  if (await findOrganization(kv, project.organizationId) === null) return null;
  // What it was merged into is another issue, of which nobody has shared anything.
  if (found.mergedInto !== null) return null;
  const event = await findEventOfIssue(sql, project.id, found.id, "latest");
  return {
    share,
    project,
    issue: found,
    event: event && {
      eventId: event.eventId,
      timestamp: event.timestamp,
      exceptions: exceptionsFor(event.payload, event.platform, share.withSource),
    },
  };
}

function exceptionsFor(payload: string, platform: string, withSource: boolean): Exception[] {
  const event = parse(payload);
  const exceptions = exceptionsOf(event);
  const all = exceptions.length > 0 ? exceptions : [{
    type: "",
    value: "",
    module: "",
    mechanism: null,
    link: null,
    depth: 0,
    frames: framesOf(event.stacktrace, platform),
  }];
  let room = MAX_FRAMES;
  return all.slice(0, MAX_EXCEPTIONS).map((exception) => {
    const frames = exception.frames.slice(0, Math.max(room, 1));
    room -= frames.length;
    const { type, value, module, link, depth } = exception;
    return {
      type,
      value: value.slice(0, MAX_VALUE),
      module,
      link,
      depth,
      mechanism: null,
      frames: frames.map((frame) => bare(frame, withSource)),
    };
  }).filter(({ type, value, frames }) => type !== "" || value !== "" || frames.length > 0);
}

/** Where a call is, and nothing that it worked on: what is not named here is not shown. */
function bare(frame: Frame, withSource: boolean): Frame {
  const { name, file, line, column, isInApp, language, repeats, omittedBelow } = frame;
  return {
    name,
    file,
    line,
    column,
    isInApp,
    language,
    repeats,
    omittedBelow,
    path: "",
    // Repositories are not for the public.
    code: null,
    variables: [],
    facts: [],
    source: withSource ? frame.source : [],
    isCut: false,
    unmapped: "",
  };
}

function parse(payload: string) {
  try {
    return asObject(JSON.parse(payload)) ?? {};
  } catch {
    return {};
  }
}
