/** How Composio describes apps, actions and triggers, and what the catalogue takes of it. */
import { z } from "zod";
import type { DescribedAction, DescribedApp, DescribedTrigger } from "../../core/apps/catalogue.ts";
import { getTextField } from "../../core/base/json-fields.ts";
import { toPlainText } from "../search/plain-text.ts";

const MAX_DESCRIPTION = 1_024;
const MAX_TITLE = 200;
/** The version that Composio runs if a call names none. */
const FIRST_VERSION = "00000000_00";

const slugSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/);
const actionSchema = z.string().regex(/^[A-Z0-9][A-Z0-9_-]{0,199}$/);
const textsSchema = z
  .array(z.string())
  .nullish()
  .transform((texts) => texts ?? []);
const countSchema = z
  .number()
  .nonnegative()
  .nullish()
  .transform((count) => Math.floor(count ?? 0));
const textSchema = z
  .string()
  .nullish()
  .transform((text) => text ?? "");
/** The schema of an object, which may say so or not. */
const objectSchema = z
  .record(z.string(), z.unknown())
  .refine(({ type }) => type === undefined || type === "object", "has to be the schema of an object");
/** An empty one says nothing. */
const optionalObjectSchema = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((schema) => (schema == null || Object.keys(schema).length === 0 ? null : schema));

const toolkitSchema = z.object({
  slug: slugSchema,
  name: z.string().min(1),
  auth_schemes: textsSchema,
  composio_managed_auth_schemes: textsSchema,
  no_auth: z.boolean().nullish(),
  auth_guide_url: z.string().nullish(),
  meta: z.object({
    description: textSchema,
    logo: z.string().nullish(),
    categories: z.array(z.object({ name: z.string().min(1) })).nullish(),
    tools_count: countSchema,
    triggers_count: countSchema,
    version: z.string().nullish(),
    updated_at: z.string().nullish(),
  }),
});

const toolSchema = z.object({
  slug: actionSchema,
  name: z.string().min(1),
  description: textSchema,
  toolkit: z.object({ slug: slugSchema }),
  input_parameters: objectSchema,
  output_parameters: optionalObjectSchema,
  tags: textsSchema,
  scopes: textsSchema,
  no_auth: z.boolean().nullish(),
  version: z.string().min(1).nullish(),
});

const triggerSchema = z.object({
  slug: actionSchema,
  name: z.string().min(1),
  description: textSchema,
  toolkit: z.object({ slug: slugSchema }),
  config: objectSchema,
  payload: optionalObjectSchema,
});

/** An item that was read, or why it cannot be. */
export type ReadItem<Item> = { readonly item: Item } | { readonly name: string; readonly why: string };

export function readApp(given: unknown, at: number): ReadItem<DescribedApp> {
  const parsed = toolkitSchema.safeParse(given);
  if (!parsed.success) return reject(given, at, parsed.error);
  const { meta, ...toolkit } = parsed.data;
  const item: DescribedApp = {
    app: toolkit.slug.toLowerCase(),
    title: cut(toolkit.name, MAX_TITLE),
    description: describe(meta.description),
    logoUrl: readWebAddress(meta.logo),
    categories: (meta.categories ?? []).map(({ name }) => name),
    actionCount: meta.tools_count,
    triggerCount: meta.triggers_count,
    authSchemes: toolkit.auth_schemes,
    managedSchemes: toolkit.composio_managed_auth_schemes,
    isOpen: toolkit.no_auth === true,
    guideUrl: readWebAddress(toolkit.auth_guide_url),
    version: meta.version ?? null,
    updatedAt: meta.updated_at ?? null,
  };
  return { item };
}

export function readAction(given: unknown, at: number): ReadItem<DescribedAction> {
  const parsed = toolSchema.safeParse(given);
  if (!parsed.success) return reject(given, at, parsed.error);
  const tool = parsed.data;
  const item: DescribedAction = {
    action: tool.slug,
    app: tool.toolkit.slug.toLowerCase(),
    title: cut(tool.name, MAX_TITLE),
    description: describe(tool.description),
    tags: tool.tags,
    scopes: tool.scopes,
    input: tool.input_parameters,
    output: tool.output_parameters,
    version: tool.version ?? FIRST_VERSION,
    isOpen: tool.no_auth === true,
  };
  return { item };
}

export function readTrigger(given: unknown, at: number): ReadItem<DescribedTrigger> {
  const parsed = triggerSchema.safeParse(given);
  if (!parsed.success) return reject(given, at, parsed.error);
  const { slug, name, description, toolkit, config, payload } = parsed.data;
  const item: DescribedTrigger = {
    trigger: slug,
    app: toolkit.slug.toLowerCase(),
    title: cut(name, MAX_TITLE),
    description: describe(description),
    config,
    payload,
  };
  return { item };
}

function reject(given: unknown, at: number, { issues: [issue] }: z.ZodError): { name: string; why: string } {
  const name = getTextField(given, "slug") ?? `item ${at + 1}`;
  const where = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  return { name: cut(name, MAX_TITLE), why: cut(`${where}${issue?.message ?? "unreadable"}`, MAX_TITLE) };
}

function describe(text: string): string {
  return cut(toPlainText(text), MAX_DESCRIPTION);
}

/** Cuts a text without splitting a surrogate pair. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Null for anything but an address of the web. */
function readWebAddress(text: string | null | undefined): string | null {
  const url = URL.parse(text ?? "");
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? url.href : null;
}
