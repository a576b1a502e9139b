import { csrf } from "../../lib/server/csrf.ts";
import { session } from "../../lib/server/session.ts";

export default [csrf, session];
