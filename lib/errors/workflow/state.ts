/** The states of issues and what leads from one to the other, in the words of the store. */
export const SUBSTATUSES = [
  "new",
  "ongoing",
  "regressed",
  "escalating",
  "archived_until_escalating",
  "archived_until_condition_met",
  "archived_forever",
] as const;
export type Substatus = (typeof SUBSTATUSES)[number];

export const PRIORITIES = ["high", "medium", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Who changes an issue: a person, a rule of the project, a release that came, or the passing of time. */
export interface IssueActor {
  readonly kind: "user" | "rule" | "release" | "system";
  /** Of a user or a rule. */
  readonly id?: string;
}

export const SYSTEM: IssueActor = { kind: "system" };

export interface Assignee {
  readonly kind: "user" | "team";
  readonly id: string;
}

/** Where an issue is resolved, if not simply now. */
export type Resolution =
  & (
    /** Events of this version or a newer one reopen it. */
    | { readonly kind: "release"; readonly version: string; readonly commit?: string }
    /** Events of any version newer than this one reopen it. */
    | { readonly kind: "next"; readonly after: string; readonly version?: undefined }
    /** As long as no release has the commit, nothing reopens it. */
    | { readonly kind: "commit"; readonly commit: string; readonly repository: string }
  )
  & { readonly actor?: IssueActor };

/** What ends an archiving, whichever comes first. */
export interface Snooze {
  /** ISO 8601. */
  readonly until?: string;
  /** So many more events; with `window`: within so many minutes. */
  readonly count?: number;
  readonly window?: number;
  readonly userCount?: number;
  readonly userWindow?: number;
  /** More events in an hour than this. */
  readonly ceilings?: readonly number[];
  /** The day of the first ceiling, ISO 8601. */
  readonly ceilingsFrom?: string;
  /** Events and users when it was archived. */
  readonly timesSeen: number;
  readonly usersSeen: number;
  readonly actor?: IssueActor;
}
