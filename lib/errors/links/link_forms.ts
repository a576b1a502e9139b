/** What the forms about links ask for. */
import type { Backend } from "../../store/stores.ts";
import type { Flash } from "../../ui/cookies.ts";
import type { FormErrors } from "../../ui/components/fields.tsx";
import { attempt, fieldOf } from "../../ui/form.ts";
import { attachRemote, createRemote, type Linking, unlink } from "./link_actions.ts";
import { readDraft } from "./load_draft.ts";
import { t } from "../../core/language/translate.ts";

/**
 * Does what a form about links asks for.
 *
 * @returns what to tell, or what is wrong with the form for a new issue, which is shown again
 */
export async function actOnLinks(
  services: Backend,
  linking: Linking,
  form: URLSearchParams,
): Promise<Flash | { readonly errors: FormErrors }> {
  switch (fieldOf(form, "action")) {
    case "create": {
      const tracker = fieldOf(form, "tracker");
      const made = await attempt(() =>
        createRemote(services, linking, tracker, readDraft(form), fieldOf(form, "once"))
      );
      if (!made.ok) return { errors: made.errors };
      return { kind: "ok", text: t("{key} is made and linked.", { key: made.value.key }) };
    }
    case "attach": {
      const made = await attempt(() => attachRemote(services, linking, fieldOf(form, "url")));
      return made.ok
        ? { kind: "ok", text: t("{key} is linked.", { key: made.value.key }) }
        : { kind: "danger", text: Object.values(made.errors)[0] ?? t("It could not be linked.") };
    }
    case "unlink":
      return await unlink(services.sql, linking, fieldOf(form, "link"))
        ? { kind: "ok", text: t("The link is removed.") }
        : { kind: "warning", text: t("This link was removed before.") };
    default:
      return { kind: "danger", text: t("This is nothing that can be done with links.") };
  }
}
