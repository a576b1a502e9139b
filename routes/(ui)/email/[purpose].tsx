import { HttpError, page } from "fresh";
import { followEmailLink } from "@/lib/accounts/email_change.ts";
import { findLink, type LinkPurpose } from "@/lib/accounts/mail_links.ts";
import { message, t } from "@/lib/core/language/translate.ts";
import {
  clearedLinkToken,
  readLinkToken,
  SECRET_PAGE,
  withoutToken,
} from "@/lib/server/account/link_token.ts";
import { define } from "@/lib/server/define.ts";
import { Button, LinkButton } from "@/lib/ui/components/button.tsx";
import { type FormErrors, FormSummary } from "@/lib/ui/components/fields.tsx";
import { PublicPage } from "@/lib/ui/components/page.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt } from "@/lib/ui/form.ts";

interface EmailLinkData {
  readonly kind: Kind;
  /** That the link is about; null when it does not hold. */
  readonly email: string | null;
  readonly errors: FormErrors;
}

interface Kind {
  readonly purpose: LinkPurpose;
  readonly title: Parameters<typeof message>[0];
  readonly button: Parameters<typeof message>[0];
  readonly done: Parameters<typeof message>[0];
  readonly next: string;
}

const KINDS: Readonly<Record<string, Kind>> = {
  verify: {
    purpose: "verify-email",
    title: message("Confirm your email"),
    button: message("This is my email"),
    done: message("Your email is confirmed."),
    next: "/account",
  },
  change: {
    purpose: "change-email",
    title: message("Confirm your new email"),
    button: message("Use this email"),
    done: message("Your account has the new email."),
    next: "/account",
  },
  undo: {
    purpose: "undo-email",
    title: message("Undo the change of the email"),
    button: message("Go back to this email"),
    done: message("The change is undone and all sessions have ended. Choose a new password."),
    next: "/forgot-password",
  },
};

/** Where links about an email lead. Only the button does something: scanners of mail open links. */
export default define.page<typeof handler>(({ data: { kind, email, errors } }) =>
  email === null
    ? (
      <PublicPage title={t("This link does not hold any more")}>
        <FormSummary errors={errors} />
        <p>{t("It was used, replaced by a newer one, or is too old. Ask for a new one.")}</p>
        <div class="mt-5">
          <LinkButton href="/account" kind="primary">{t("Go to my account")}</LinkButton>
        </div>
      </PublicPage>
    )
    : (
      <PublicPage title={t(kind.title)}>
        <FormSummary errors={errors} />
        <form method="post" class="space-y-4">
          <p class="text-lg wrap-anywhere">{email}</p>
          <Button kind="primary" class="w-full">{t(kind.button)}</Button>
        </form>
      </PublicPage>
    )
);

export const handler = define.handlers<EmailLinkData>({
  async GET(ctx) {
    const kind = kindOf(ctx.params.purpose);
    ctx.state.meta.title = t(kind.title);
    const redirect = withoutToken(ctx);
    if (redirect !== null) return redirect;
    return await shown(ctx, kind, {});
  },

  async POST(ctx) {
    const kind = kindOf(ctx.params.purpose);
    ctx.state.meta.title = t(kind.title);
    const { kv } = ctx.state.services;
    const token = readLinkToken(ctx) ?? "";
    const result = await attempt(() => followEmailLink(kv, kind.purpose, token));
    if (!result.ok) return await shown(ctx, kind, result.errors);
    const response = redirectWithFlash(kind.next, t(kind.done));
    response.headers.append("set-cookie", clearedLinkToken(ctx));
    return response;
  },
});

function kindOf(name: string | undefined): Kind {
  const kind = name !== undefined && Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (kind === undefined) throw new HttpError(404);
  return kind;
}

async function shown(
  ctx: Parameters<typeof readLinkToken>[0] & {
    readonly state: { readonly services: { readonly kv: Deno.Kv } };
  },
  kind: Kind,
  errors: FormErrors,
) {
  const found = await findLink(ctx.state.services.kv, [kind.purpose], readLinkToken(ctx));
  const failed = Object.keys(errors).length > 0 ? 422 : 200;
  const data = { kind, email: found?.link.email ?? null, errors };
  return page<EmailLinkData>(data, { status: found === null ? 410 : failed, headers: SECRET_PAGE });
}
