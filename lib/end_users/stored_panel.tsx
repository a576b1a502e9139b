/** What is stored about an end user, field by field; the same in words as `docs/privacy.md`. */
import { type Message, message, t } from "../core/language/translate.ts";
import { Panel } from "../ui/components/panel.tsx";
import { RowTable } from "../ui/components/table.tsx";

interface StoredField {
  readonly what: Message;
  readonly from: Message;
  readonly off: Message;
}

const BY_SDK = message("The SDK, where the program sets a user");
const LEAVE_OUT = message("Do not call setUser, or remove it in beforeSend");

const FIELDS: readonly StoredField[] = [
  {
    what: message("User: id, email, user name, name, and what else the program adds"),
    from: BY_SDK,
    off: LEAVE_OUT,
  },
  {
    what: message("IP address"),
    from: message("The SDK, or the connection where the SDK asks for it"),
    off: message("Off for the organization or the project (Data and privacy)"),
  },
  {
    what: message("Country and city, derived from the IP address by the SDK's sender"),
    from: message("Whoever sends: Watchpost looks nothing up"),
    off: LEAVE_OUT,
  },
  {
    what: message("Browser, operating system, device"),
    from: message("The SDK, or the User-Agent of the request"),
    off: message("Remove the contexts in beforeSend"),
  },
  {
    what: message("Addresses, headers, cookies and bodies of requests"),
    from: message("The SDK; secrets are removed before anything is stored"),
    off: message("Project settings, Privacy: fields that are removed"),
  },
  {
    what: message("Feedback with name and email"),
    from: message("The person, in the form of the program"),
    off: message("Do not show the form"),
  },
  {
    what: message("Sessions: a hash of the user, no identifier"),
    from: message("The SDK, where sessions are tracked"),
    off: message("Turn session tracking off in the SDK"),
  },
  {
    what: message("Logs and spans with attributes of a user"),
    from: message("The program, as attributes such as user.id"),
    off: message("Do not set these attributes"),
  },
];

/** @param retentionDays of the instance */
export function StoredPanel({ retentionDays }: { readonly retentionDays: number }) {
  return (
    <Panel
      title={t("What is stored about an end user")}
      id="stored"
      description={t(
        "Only what your programs send. It is deleted after {n} day at the latest; projects may keep it for less.|Only what your programs send. It is deleted after {n} days at the latest; projects may keep it for less.",
        { n: retentionDays },
      )}
      flush
    >
      <RowTable
        caption={t("What is stored about an end user")}
        rows={FIELDS}
        isWide
        rowKey={({ what }) => what}
        columns={[
          { label: t("What"), cell: ({ what }) => t(what) },
          { label: t("Where from"), cell: ({ from }) => t(from) },
          { label: t("How to switch it off"), cell: ({ off }) => t(off) },
        ]}
      />
    </Panel>
  );
}
