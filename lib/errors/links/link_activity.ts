/** What links leave in the activity of issues. */
import type { Transaction } from "../../store/database.ts";
import { writeActivity } from "../workflow/activity.ts";

interface Linked {
  readonly title: string;
  /** As people call the tracker. */
  readonly provider: string;
  /** Address of the issue there. */
  readonly location: string;
  /** `acme/shop#12` */
  readonly label: string;
  /** It was made from here. */
  readonly isNew: boolean;
}

/** Notes that an issue was linked, in the transaction of the link. */
export async function noteLinked(
  tx: Transaction,
  { projectId, issueId, userId }: {
    readonly projectId: string;
    readonly issueId: string;
    readonly userId: string | null;
  },
  { isNew, ...data }: Linked,
): Promise<void> {
  await writeActivity(tx, [{
    projectId,
    issueId,
    type: "create_issue",
    actor: userId === null ? { kind: "system" } : { kind: "user", id: userId },
    data: { ...data, new: isNew },
    at: new Date(),
  }]);
}
