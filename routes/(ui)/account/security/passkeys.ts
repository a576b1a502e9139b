import { requireUser } from "@/lib/accounts/authorize.ts";
import { addPasskey, registrationOptions, relyingParty } from "@/lib/accounts/passkeys.ts";
import { factorsOf } from "@/lib/accounts/second_factors.ts";
import { t } from "@/lib/core/language/translate.ts";
import { makeChallenge, takeChallenge } from "@/lib/server/account/challenge.ts";
import {
  goOn,
  noPasskeysAnswer,
  optionsAnswer,
  parse,
  problemAnswer,
} from "@/lib/server/account/passkey_answers.ts";
import { define } from "@/lib/server/define.ts";
import { requireRecent } from "@/lib/server/recent_proof.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";

/** Adding a passkey, as the script of the security page asks. */
export const handler = define.handlers({
  GET: (ctx) => ctx.redirect("/account/security", 303),

  async POST(ctx) {
    const user = requireUser(ctx.state);
    requireRecent(ctx);
    const { services } = ctx.state;
    const party = relyingParty(services.config.baseUrl);
    if (party === null) return noPasskeysAnswer();
    const form = await readForm(ctx.req);
    if (form.get("action") === "options") {
      const { bytes, cookie } = await makeChallenge(services, "add", user.id);
      return optionsAnswer(await registrationOptions(services.kv, user, party, bytes), cookie);
    }
    const challenge = await takeChallenge(services, ctx.req, "add", user.id);
    if (challenge === null) return problemAnswer(t("That took too long. Try again."));
    const response = parse(form.get("response"));
    const name = fieldOf(form, "name");
    const result = await attempt(() =>
      addPasskey(services.kv, user, party, { response, challenge, name })
    );
    if (!result.ok) return problemAnswer(Object.values(result.errors)[0] ?? "");
    const { recoveryCodesLeft } = await factorsOf(services.kv, user.id);
    return goOn(
      redirectWithFlash(
        recoveryCodesLeft === 0 ? "/account/security/recovery-codes" : "/account/security",
        t("The passkey is added."),
      ),
    );
  },
});
