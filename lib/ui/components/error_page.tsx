import { LinkButton } from "./button.tsx";
import { PublicPage } from "./public_page.tsx";

export interface ErrorPageProps {
  readonly status: number;
  /** A sentence that its reader can act on. */
  readonly message: string;
  /** Ties the page to its line in the log. */
  readonly requestId: string;
}

const TITLES: Readonly<Record<number, string>> = {
  400: "That did not work",
  403: "You may not do this",
  404: "Nothing here",
  405: "That did not work",
};

/** What went wrong, whose turn it is, and the way back. */
export function ErrorPage({ status, message, requestId }: ErrorPageProps) {
  return (
    <PublicPage title={TITLES[status] ?? (status >= 500 ? "Something broke" : "That did not work")}>
      <p>{message}</p>
      {status === 403 && (
        <p class="mt-2 text-muted">
          An owner or administrator of the organization can give access.
        </p>
      )}
      <p class="mt-4 text-meta text-faint">
        Status {status} · request <code class="wrap-anywhere select-all">{requestId}</code>
      </p>
      <div class="mt-5">
        <LinkButton href="/" kind="primary">Go to the projects</LinkButton>
      </div>
    </PublicPage>
  );
}
