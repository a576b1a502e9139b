import { endPendingSignIn, findPendingSignIn } from "@/lib/accounts/pending_sign_in.ts";
import { answerPasskey, problemAnswer } from "@/lib/server/account/passkey_answers.ts";
import { define } from "@/lib/server/define.ts";
import { readPendingToken } from "@/lib/server/session.ts";
import { completePendingSignIn, completeSignIn } from "@/lib/server/sign_in.ts";
import { localPath, readForm } from "@/lib/ui/form.ts";
import { t } from "@/lib/core/language/translate.ts";

/** Signing in with a passkey: alone, or as the second step after a password. */
export const handler = define.handlers({
  GET: (ctx) => ctx.redirect("/sign-in", 303),

  async POST(ctx) {
    const form = await readForm(ctx.req);
    const next = localPath(form.get("next"), "/projects");
    if (ctx.url.searchParams.get("step") !== "second") {
      return await answerPasskey(
        ctx,
        form,
        "sign-in",
        null,
        (user) => completeSignIn(ctx, { user, method: "passkey" }, next),
      );
    }
    const { kv, config } = ctx.state.services;
    const token = readPendingToken(ctx.req, config);
    const found = await findPendingSignIn(kv, token);
    if (token === null || found === null) {
      return problemAnswer(t("That took too long. Sign in again."));
    }
    return await answerPasskey(ctx, form, "second-factor", found.user.id, async () => {
      await endPendingSignIn(kv, token);
      return await completePendingSignIn(ctx, found);
    });
  },
});
