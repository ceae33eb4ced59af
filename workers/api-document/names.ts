/**
 * Names what the document would repeat: each list of values becomes a component, and a union of named objects gets a
 * discriminator (https://spec.openapis.org/oas/v3.1.0#discriminator-object).
 */
import { PIECE_KINDS } from "../../core/knowledge/piece.ts";
import { CAPABILITY_GATES } from "../../core/agents/agent.ts";
import { APP_LEVELS } from "../../core/apps/workspace/access.ts";
import { CHANGED_PARTS } from "../../core/apps/workspace/changes.ts";
import { INTEGRATION_STATES, KEY_OWNERS } from "../../core/apps/integrations.ts";
import { INGEST_STATES } from "../../core/knowledge/document.ts";
import { DOCUMENT_KINDS } from "../../core/ports/documents.ts";
import { EVENT_PATTERNS } from "../../core/channels/webhooks/endpoint.ts";
import { TRIGGER_STATES } from "../../core/triggers/trigger.ts";
import { DATABASE_STATUSES } from "../../core/databases/database.ts";
import { CODEBASE_STATUSES } from "../../core/codebases/codebase.ts";
import { SKIP_REASONS, SYMBOL_KINDS } from "../../core/codebases/indexed-file.ts";
import { ERRORS } from "../../core/base/errors.ts";
import { ACCOUNT_PROVIDERS, CONNECT_REASONS, OWNER_RULES, PROVIDERS } from "../../core/connections/account.ts";
import { SYNC_KINDS } from "../../core/ports/app-catalogue.ts";
import { DETECTED_TYPES } from "../../core/results/detect-type.ts";
import { OPEN_WAIT_KINDS } from "../../core/task/open-waits.ts";
import { CUT_FIELDS } from "../../core/task/short.ts";
import { TASK_STATUSES } from "../../core/task/status.ts";
import { COUNTED } from "../../core/tenant/recovery.ts";
import { TOOL_CATEGORIES } from "../../core/tool/tool.ts";
import { CHANNEL_NAMES } from "../channels/channels.ts";

type Json = Record<string, unknown>;

