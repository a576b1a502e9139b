import { createHash } from "node:crypto";

/** Names a group in few characters, however long it is: a UUID. */
export function groupId(group: string): string {
  const hash = createHash("md5").update(group).digest("hex");
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
