import { define } from "@/lib/server/define.ts";
import { answerStatus } from "@/lib/server/status_pages.ts";

/** The status page that an organization shows to the public. */
export const handler = define.handlers({ GET: answerStatus });
