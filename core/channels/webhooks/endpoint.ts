/** Endpoints: where a tenant's webhooks go, and which events of its tasks each wants. */
import type { OldSecret } from "./old-secrets.ts";
import { NOTICE_TYPES, type NoticeFacts, type NoticeType } from "../../task/notice.ts";
import { z } from "zod";

export const MAX_ENDPOINTS = 20;
const MAX_URL_CHARACTERS = 2_000;

/** Families of types, and all of them. */
const FAMILIES = ["*", "task.*", "question.*", "approval.*"] as const;
export const EVENT_PATTERNS = [...FAMILIES, ...NOTICE_TYPES] as const;
export type EventPattern = (typeof EVENT_PATTERNS)[number];

/** What an endpoint is set to. */
export const endpointSettingSchema = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(MAX_URL_CHARACTERS)
    .describe("A public https URL. It is requested by POST; its redirects are not followed."),
  events: z
    .array(z.enum(EVENT_PATTERNS))
    .min(1)
    .max(EVENT_PATTERNS.length)
    .describe("Types of events, `task.*` (or `question.*`, `approval.*`) for a family of them, `*` for all."),
  description: z.string().max(500).default(""),
  enabled: z.boolean().default(true).describe("Nothing is sent to an endpoint that is not."),
});
export type EndpointSetting = z.infer<typeof endpointSettingSchema>;

/** An endpoint as it is shown: everything but its secrets. */
export interface Endpoint extends Readonly<EndpointSetting> {
  /** `whk_…` */
  readonly id: string;
  /** Grows with every change. */
  readonly version: number;
  /** Why Otto disabled it; null: it did not. */
  readonly disabledWhy: string | null;
  /** When the last of the replaced secrets stops signing; null: none is left, or it may be past. */
  readonly oldSecretUntil: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** An endpoint with its secrets, sealed, in base64. */
export interface SealedEndpoint extends Endpoint {
  readonly sealed: string;
  /** Those that were replaced, the latest first. */
  readonly old: readonly OldSecret[];
}

/** A secret in the place of the one before, which signs until `oldUntil` too. */
export interface Rotation {
  readonly id: string;
  readonly sealed: string;
  readonly oldUntil: number;
}

/** The types that patterns name, in the order of `NOTICE_TYPES`. */
export function typesOf(events: readonly EventPattern[]): NoticeType[] {
  const named = new Set<string>(events);
  return NOTICE_TYPES.filter((type) => named.has("*") || named.has(type) || named.has(`${nounOf(type)}.*`));
}

/** The types that any of these endpoints wants. */
export function interestsOf(endpoints: readonly Pick<Endpoint, "enabled" | "events">[]): NoticeType[] {
  return typesOf(endpoints.flatMap(({ enabled, events }) => (enabled ? events : [])));
}

/**
 * Whether endpoints may hear of an event of this task. Of subtasks they hear what asks people, as the streams of the tasks
 * above them do, and nothing of the hidden tasks of calls over the API.
 */
export function isForEndpoints({ isHidden, parentId }: NoticeFacts, type: string): boolean {
  if (isHidden) return false;
  return parentId === null || /^(?:question|approval)\./.test(type);
}

function nounOf(type: string): string {
  return type.slice(0, type.indexOf("."));
}
