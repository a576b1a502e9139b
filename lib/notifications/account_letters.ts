/** The words of mails about a person's own account. */
import { deviceName } from "../accounts/device_names.ts";
import { t } from "../core/language/translate.ts";
import { formatDateTime } from "../ui/format_time.ts";

type AccountChange = "password-changed" | "factor-added" | "factor-removed";

/** What happened; links with the path below the service that they lead to. */
type AccountEvent =
  | { readonly kind: "reset"; readonly path: string }
  | { readonly kind: "verify-email"; readonly path: string }
  | { readonly kind: "change-email"; readonly path: string }
  | { readonly kind: "email-changes"; readonly email: string; readonly path: string }
  | { readonly kind: "recovery-used"; readonly left: number }
  | {
    readonly kind: "new-device";
    readonly userAgent: string | null;
    readonly address: string;
    readonly at: Date;
  }
  | { readonly kind: "factor-reset"; readonly at: Date }
  | {
    /** Of the instance: for those who run it. */
    readonly kind: "disk";
    readonly what: "soon" | "full" | "stuck";
    readonly days: number;
    readonly hasBudget: boolean;
  }
  | {
    readonly kind: "provider-connected";
    readonly provider: string;
    /** By its address alone, so that the password is gone. */
    readonly isTrusted: boolean;
  };

export type AccountNews = AccountChange | AccountEvent;

interface Words {
  readonly subject: string;
  readonly blocks: readonly string[];
  readonly link: { readonly label: string; readonly url: string };
}

/** Subject, paragraphs and link of such a mail, in the language of whoever it is for. */
export function wordsOf(news: AccountNews, baseUrl: string): Words {
  return typeof news === "string" ? changeWords(news, baseUrl) : eventWords(news, baseUrl);
}

function changeWords(news: AccountChange, baseUrl: string): Words {
  const what = {
    "password-changed": t("The password of your Watchpost account was changed."),
    "factor-added": t("A second factor was added to your Watchpost account."),
    "factor-removed": t("A second factor was removed from your Watchpost account."),
  }[news];
  const subject = {
    "password-changed": t("Your password was changed"),
    "factor-added": t("A second factor was added"),
    "factor-removed": t("A second factor was removed"),
  }[news];
  return {
    subject,
    blocks: [what, notYou()],
    link: { label: t("Security of my account"), url: `${baseUrl}/account/security` },
  };
}

function eventWords(news: AccountEvent, baseUrl: string): Words {
  const security = { label: t("Security of my account"), url: `${baseUrl}/account/security` };
  switch (news.kind) {
    case "provider-connected":
      return {
        subject: t("{provider} was connected to your account", { provider: news.provider }),
        blocks: [
          t("Whoever signs in at {provider} as you is in your Watchpost account from now on.", {
            provider: news.provider,
          }),
          ...news.isTrusted
            ? [t("It was found by your email: its password and all sessions were ended.")]
            : [],
          notYou(),
        ],
        link: { label: t("Connected sign-ins"), url: `${baseUrl}/account/sign-ins` },
      };
    case "reset":
      return {
        subject: t("Choose a new password"),
        blocks: [
          t("Somebody, hopefully you, asked for a new password for your Watchpost account."),
          t("The link holds for 30 minutes, once. If it was not you, do nothing: your password stays as it is."),
        ],
        link: { label: t("Choose a new password"), url: baseUrl + news.path },
      };
    case "verify-email":
      return {
        subject: t("Confirm your email"),
        blocks: [t("Confirm that this is your email in Watchpost. The link holds for a day.")],
        link: { label: t("Confirm"), url: baseUrl + news.path },
      };
    case "change-email":
      return {
        subject: t("Confirm your new email"),
        blocks: [
          t("Confirm that your Watchpost account gets this email. The link holds for an hour; until then the former one stays."),
        ],
        link: { label: t("Confirm"), url: baseUrl + news.path },
      };
    case "email-changes":
      return {
        subject: t("Your email is being changed"),
        blocks: [
          t("Your Watchpost account is to get the email {email}.", { email: news.email }),
          t("If it was not you, undo it within seven days: your account goes back to this email, all its sessions end, and you can choose a new password."),
        ],
        link: { label: t("Undo"), url: baseUrl + news.path },
      };
    case "recovery-used":
      return {
        subject: t("A recovery code was used"),
        blocks: [
          t("Somebody signed in to your Watchpost account with a recovery code."),
          t("{n} code is left.|{n} codes are left.", { n: news.left }),
          notYou(),
        ],
        link: security,
      };
    case "new-device":
      return {
        subject: t("Sign-in from a new device"),
        blocks: [
          t("Somebody signed in to your Watchpost account from a browser that it did not know."),
          [
            t("Device: {device}", { device: deviceName(news.userAgent) }),
            t("Address: {address}", { address: news.address }),
            t("Time: {time}", { time: formatDateTime(news.at) }),
          ].join("\n"),
          notYou(),
        ],
        link: { label: t("Sessions of my account"), url: `${baseUrl}/account/sessions` },
      };
    case "disk":
      return diskWords(news, baseUrl);
    case "factor-reset":
      return {
        subject: t("Your second factor will be removed"),
        blocks: [
          t(
            "An administrator of your Watchpost removes the second factor of your account, because you have lost it. It ends at {time}.",
            {
              time: formatDateTime(news.at),
            },
          ),
          t("If you have not asked for it, sign in and cancel it under Security."),
        ],
        link: security,
      };
  }
}

function diskWords(
  { what, days, hasBudget }: AccountEvent & { kind: "disk" },
  baseUrl: string,
): Words {
  const link = { label: t("State of the instance"), url: `${baseUrl}/instance#disk` };
  const order = t(
    "The oldest days are removed, of each day everything else before its errors. Requests are taken as before.",
  );
  const toDo = t(
    "To keep more, raise SERVICE_MAX_DISK. To choose what goes, give projects a retention of their own.",
  );
  if (what === "stuck") {
    return {
      subject: t("The disk budget is too small"),
      blocks: [
        t("The last three days and what does not belong to a day take more than SERVICE_MAX_DISK, and nothing older is left to be removed."),
        t("Requests are taken as before, so the disk may fill: raise SERVICE_MAX_DISK, or let less be sent."),
      ],
      link,
    };
  }
  if (what === "full") {
    return {
      subject: t("The disk budget is used up"),
      blocks: [t("Telemetry takes as much as SERVICE_MAX_DISK allows."), order, toDo],
      link,
    };
  }
  return hasBudget
    ? {
      subject: t("The disk budget is used up in {n} day|The disk budget is used up in {n} days", {
        n: days,
      }),
      blocks: [
        t("If it goes on as in the last days, telemetry will take more than SERVICE_MAX_DISK then."),
        order,
        toDo,
      ],
      link,
    }
    : {
      subject: t("The disk is full in {n} day|The disk is full in {n} days", { n: days }),
      blocks: [
        t("If it goes on as in the last days, the disk of Watchpost's stores will be full then, and requests will be refused until there is room."),
        t("Make room, enlarge the disk or keep less: SERVICE_RETENTION_DAYS. With SERVICE_MAX_DISK the oldest days make room by themselves."),
      ],
      link,
    };
}

function notYou(): string {
  return t("If it was not you, choose a new password and end the sessions that you do not know.");
}
