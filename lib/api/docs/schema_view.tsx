import type { ComponentChildren } from "preact";
import type { JsonSchema } from "../openapi.ts";
import { shapeName } from "./nouns.ts";

interface SchemaViewProps {
  readonly schema: JsonSchema;
}

/** A shape: its properties below each other, or in a word what it is. */
export function SchemaView({ schema }: SchemaViewProps) {
  const inner = propertiesBelow(schema);
  return (
    <div class="text-sm">
      <p>
        <TypeText schema={schema} />
        {schema.description && <span class="ml-2 text-muted">{schema.description}</span>}
      </p>
      {inner && <PropertyList schema={inner} />}
    </div>
  );
}

/** Of an object, of what a list has, or of one of two that is not null. */
function propertiesBelow(schema: JsonSchema): JsonSchema | null {
  const { properties, items, anyOf, additionalProperties } = schema;
  if (properties !== undefined && Object.keys(properties).length > 0) return schema;
  if (items !== undefined) return propertiesBelow(items);
  if (typeof additionalProperties === "object") return propertiesBelow(additionalProperties);
  for (const each of anyOf ?? []) {
    const found = propertiesBelow(each);
    if (found !== null) return found;
  }
  return null;
}

function PropertyList({ schema: { properties = {}, required = [] } }: SchemaViewProps) {
  return (
    <ul class="mt-1 border-l border-line pl-3">
      {Object.entries(properties).map(([name, property]) => (
        <Property
          key={name}
          name={name}
          schema={property}
          note={required.includes(name) ? null : "optional"}
        />
      ))}
    </ul>
  );
}

interface PropertyProps {
  readonly name: string;
  readonly schema: JsonSchema;
  /** As "optional". */
  readonly note: string | null;
  /** In place of that of the schema. */
  readonly description?: string | undefined;
}

/** A property or a parameter with its type, what it is, and what is in it. */
export function Property({ name, schema, note, description }: PropertyProps) {
  const inner = propertiesBelow(schema);
  const said = description ?? schema.description;
  return (
    <li class="py-0.5 wrap-anywhere">
      <code class="font-medium">{name}</code> <TypeText schema={schema} />
      {note && <span class="ml-1.5 text-meta text-faint">{note}</span>}
      {said && <span class="ml-2 text-muted">{said}</span>}
      {inner && <PropertyList schema={inner} />}
    </li>
  );
}

function TypeText({ schema }: SchemaViewProps) {
  return <span class="text-meta text-accent">{typeOf(schema)}</span>;
}

/** What a value can be, in words; shapes with a name are links to them. */
function typeOf(schema: JsonSchema): ComponentChildren {
  const { $ref, type, format, items, anyOf, oneOf, additionalProperties } = schema;
  const name = $ref === undefined ? null : shapeName($ref);
  if (name !== null) return <a class="underline" href={`#shape-${name}`}>{name}</a>;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(" | ");
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) {
    return choices.map((each, index) => (
      <span key={index}>{index > 0 && " or "}{typeOf(each)}</span>
    ));
  }
  if (type === "array") return <>list of {items === undefined ? "anything" : typeOf(items)}</>;
  if (type === "object" && typeof additionalProperties === "object") {
    return Object.keys(additionalProperties).length === 0
      ? "object"
      : <>object of {typeOf(additionalProperties)}</>;
  }
  if (format === "date-time") return "time";
  if (type === undefined) return "anything";
  return typeof type === "string" ? type : type.join(" or ");
}
