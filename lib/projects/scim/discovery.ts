/** What a directory can learn of this server (RFC 7643, 5 to 7). */
import { type Json, MAX_COUNT, SCHEMA } from "./protocol.ts";

export function providerConfig(base: string): Json {
  return {
    schemas: [SCHEMA.config],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_COUNT },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [{
      type: "oauthbearertoken",
      name: "Token of the organization",
      description: "Made in the settings of the organization, sent as Authorization: Bearer",
      primary: true,
    }],
    meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
  };
}

export function resourceTypes(base: string): Json[] {
  return [
    { name: "User", endpoint: "/Users", schema: SCHEMA.user, description: "Member" },
    { name: "Group", endpoint: "/Groups", schema: SCHEMA.group, description: "Team" },
  ].map((type) => ({
    schemas: [SCHEMA.resourceType],
    id: type.name,
    ...type,
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${type.name}` },
  }));
}

interface AttributeFacts {
  readonly type?: string;
  readonly required?: boolean;
  readonly multiValued?: boolean;
  readonly mutability?: string;
  readonly uniqueness?: string;
  readonly caseExact?: boolean;
  readonly subAttributes?: readonly Json[];
}

function attribute(name: string, description: string, facts: AttributeFacts = {}): Json {
  return {
    name,
    description,
    type: "string",
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: "readWrite",
    returned: "default",
    uniqueness: "none",
    ...facts,
  };
}

const VALUES = [
  attribute("value", "The value"),
  attribute("type", "Its kind"),
  attribute("primary", "Whether it is the one that counts", { type: "boolean" }),
];

export function schemas(base: string): Json[] {
  return [
    {
      id: SCHEMA.user,
      name: "User",
      description: "Member of the organization",
      attributes: [
        attribute("userName", "By which the directory knows the person", {
          required: true,
          uniqueness: "server",
        }),
        attribute("externalId", "Id in the directory", { caseExact: true }),
        attribute("displayName", "Name"),
        attribute("name", "Name in its parts", {
          type: "complex",
          subAttributes: ["formatted", "givenName", "familyName"].map((name) =>
            attribute(name, "Part of the name")
          ),
        }),
        attribute("emails", "The address of the account", {
          type: "complex",
          multiValued: true,
          subAttributes: VALUES,
        }),
        attribute("active", "Whether the person is a member now", { type: "boolean" }),
        attribute("roles", "viewer, member, admin or manager", {
          type: "complex",
          multiValued: true,
          subAttributes: VALUES,
        }),
        attribute("groups", "Teams of the person", {
          type: "complex",
          multiValued: true,
          mutability: "readOnly",
          subAttributes: [attribute("value", "Id of the team"), attribute("display", "Its name")],
        }),
      ],
    },
    {
      id: SCHEMA.group,
      name: "Group",
      description: "Team of the organization",
      attributes: [
        attribute("displayName", "Name", { required: true, uniqueness: "server" }),
        attribute("externalId", "Id in the directory", { caseExact: true }),
        attribute("members", "People in it", {
          type: "complex",
          multiValued: true,
          subAttributes: [attribute("value", "Id of the user"), attribute("display", "Email")],
        }),
      ],
    },
  ].map((schema) => ({
    schemas: [SCHEMA.schema],
    ...schema,
    meta: { resourceType: "Schema", location: `${base}/Schemas/${schema.id}` },
  }));
}
