import { HttpError, page } from "fresh";
import {
  createKey,
  deleteKey,
  findKey,
  type IngestKey,
  KEY_TYPES,
  listKeys,
  updateKey,
} from "../../../../../lib/control/keys.ts";
import type { Project } from "../../../../../lib/control/projects.ts";
import { roleAllows } from "../../../../../lib/control/roles.ts";
import {
  Button,
  checkConfirmation,
  CONFIRM_FIELD,
  EmptyState,
  Field,
  type FormErrors,
  FormSummary,
  Panel,
  Select,
} from "../../../../../lib/ui/components/mod.ts";
import { redirectWithFlash } from "../../../../../lib/ui/flash.ts";
import { attempt, fieldOf, readForm } from "../../../../../lib/ui/form.ts";
import { sectionPath } from "../../../../../lib/ui/sections.ts";
import { KeyCard } from "../../../../../lib/ui/settings/key_card.tsx";
import { KEY_TYPE_LABELS } from "../../../../../lib/ui/settings/key_types.ts";
import { ProjectSettingsPage } from "../../../../../lib/ui/settings/project_settings_page.tsx";
import { ReadOnlyNote } from "../../../../../lib/ui/settings/read_only_note.tsx";
import { loadShell, type Shell } from "../../../../../lib/ui/shell.ts";
import { requireProject } from "../../../../../lib/web/access.ts";
import { define } from "../../../../../lib/web/define.ts";

/** A form that was refused: which key it was for (`""` for a new one) and why. */
interface Refused {
  readonly key: string;
  readonly errors: FormErrors;
}

interface KeysData {
  readonly shell: Shell;
  readonly project: Project;
  readonly keys: readonly IngestKey[];
  readonly baseUrl: string;
  readonly mayWrite: boolean;
  readonly refused: Refused | null;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, project, keys, baseUrl, mayWrite, refused } = data;
  const errorsOf = (key: string) => refused?.key === key ? refused.errors : {};
  return (
    <ProjectSettingsPage shell={shell} project={project} tab="keys">
      {!mayWrite && <ReadOnlyNote what="the keys" />}
      {keys.length === 0 && (
        <Panel>
          <EmptyState icon="key" title="No keys">
            Without a key nothing can be sent to this project.
          </EmptyState>
        </Panel>
      )}
      {keys.map((key) => (
        <KeyCard
          key={key.id}
          ingestKey={key}
          baseUrl={baseUrl}
          mayWrite={mayWrite}
          errors={errorsOf(key.id)}
        />
      ))}
      {mayWrite && <NewKeyForm errors={errorsOf("")} />}
    </ProjectSettingsPage>
  );
});

function NewKeyForm({ errors }: { readonly errors: FormErrors }) {
  return (
    <Panel
      title="New key"
      id="new-key"
      description="One key for each app makes it easy to shut one out."
    >
      <form method="post" class="max-w-md space-y-4">
        <FormSummary errors={errors} idPrefix="new-" />
        <Field
          name="name"
          idPrefix="new-"
          label="Name"
          error={errors.name}
          help="Where it is used, such as checkout page."
          maxLength={64}
          autocomplete="off"
          required
        />
        <Select
          name="type"
          idPrefix="new-"
          label="Kind"
          error={errors.type}
          help="Everybody can read a browser key in the page, so it may send SDK events only."
          options={KEY_TYPES.map((type) => ({ value: type, label: KEY_TYPE_LABELS[type] }))}
        />
        <Button name="action" value="create" kind="primary">Create key</Button>
      </form>
    </Panel>
  );
}

export const handler = define.handlers<KeysData>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "key:read");
    const { kv, config } = ctx.state.services;
    ctx.state.meta.title = `DSN keys · ${project.name}`;
    return page({
      shell: await loadShell(ctx, project),
      project,
      keys: await listKeys(kv, project.id),
      baseUrl: config.baseUrl,
      mayWrite: roleAllows(role, "key:write"),
      refused: null,
    });
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, "key:write");
    const { kv, config } = ctx.state.services;
    const result = await act(kv, project, await readForm(ctx.req));
    if (typeof result === "string") {
      return redirectWithFlash(`${sectionPath(project.id, "settings")}/keys`, result);
    }
    ctx.state.meta.title = `DSN keys · ${project.name}`;
    return page({
      shell: await loadShell(ctx, project),
      project,
      keys: await listKeys(kv, project.id),
      baseUrl: config.baseUrl,
      mayWrite: true,
      refused: result,
    }, { status: 422 });
  },
});

/**
 * Does what the form asks for.
 *
 * @returns what happened, as a sentence, or why it was refused
 */
async function act(
  kv: Deno.Kv,
  project: Project,
  form: URLSearchParams,
): Promise<string | Refused> {
  if (form.get("action") === "create") return await create(kv, project, form);
  const key = await findKey(kv, fieldOf(form, "key"));
  // A key of another project is as good as none: knowing its id gives no right to it.
  if (key?.projectId !== project.id) throw new HttpError(404, "This key does not exist any more.");
  switch (form.get("action")) {
    case "rename":
      return await rename(kv, key, fieldOf(form, "name"));
    case "enable":
      await updateKey(kv, key.id, { isActive: true });
      return `${key.name} is enabled.`;
    case "disable":
      await updateKey(kv, key.id, { isActive: false });
      return `${key.name} is disabled: apps that use it are refused from now on.`;
    case "delete":
      return await remove(kv, key, form);
    default:
      throw new HttpError(400, "This form is not one that Watchpost understands.");
  }
}

async function create(
  kv: Deno.Kv,
  project: Project,
  form: URLSearchParams,
): Promise<string | Refused> {
  const type = KEY_TYPES.find((each) => each === form.get("type"));
  if (type === undefined) return { key: "", errors: { type: "Choose a kind of key." } };
  const input = { projectId: project.id, name: fieldOf(form, "name"), type };
  const result = await attempt(() => createKey(kv, input));
  return result.ok ? `${result.value.name} is created.` : { key: "", errors: result.errors };
}

async function rename(kv: Deno.Kv, key: IngestKey, name: string): Promise<string | Refused> {
  const result = await attempt(() => updateKey(kv, key.id, { name }));
  if (!result.ok) return { key: key.id, errors: result.errors };
  return `${key.name} is now called ${result.value?.name ?? name}.`;
}

async function remove(
  kv: Deno.Kv,
  key: IngestKey,
  form: URLSearchParams,
): Promise<string | Refused> {
  const problem = checkConfirmation(form, key.name);
  if (problem !== null) return { key: key.id, errors: { [CONFIRM_FIELD]: problem } };
  await deleteKey(kv, key.id);
  return `${key.name} is deleted.`;
}
