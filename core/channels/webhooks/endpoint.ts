/** Webhook endpoints: where a tenant's events go, and which events each endpoint receives. */
import type { OldSecret } from "./old-secrets.ts";
import { NOTICE_TYPES, type NoticeFacts, type NoticeType } from "../../task/notice.ts";
import { z } from "zod";

export const MAX_ENDPOINTS = 20;
const MAX_URL_CHARACTERS = 2_000;

/** Patterns for all types and for families of types. */
const FAMILIES = ["*", "task.*", "question.*", "approval.*", "connection.*"] as const;
export const EVENT_PATTERNS = [...FAMILIES, ...NOTICE_TYPES] as const;
export type EventPattern = (typeof EVENT_PATTERNS)[number];

/** The settings of an endpoint. */
export const endpointSettingSchema = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(MAX_URL_CHARACTERS)
    .describe("A public https URL. Otto sends POST requests and does not follow redirects."),
  events: z
    .array(z.enum(EVENT_PATTERNS))
    .min(1)
    .max(EVENT_PATTERNS.length)
    .describe("Event types; `task.*`, `question.*`, `approval.*` or `connection.*` for a family, `*` for all."),
  description: z.string().max(500).default(""),
  enabled: z.boolean().default(true).describe("A disabled endpoint receives nothing."),
});
export type EndpointSetting = z.infer<typeof endpointSettingSchema>;

/** An endpoint without its secrets. */
export interface Endpoint extends Readonly<EndpointSetting> {
  /** `whk_…` */
  readonly id: string;
  /** Grows with every change. */
  readonly version: number;
  /** Why Otto disabled it; null otherwise. */
  readonly disabledWhy: string | null;
  /** When the last replaced secret stops signing; null without one. The time may have passed. */
  readonly oldSecretUntil: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** An endpoint with its sealed secrets in base64. */
export interface SealedEndpoint extends Endpoint {
  readonly sealed: string;
  /** Replaced secrets, the latest first. */
  readonly old: readonly OldSecret[];
}

/** A new secret. The one before signs too until `oldUntil`. */
export interface Rotation {
  readonly id: string;
  readonly sealed: string;
  readonly oldUntil: number;
}

/** Expands patterns to types, in the order of `NOTICE_TYPES`. */
export function expandPatterns(events: readonly EventPattern[]): NoticeType[] {
  const named = new Set<string>(events);
  return NOTICE_TYPES.filter((type) => named.has("*") || named.has(type) || named.has(`${getNoun(type)}.*`));
}

/** The types that any of these endpoints receives. */
export function getInterests(endpoints: readonly Pick<Endpoint, "enabled" | "events">[]): NoticeType[] {
  return expandPatterns(endpoints.flatMap(({ enabled, events }) => (enabled ? events : [])));
}

/**
 * Whether endpoints may receive an event of this task. Of subtasks they receive only questions, approvals and requests to
 * connect an account, like the streams of parent tasks; of hidden tasks nothing.
 */
export function isForEndpoints({ isHidden, parentId }: NoticeFacts, type: string): boolean {
  if (isHidden) return false;
  return parentId === null || /^(?:question|approval|connection)\./.test(type);
}

function getNoun(type: string): string {
  return type.slice(0, type.indexOf("."));
}
