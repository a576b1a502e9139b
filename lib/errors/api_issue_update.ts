import { z } from "zod";
import type { IssueStatus } from "./issue_status.ts";

/** Sentry's statuses, those that need features we do not have included: they mean the nearest we have. */
const STATUSES: Readonly<Record<string, IssueStatus>> = {
  unresolved: "unresolved",
  resolved: "resolved",
  resolvedInNextRelease: "resolved",
  ignored: "ignored",
  muted: "ignored",
};

/** The body of an update; other properties of Sentry's issues cannot be changed here and are ignored. */
export const IssueChanges = z.object({
  status: z.enum(["unresolved", "resolved", "resolvedInNextRelease", "ignored", "muted"])
    .optional(),
  /** Lists only: make one issue of all that are meant. */
  merge: z.union([z.literal(1), z.boolean()]).optional(),
}).transform(({ status, merge }) => ({
  status: status === undefined ? undefined : STATUSES[status],
  merge: Boolean(merge),
}));
