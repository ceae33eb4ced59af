/**
 * The actions of apps that only describe them: names, texts, hints and schemas of the sizes that Composio's have. An action
 * is made when it is read, so that 12,000 of them take no memory.
 */
import type { DemoApp } from "./app-list.ts";
import { choose, toFraction, toInteger } from "./seeded.ts";

/** An action as the listing describes it. `input` is unreadable or invalid for a handful of them, as at Composio. */
export interface DemoAction {
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly scopes: readonly string[];
  readonly input: unknown;
  readonly output: unknown;
}

interface Verb {
  readonly name: string;
  readonly isPlural: boolean;
  readonly says: string;
  readonly hints: readonly string[];
}

const READS = ["readOnlyHint", "idempotentHint"];
const VERBS: readonly [Verb, ...Verb[]] = [
  { name: "LIST", isPlural: true, says: "Lists", hints: READS },
  { name: "GET", isPlural: false, says: "Retrieves", hints: READS },
  { name: "CREATE", isPlural: false, says: "Creates", hints: [] },
  { name: "UPDATE", isPlural: false, says: "Updates", hints: ["idempotentHint"] },
  { name: "DELETE", isPlural: false, says: "Permanently deletes", hints: ["destructiveHint", "idempotentHint"] },
  { name: "SEARCH", isPlural: true, says: "Searches", hints: READS },
  { name: "ARCHIVE", isPlural: false, says: "Archives", hints: ["destructiveHint"] },
  { name: "ADD_MEMBER_TO", isPlural: false, says: "Adds a member to", hints: [] },
  { name: "EXPORT", isPlural: true, says: "Exports", hints: READS },
  { name: "MERGE", isPlural: true, says: "Merges", hints: ["destructiveHint"] },
  { name: "COUNT", isPlural: true, says: "Counts", hints: READS },
  { name: "SEND", isPlural: false, says: "Sends", hints: [] },
];
const QUALIFIERS = [
  "",
  "_BY_EXTERNAL_ID",
  "_IN_WORKSPACE",
  "_FOR_ORGANIZATION",
  "_IN_BULK",
  "_WITH_METADATA",
  "_FOR_AUTHENTICATED_USER",
  "_VIA_TEMPLATE",
  "_IN_ENVIRONMENT",
  "_FOR_ENTERPRISE",
  "_BY_NAME",
  "_IN_SANDBOX",
];
/** Makes a name longer than the 64 characters that a model's tool may have. */
const LONG_ENDING = "_AND_RETURN_ALL_RELATED_RESOURCES_INCLUDING_ARCHIVED_ONES";
const LONG_SHARE = 0.08;
/** Of the actions that delete, these many lack their hint. */
const FORGOTTEN_HINT_SHARE = 0.06;
const MIN_PARAMETERS = 2;
const MAX_PARAMETERS = 9;

/** Indices, among all made actions of GitHub, of schemas that are wrong: unreadable ones, and ones that a reader accepts. */
const BAD_INPUTS: ReadonlyMap<number, unknown> = new Map<number, unknown>([
  [101, null],
  [202, "object"],
  [303, { type: "string" }],
  [404, { type: "object", properties: { id: { type: "strng" } } }],
  [505, { type: "object", properties: { pattern: { type: "string", pattern: "(" } } }],
  [606, { type: "object", properties: { id: { $ref: "#/$defs/missing" } } }],
]);

/** The action at an index of an app, from 0. */
export function makeAction(app: DemoApp, at: number): DemoAction {
  const nouns = app.category.nouns;
  const noun = nouns[at % nouns.length] ?? nouns[0];
  const verb = VERBS[Math.floor(at / nouns.length) % VERBS.length] ?? VERBS[0];
  const qualifier = Math.floor(at / (nouns.length * VERBS.length));
  const what = verb.isPlural ? toPlural(noun) : noun;
  const seed = `${app.slug} ${at}`;
  const ending = QUALIFIERS[qualifier] ?? `_VARIANT_${qualifier}`;
  const isLong = toFraction(`${seed} is long`) < LONG_SHARE;
  const slug = `${app.slug.toUpperCase()}_${verb.name}_${what}${ending}${isLong ? LONG_ENDING : ""}`;
  const readable = toWords(what).trim();
  return {
    slug,
    title: toTitle(slug.slice(app.slug.length + 1)),
    description: `${verb.says} ${readable}${toWords(ending)} in ${app.title}. ${choose(`${seed} advice`, ADVICE)}`,
    tags: makeTags(app, verb, at, seed),
    scopes: app.signIn === "oauth" ? [`${app.slug}.${toWords(noun).trim().replaceAll(" ", "_")}`] : [],
    input: app.slug === "github" && BAD_INPUTS.has(at) ? BAD_INPUTS.get(at) : makeInput(noun, verb, seed),
    output: OUTPUT,
  };
}

