import { Badge } from "../../ui/components/badge.tsx";
import { Button, CopyField } from "../../ui/components/button.tsx";
import { Checkbox, Select } from "../../ui/components/fields.tsx";
import { Alert, Panel } from "../../ui/components/panel.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { visible } from "../../ui/json.ts";
import { ManagePage, managePath, type ManageView, mayOf } from "./frame.tsx";
import { DEFAULT_SHARE_DAYS, MAX_SHARES, type Share, SHARE_DAYS } from "./shares.ts";
import { rich, t } from "../../core/language/translate.ts";

export interface ShareView extends ManageView {
  readonly shares: readonly Share[];
  /** Of the service. */
  readonly baseUrl: string;
  readonly error: string | null;
}

/** Links by which people without an account see the issue: making, copying and revoking them. */
export function SharePage(view: ShareView) {
  const { project, issue, shares, baseUrl, error } = view;
  const { mayWrite } = mayOf(view);
  const action = managePath(project.id, issue.id, "share");
  return (
    <ManagePage view={view} page="share">
      {error !== null && <Alert kind="danger" isLive class="mb-4">{error}</Alert>}
      {mayWrite && (
        <Panel
          title={t("New link")}
          id="new-link"
          class="mb-4"
          description={t(
            "Whoever has the link sees the title, how often and since when it happens, and the exceptions with their stacks of the newest event. Users, requests, breadcrumbs, tags and variables are never shown.",
          )}
        >
          <form method="post" action={action} class="space-y-4">
            <div class="max-w-60">
              <Select
                name="days"
                label={t("It ends after")}
                value={String(DEFAULT_SHARE_DAYS)}
                options={SHARE_DAYS.map((days) => ({
                  value: String(days),
                  label: t("{n} day|{n} days", { n: days }),
                }))}
              />
            </div>
            <Checkbox
              name="withSource"
              label={t("With source lines")}
              help={t("The lines around each call, as far as the event has them.")}
              isChecked={false}
            />
            <Button kind="primary" icon="plus" name="action" value="share">
              {t("Make a link")}
            </Button>
          </form>
        </Panel>
      )}
      <Panel title={t("Links")} id="links" flush>
        {shares.length === 0
          ? <p class="px-4 py-6 text-sm text-muted">{t("No link leads to this issue.")}</p>
          : (
            <ul class="divide-y divide-line">
              {shares.map((share) => (
                <li key={share.id} class="space-y-2 px-4 py-3">
                  {mayWrite && (
                    <CopyField
                      id={`share-${share.id}`}
                      value={shareUrl(baseUrl, share.id)}
                      what={t("link")}
                    />
                  )}
                  <div class="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-muted">
                    <span>
                      {rich("made {time} by {person}", {
                        time: <RelativeTime date={share.createdAt} />,
                        person: <bdi>{visible(share.createdBy)}</bdi>,
                      })}
                    </span>
                    <span>
                      {rich("ends {time}", {
                        time: <RelativeTime date={share.expiresAt} />,
                      })}
                    </span>
                    {share.withSource && <Badge>{t("with source lines")}</Badge>}
                    {mayWrite && (
                      <span class="ml-auto flex items-center gap-3">
                        <a class="link" href={sharePath(share.id)}>{t("Open")}</a>
                        <form method="post" action={action}>
                          <input type="hidden" name="share" value={share.id} />
                          <Button size="sm" name="action" value="revoke">{t("Revoke")}</Button>
                        </form>
                      </span>
                    )}
                  </div>
                </li>
              ))}
            </ul>
          )}
      </Panel>
      {shares.length >= MAX_SHARES && (
        <p class="mt-2 text-sm text-muted">
          {t(
            "{n} link is the most: revoke one to make another.|{n} links are the most: revoke one to make another.",
            { n: MAX_SHARES },
          )}
        </p>
      )}
    </ManagePage>
  );
}

/** `/share/issue/7-9f86…` */
export function sharePath(shareId: string): string {
  return `/share/issue/${encodeURIComponent(shareId)}`;
}

export function shareUrl(baseUrl: string, shareId: string): string {
  return baseUrl + sharePath(shareId);
}