/** The API's lists of values, by name. A list without a name stays inline; a test refuses that. */
const ENUMS: Readonly<Record<string, string>> = {
  AccountProvider: PROVIDERS.join(" "),
  CallAccountProvider: ACCOUNT_PROVIDERS.join(" "),
  AccountOwnerKind: "shared person",
  ApprovalDecision: "approve refuse",
  AddedAppStatus: "success already_added",
  ActionSearchStrategy: "exact_lookup sdk_search cache_ranked none",
  AppProvider: "composio mcp",
  ActionSearchTier: "exact_lookup sdk_search cache_ranked",
  AppLevel: APP_LEVELS.join(" "),
  AppUse: "usable unconnected unusable",
  AppsStatus: "on demo off unknown",
  ArgumentPlace: "path query header body payload",
  BudgetPeriod: "day month total",
  CapabilityGate: CAPABILITY_GATES.join(" "),
  CallDecision: "done retry skip",
  CallLabel: "operator principal person tenant outside",
  CallState: "intended confirmed failed unknown refused",
  CodeSymbolKind: SYMBOL_KINDS.join(" "),
  CodebaseStatus: CODEBASE_STATUSES.join(" "),
  CodebaseSkipReason: SKIP_REASONS.join(" "),
  ConnectionOwner: "me shared",
  ConnectionStatus: "pending active expired revoked failed",
  ConnectionsOwner: "me shared all",
  CatalogueSyncKind: SYNC_KINDS.join(" "),
  CatalogueSyncStatus: "queued running completed failed",
  CatalogueSyncType: "full incremental",
  ChangedActionPart: CHANGED_PARTS.join(" "),
  ClosedWaitKind: "question approval connection",
  ConnectReason: CONNECT_REASONS.join(" "),
  ContactChannel: "slack email",
  CutField: CUT_FIELDS.join(" "),
  CustomToolEffect: "none keyed once",
  DatabaseStatus: "ok away refused",
  DatabaseCheckStatus: DATABASE_STATUSES.join(" "),
  DatabaseKind: "postgres",
  DatabaseTls: "require off",
  DeliveryChannel: CHANNEL_NAMES.join(" "),
  DeliveryKind: "result question approval notification reminder progress settled event alert reply",
  DeliveryOutcome: "sent later dead unknown cut_off",
  DeliveryState: "waiting sending sent dead unknown called_off",
  DiskStatus: "ok low full",
  DocumentFormat: DOCUMENT_KINDS.join(" "),
  DocumentSourceKind: "upload text url file",
  EffectClass: "none keyed probe once",
  ErrorCode: Object.keys(ERRORS).join(" "),
  EventPattern: EVENT_PATTERNS.join(" "),
  FileKind: "file directory",
  HealthStatus: "ok degraded failed",
  HttpMethod: "GET HEAD POST PUT PATCH DELETE",
  IngestState: INGEST_STATES.join(" "),
  InboxOrder: "oldest newest",
  IncomingWebhookType: "generic github stripe standard",
  TriggerState: TRIGGER_STATES.join(" "),
  InstallStatus: "active revoked",
  IntegrationState: INTEGRATION_STATES.join(" "),
  IsolationKind: "bubblewrap container none unknown",
  MailProvider: "resend smtp outbox",
  IntegrationKeyOwner: KEY_OWNERS.join(" "),
  KnowledgePieceKind: PIECE_KINDS.join(" "),
  KnowledgeSearchBy: "both vectors",
  LossKind: COUNTED.join(" "),
  McpServerStatus: "connected failed authorization_needed changed",
  McpToolPart: "description input output annotations",
  McpTransport: "http streamable-http sse stdio",
  MemoryLabel: "tenant outside",
  MemoryKind: "note summary",
  MemoryWhere: "all tenant",
  MessageRole: "user assistant",
  MissedRunPolicy: "skip once all",
  OauthGrant: "authorization_code client_credentials",
  OccurrenceState: "starting queued fired finished failed skipped coalesced",
  OverlapPolicy: "skip queue cancel_previous allow",
  OwnerRule: OWNER_RULES.join(" "),
  PendingKind: OPEN_WAIT_KINDS.join(" "),
  Permission: "read write exec network",
  PolicyDecision: "allow ask deny",
  ReceivedState: "waiting done refused dead repeat",
  ReindexReason: "requested missing behind ahead",
  ReindexState: "none running done",
  RequestContentType: "application/json application/x-www-form-urlencoded",
  ResultType: DETECTED_TYPES.join(" "),
  RetryAdvice: "never now later",
  ScanFindingKind: "network environment other_files programs made_code hidden_characters",
  RevocationState: "open unconfirmed",
  ScheduleAppState: ["active", ...CONNECT_REASONS].join(" "),
  Scope: "tasks:read tasks:write tools:call people:act knowledge:write admin",
  SecretMethod: "GET HEAD POST PUT PATCH DELETE OPTIONS",
  SecurityLevel: "safe cautious dangerous critical",
  SidecarStatus: "ok asleep away off",
  SkillMatch: "auto explicit",
  SkillOrigin: "request mention agent similarity tool load",
  SkillSource: "own otto",
  SkillUploadOutcome: "created updated unchanged restored",
  TaskMode: "live staged",
  TaskReason: "iteration_limit output_limit budget_exceeded model_unavailable cancelled internal",
  TaskChangeStatus: [...TASK_STATUSES, "erased"].join(" "),
  TaskStatus: TASK_STATUSES.join(" "),
  ToolCategory: TOOL_CATEGORIES.join(" "),
  UnknownOutcomePolicy: "tell ask",
  VectorStore: "pgvector vectorize unknown",
  ViewMode: "whole short",
  WorkspaceAppStatus: "added pending active expired revoked failed",
};

const NAMES: ReadonlyMap<string, string> = new Map(Object.entries(ENUMS).map(([name, values]) => [values, name]));

/** Replaces each named list of values by a reference, and adds the list to `schemas`. */
export function nameEnums(value: unknown, schemas: Map<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((part) => nameEnums(part, schemas));
  if (typeof value !== "object" || value === null) return value;
  const { enum: values, type, ...rest } = value as Json;
  const name = Array.isArray(values) && type === "string" ? NAMES.get(values.join(" ")) : undefined;
  if (name === undefined)
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, nameEnums(part, schemas)]));
  schemas.set(name, { type, enum: values });
  return { ...rest, $ref: toReference(name) };
}

/** Adds a discriminator to each union of named objects that differ in a constant field. */
export function addDiscriminators(value: unknown, schemas: ReadonlyMap<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((part) => addDiscriminators(part, schemas));
  if (typeof value !== "object" || value === null) return value;
  const parts = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, addDiscriminators(part, schemas)]));
  const discriminator = findDiscriminator(parts["oneOf"] ?? parts["anyOf"], schemas);
  return discriminator === null ? parts : { ...parts, discriminator };
}

function findDiscriminator(members: unknown, schemas: ReadonlyMap<string, unknown>): Json | null {
  if (!Array.isArray(members) || members.length < 2) return null;
  const references = members.map((member: Json) => member["$ref"]);
  const constants = references.map((reference) => {
    const { properties = {} } = (schemas.get(String(reference).replace(/^.*\//, "")) ?? {}) as { properties?: Json };
    return properties as Readonly<Record<string, { readonly const?: unknown }>>;
  });
  const propertyName = Object.keys(constants[0] ?? {}).find((name) =>
    constants.every((properties) => typeof properties[name]?.const === "string"),
  );
  if (propertyName === undefined) return null;
  const mapping = constants.map((properties, at) => [properties[propertyName]?.const, references[at]] as const);
  return { propertyName, mapping: Object.fromEntries(mapping) };
}

export function toReference(name: string): string {
  return `#/components/schemas/${name}`;
}