const ADVICE: readonly [string, ...string[]] = [
  "Use this action when the identifier is already known; otherwise list or search first.",
  "Results are paginated; pass the returned cursor to read the next page. Rate limits of the app apply.",
  "The authenticated user needs the matching permission. Changes are visible to all members of the workspace at once.",
  "Optional fields that are omitted keep their present value.",
];

function makeTags(app: DemoApp, verb: Verb, at: number, seed: string): string[] {
  const isForgotten = verb.hints.includes("destructiveHint") && toFraction(`${seed} forgets`) < FORGOTTEN_HINT_SHARE;
  const hints = app.hasHints && !isForgotten ? verb.hints : [];
  return [...(at < 12 ? ["important"] : []), ...hints, app.category.name];
}

/** The parameters that actions of all apps have in some form: name, schema, and whether a call has to give it. */
const PARAMETERS: readonly (readonly [name: string, schema: object])[] = [
  [
    "workspace_id",
    {
      type: "string",
      description: "Identifier of the workspace that holds the resource. Example: `wks_8f2k1`.",
      title: "Workspace Id",
    },
  ],
  [
    "limit",
    {
      type: "integer",
      minimum: 1,
      maximum: 100,
      default: 20,
      description: "Maximum number of results of one page, from 1 to 100.",
      title: "Limit",
    },
  ],
  [
    "cursor",
    {
      type: "string",
      nullable: true,
      description: "Opaque cursor of a previous reply; omit it to read the first page.",
      title: "Cursor",
    },
  ],
  [
    "sort_order",
    {
      type: "string",
      enum: ["asc", "desc"],
      default: "desc",
      description: "Whether the newest or the oldest results come first.",
      title: "Sort Order",
    },
  ],
  [
    "fields",
    {
      type: "array",
      items: { type: "string" },
      description: "Names of the fields to return. All fields are returned when it is omitted.",
      title: "Fields",
    },
  ],
  [
    "updated_since",
    {
      type: "string",
      format: "date-time",
      description: "Only results that changed at or after this moment (RFC 3339).",
      title: "Updated Since",
    },
  ],
  [
    "include_archived",
    {
      type: "boolean",
      default: false,
      description: "Whether archived resources are part of the results.",
      title: "Include Archived",
    },
  ],
  [
    "metadata",
    {
      type: "object",
      additionalProperties: true,
      description: "Free key-value pairs that are stored with the resource, at most 50.",
      title: "Metadata",
    },
  ],
  [
    "owner_email",
    {
      type: "string",
      format: "email",
      description: "Mail address of the person who owns the resource.",
      title: "Owner Email",
    },
  ],
  [
    "name",
    {
      type: "string",
      minLength: 1,
      maxLength: 255,
      description: "Human-readable name, unique within its parent.",
      title: "Name",
    },
  ],
  [
    "notify",
    {
      type: "boolean",
      default: true,
      description: "Whether the people who follow the resource are notified of the change.",
      title: "Notify",
    },
  ],
];

function makeInput(noun: string, verb: Verb, seed: string): object {
  const id = `${noun.toLowerCase()}_id`;
  const count = MIN_PARAMETERS + toInteger(`${seed} parameters`, MAX_PARAMETERS - MIN_PARAMETERS + 1);
  const first = toInteger(`${seed} first parameter`, PARAMETERS.length);
  const chosen = Array.from({ length: count }, (_, at) => PARAMETERS[(first + at) % PARAMETERS.length]);
  const needsId = !verb.isPlural && verb.name !== "CREATE";
  const own = {
    type: "string",
    description: `Identifier of the ${toWords(noun).trim()}, as a list or a search returns it.`,
    title: toTitle(id.toUpperCase()),
  };
  const properties = Object.fromEntries([[id, own], ...chosen.filter((one) => one !== undefined)]);
  return {
    type: "object",
    title: `${toTitle(`${verb.name}_${noun}`).replaceAll(" ", "")}Request`,
    properties,
    required: needsId ? [id] : [],
  };
}

const OUTPUT = {
  type: "object",
  title: "Response",
  properties: {
    data: { type: "object", additionalProperties: true, description: "Data from the action execution", title: "Data" },
    error: {
      type: "string",
      nullable: true,
      default: null,
      description: "Error if any occurred during the execution of the action",
      title: "Error",
    },
    successful: {
      type: "boolean",
      description: "Whether or not the action execution was successful or not",
      title: "Successful",
    },
  },
  required: ["data", "successful"],
};

function toPlural(noun: string): string {
  if (noun.endsWith("Y") && !noun.endsWith("EY")) return `${noun.slice(0, -1)}IES`;
  return /(?:S|X|CH)$/.test(noun) ? `${noun}ES` : `${noun}S`;
}

/** Lower case, with a space before it. */
function toWords(name: string): string {
  return name === "" ? "" : ` ${name.replace(/^_/, "").replaceAll("_", " ").toLowerCase()}`.replace(/^ {2}/, " ");
}

function toTitle(name: string): string {
  const words = name.replaceAll("_", " ").toLowerCase().trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
