/** What people see on the way to a provider and back. */
import { t } from "../../core/language/translate.ts";
import { Button, LinkButton } from "../../ui/components/button.tsx";
import { FormSummary } from "../../ui/components/fields.tsx";
import { PublicPage } from "../../ui/components/page.tsx";
import type { FlowProblem } from "./flow.ts";

interface AwayProps {
  readonly provider: string;
  readonly url: string;
}

/**
 * The browser is sent on by a header. A redirect would not do after a form: browsers hold the target of every redirect to
 * where forms of this page may go.
 */
export function AwayPage({ provider, url }: AwayProps) {
  return (
    <PublicPage title={t("On to {provider}", { provider })}>
      <LinkButton href={url} kind="primary" class="w-full justify-center">
        {t("Continue")}
      </LinkButton>
    </PublicPage>
  );
}

interface ProblemProps {
  readonly problem: FlowProblem;
  readonly next: string;
  /** Whether the reader may know what the provider did. */
  readonly isAdmin: boolean;
}

/** There was no way on. */
export function ProblemPage({ problem, next, isAdmin }: ProblemProps) {
  return (
    <PublicPage title={t("You are not signed in")}>
      <p class="wrap-anywhere">{problem.message}</p>
      {isAdmin && problem.detail !== null && (
        <p class="mt-3 font-mono text-sm text-muted wrap-anywhere">{problem.detail}</p>
      )}
      <div class="mt-5">
        <LinkButton href={`/sign-in?next=${encodeURIComponent(next)}`} kind="primary">
          {t("Back to the sign-in")}
        </LinkButton>
      </div>
    </PublicPage>
  );
}

export interface StrangerView {
  readonly provider: string;
  /** What they are called there. */
  readonly label: string;
  /** Why they have not come in. */
  readonly why: string;
  /** The address of the account they are signed in with; null: they are not. */
  readonly account: string | null;
  readonly next: string;
  readonly error: string | null;
  /** Path of this page. */
  readonly path: string;
}

/** Somebody came back who is nobody's account: it may be connected to one, by who can sign in to it. */
export function StrangerPage(props: StrangerView) {
  const { provider, label, why, account, next, error, path } = props;
  return (
    <PublicPage title={t("Connect {provider}", { provider })}>
      <FormSummary errors={error === null ? {} : { "": error }} />
      {account === null
        ? (
          <>
            <p class="mb-3 wrap-anywhere">
              {t("You signed in at {provider} as {label}, which no account is connected to.", {
                provider,
                label,
              })} {why}
            </p>
            <p class="mb-4">
              {t("If you have an account, sign in to it as before. Then you can connect it.")}
            </p>
            <LinkButton
              href={`/sign-in?next=${encodeURIComponent(path)}`}
              kind="primary"
              class="w-full justify-center"
            >
              {t("Sign in to connect")}
            </LinkButton>
            <p class="mt-5 text-sm text-muted">
              {t("No account? An administrator of your organization can invite you.")}
            </p>
          </>
        )
        : (
          <form method="post" class="space-y-4">
            <p class="wrap-anywhere">
              {t("Whoever signs in at {provider} as {label} will be in your account {account}.", {
                provider,
                label,
                account,
              })}
            </p>
            <Button kind="primary" class="w-full">{t("Connect")}</Button>
            <LinkButton href={next} kind="plain" class="w-full justify-center">
              {t("Not now")}
            </LinkButton>
          </form>
        )}
    </PublicPage>
  );
}
