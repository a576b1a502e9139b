import { csrf } from "../../lib/web/csrf.ts";
import { session } from "../../lib/web/session.ts";

export default [csrf, session];
