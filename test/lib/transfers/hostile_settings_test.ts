/** Documents of settings that say in one place what no person could have entered. */
import assert from "node:assert/strict";
import { findProject } from "@/lib/accounts/projects.ts";
import { settingsDocument } from "@/lib/transfers/settings/document.ts";
import { takeSettings } from "@/lib/transfers/settings/take.ts";
import { askForTransfer, findTransfer, type Transfer } from "@/lib/transfers/transfers.ts";
import { FIELD_VALUES } from "../../support/hostile_values.ts";
import { changedAnywhere } from "../../support/sample_body.ts";
import { type Transferred, transferred } from "../../support/transferred.ts";
import { wholeSettings } from "../../support/whole_settings.ts";

/** As many as a project may have of the fewest. */
const A_DOCUMENT = 20;

/** An import that takes settings, as somebody has asked for it. */
async function askedImport({ services: { sql }, owner, project }: Transferred): Promise<Transfer> {
  const by = owner.email;
  const id = await askForTransfer(sql, project, { kind: "import", takesSettings: true, by });
  const asked = await findTransfer(sql, project.id, id);
  assert.ok(asked);
  return asked;
}

Deno.test("whatever one place of settings says, their import goes on, and the project can be exported", async (t) => {
  await using world = await transferred();
  const { services, owner } = world;
  const asked = await askedImport(world);
  const whole = wholeSettings(owner.email);
  const { format, version, ...sections } = whole;
  const taken = async (document: object) => {
    const transfer = { ...asked, projectId: (await world.empty("Copy")).id };
    const counts = await takeSettings(services, transfer, { format, version, ...document });
    await settingsDocument(services.kv, services.sql, transfer.projectId);
    return counts;
  };
  const { settings_refused: refused } = await taken(whole);
  assert.equal(refused, undefined);
  for (const [name, section] of Object.entries(sections)) {
    await t.step(name, async () => {
      for (const documents of documentsOf(name, section)) {
        try {
          await taken(documents);
        } catch (cause) {
          throw new Error(JSON.stringify(documents), { cause });
        }
      }
    });
  }
});

function* documentsOf(name: string, section: unknown): Iterable<Record<string, unknown>> {
  const all = (part: unknown) => FIELD_VALUES.flatMap((value) => [...changedAnywhere(part, value)]);
  if (!Array.isArray(section)) {
    for (const changed of all(section)) yield { [name]: changed };
    return;
  }
  for (const value of FIELD_VALUES) yield { [name]: value };
  const items = section.flatMap((item) => all(item).map((changed, i) => named(changed, item, i)));
  for (let from = 0; from < items.length; from += A_DOCUMENT) {
    yield { [name]: items.slice(from, from + A_DOCUMENT) };
  }
}

/** Under a name of its own: what is there already would not be looked at. */
function named(changed: unknown, { name, slug }: Record<string, unknown>, index: number): unknown {
  if (typeof changed !== "object" || changed === null || Array.isArray(changed)) return changed;
  return {
    ...changed,
    ..."name" in changed && changed.name === name ? { name: `${name} ${index}` } : {},
    ..."slug" in changed && changed.slug === slug ? { slug: `${slug}-${index}` } : {},
  };
}

Deno.test("what no page takes for a project's setting is refused from a file as well", async () => {
  await using world = await transferred();
  const { services, owner } = world;
  const asked = await askedImport(world);
  const whole = wholeSettings(owner.email);
  const { filters, privacy } = whole.project;
  const wrong = [
    { resolveAfterDays: 366 },
    { ratePerSec: 1.5 },
    { ratePerSec: 1_000_001 },
    { apdexMs: 3_600_001 },
    { sourceLink: "https://code.example/" },
    { fingerprintRules: "x".repeat(10_001) },
    ...["", " a", "a\nb", "a".repeat(201)].flatMap((entry) => [
      { filters: { ...filters, messages: [entry] } },
      { privacy: { ...privacy, extraFields: [entry] } },
    ]),
    { privacy: { ...privacy, safeFields: Array.from({ length: 101 }, (_, i) => `f${i}`) } },
  ];
  const copy = await world.empty("Copy");
  const { format, version } = whole;
  for (const own of wrong) {
    const transfer = { ...asked, projectId: copy.id };
    const counts = await takeSettings(services, transfer, { format, version, project: own });
    assert.deepEqual(counts, { settings_refused: 1 }, JSON.stringify(own).slice(0, 200));
  }
  assert.deepEqual((await findProject(services.kv, copy.id))?.settings ?? {}, {});
});
