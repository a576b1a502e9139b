import { csrf, session } from "../../lib/server/session.ts";

export default [csrf, session];
