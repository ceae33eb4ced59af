/** The API's types. Written by `npm run api-types` from the Worker's OpenAPI document; not edited by hand. */

export type AccountOwnerKind = "shared" | "person";

export type AccountProvider = "composio" | "oauth" | "key" | "mcp";

export type ActionSearchStrategy = "exact_lookup" | "sdk_search" | "cache_ranked" | "none";

export type ActionSearchTier = "exact_lookup" | "sdk_search" | "cache_ranked";

export type AddAppInput = { app_name: string };

export type AddedApp = { status: AddedAppStatus; message: string; app_name: string };

export type AddedAppStatus = "success" | "already_added";

export type AdminKeyInput = { name?: string | undefined; expires_at?: string | null | undefined };

export type Agent = { name: string; model?: string | undefined; fallbacks?: (string)[] | undefined; instructions: string; tools: (string)[]; permissions: (Permission)[]; approval?: { safe?: PolicyDecision | undefined; cautious?: PolicyDecision | undefined; dangerous?: PolicyDecision | undefined; critical?: PolicyDecision | undefined; rules?: ({ tool: string; decision: PolicyDecision })[] | undefined; expires_s?: number | undefined } | undefined; budget?: { max_steps?: number | undefined; max_tokens?: number | undefined; max_cost_usd?: number | undefined; max_duration_s?: number | undefined } | undefined; sandbox?: { allowed_paths?: (string)[] | undefined; denied_patterns?: (string)[] | undefined; extensions?: (string)[] | undefined; allow_write?: boolean | undefined } | undefined; allowed_domains?: (string)[] | undefined; idempotent_hosts?: (string | { host: string; keyed_for_s: number })[] | undefined; on_unknown?: UnknownOutcomePolicy | undefined; capability_gate?: CapabilityGate | undefined; memory?: { summaries?: boolean | undefined; tag_boost?: number | undefined; min_score?: number | undefined } | undefined; skills?: { match?: SkillMatch | undefined; names?: (string)[] | undefined } | undefined; tool_config?: Record<string, Record<string, unknown>> | undefined; app_config?: Record<string, { connection?: string | undefined; owner?: OwnerRule | undefined }> | undefined; id: string; version: number; created_at: string | null; updated_at: string | null; archived_at: string | null };

export type AgentApps = { agent: string; assignments: ({ app_name: string; level: AppLevel; actions: (string)[]; is_active: boolean })[]; permissions: ({ tool: string; is_active: boolean })[] };

export type AgentAppsInput = { assignments: ({ app_name: string; level: AppLevel; actions?: (string)[] | undefined; is_active: boolean })[]; permissions: ({ tool: string; is_active: boolean })[] };

export type AgentInput = { name: string; model?: string | undefined; fallbacks?: (string)[] | undefined; instructions: string; tools: (string)[]; permissions: (Permission)[]; approval?: { safe?: PolicyDecision | undefined; cautious?: PolicyDecision | undefined; dangerous?: PolicyDecision | undefined; critical?: PolicyDecision | undefined; rules?: ({ tool: string; decision: PolicyDecision })[] | undefined; expires_s?: number | undefined } | undefined; budget?: { max_steps?: number | undefined; max_tokens?: number | undefined; max_cost_usd?: number | undefined; max_duration_s?: number | undefined } | undefined; sandbox?: { allowed_paths?: (string)[] | undefined; denied_patterns?: (string)[] | undefined; extensions?: (string)[] | undefined; allow_write?: boolean | undefined } | undefined; allowed_domains?: (string)[] | undefined; idempotent_hosts?: (string | { host: string; keyed_for_s: number })[] | undefined; on_unknown?: UnknownOutcomePolicy | undefined; capability_gate?: CapabilityGate | undefined; memory?: { summaries?: boolean | undefined; tag_boost?: number | undefined; min_score?: number | undefined } | undefined; skills?: { match?: SkillMatch | undefined; names?: (string)[] | undefined } | undefined; tool_config?: Record<string, Record<string, unknown>> | undefined; app_config?: Record<string, { connection?: string | undefined; owner?: OwnerRule | undefined }> | undefined };

export type AgentVersion = { name: string; model?: string | undefined; fallbacks?: (string)[] | undefined; instructions: string; tools: (string)[]; permissions: (Permission)[]; approval?: { safe?: PolicyDecision | undefined; cautious?: PolicyDecision | undefined; dangerous?: PolicyDecision | undefined; critical?: PolicyDecision | undefined; rules?: ({ tool: string; decision: PolicyDecision })[] | undefined; expires_s?: number | undefined } | undefined; budget?: { max_steps?: number | undefined; max_tokens?: number | undefined; max_cost_usd?: number | undefined; max_duration_s?: number | undefined } | undefined; sandbox?: { allowed_paths?: (string)[] | undefined; denied_patterns?: (string)[] | undefined; extensions?: (string)[] | undefined; allow_write?: boolean | undefined } | undefined; allowed_domains?: (string)[] | undefined; idempotent_hosts?: (string | { host: string; keyed_for_s: number })[] | undefined; on_unknown?: UnknownOutcomePolicy | undefined; capability_gate?: CapabilityGate | undefined; memory?: { summaries?: boolean | undefined; tag_boost?: number | undefined; min_score?: number | undefined } | undefined; skills?: { match?: SkillMatch | undefined; names?: (string)[] | undefined } | undefined; tool_config?: Record<string, Record<string, unknown>> | undefined; app_config?: Record<string, { connection?: string | undefined; owner?: OwnerRule | undefined }> | undefined; id: string; version: number; created_at: string | null };

export type AnswerInput = { text?: string | undefined; choice?: string | undefined };

export type AppAction = { name: string; display_name: string; description: string; app_name: string; parameters: Record<string, unknown>; enabled: boolean; tags: (string)[]; effect: EffectClass; security: SecurityLevel; because: string; is_overridden: boolean; capabilities: (string)[]; is_destructive: boolean };

export type AppChange = { status: "success"; message: string; app_name: string };

export type AppChanges = { app_name: string; hash: string | null; changed: ({ name: string; display_name: string; parts: (ChangedActionPart)[]; before: { effect: EffectClass; security: SecurityLevel; description: string | null } | null; after: { effect: EffectClass; security: SecurityLevel; description: string | null } })[]; removed: (string)[] };

export type AppLevel = "full" | "read_only" | "list";

export type AppOverrideList = { app_name: string; overrides: ({ name: string; display_name: string; effect: EffectClass | null; security: SecurityLevel | null; schema_hash: string | null; is_current: boolean; computed: { effect: EffectClass; security: SecurityLevel; because: string } | null })[] };

export type AppOverrides = { status: "success"; overridden_count: number; app_name: string };

export type AppOverridesInput = { overrides: Record<string, { effect?: EffectClass | undefined; security?: SecurityLevel | undefined; schema_hash?: string | undefined }> };

export type AppProvider = "composio" | "mcp";

export type AppResolution = { query: string; agent: string; strategy: ActionSearchStrategy; search_ms: number; intent: { capabilities: (string)[]; actions: (string)[]; is_generic: boolean }; tiers: ({ tier: ActionSearchTier; found: number; first: (string)[] })[]; actions: ({ name: string; app_name: string; tool: string; score: number; is_shown: boolean })[]; apps: ({ app_name: string; state: AppUse })[]; suggested_apps: (string)[]; hints: string };

export type AppTrigger = { name: string; display_name: string; description: string; app_name: string; config: Record<string, unknown>; payload: Record<string, unknown> | null };

export type AppTriggerSummary = { name: string; display_name: string; description: string };

export type AppUse = "usable" | "unconnected" | "unusable";

export type ApprovalDecidedEvent = { seq: number; type: "approval.decided"; data: { task_id: string; at: string; approval_id: string; call_id: string; tool: string; decision: ApprovalDecision; reason: string | null; by: string; by_person_id?: string | null | undefined; arguments_hash: string; approved_hash?: string | undefined; files?: (ApprovedFile)[] | undefined; decides?: { person_id: string; name: string; delegates: boolean } | undefined; arguments?: unknown; [field: string]: unknown } };

export type ApprovalDecision = "approve" | "refuse";

export type ApprovalDecisionInput = { decision: ApprovalDecision; arguments?: Record<string, unknown> | undefined; reason?: string | undefined };

export type ApprovalExpiredEvent = { seq: number; type: "approval.expired"; data: { task_id: string; at: string; approval_id: string; call_id: string; tool: string; decides?: { person_id: string; name: string; delegates: boolean } | undefined; [field: string]: unknown } };

export type ApprovalRequestedEvent = { seq: number; type: "approval.requested"; data: { task_id: string; at: string; step: number; call_id: string; tool: string; approval_id: string; arguments?: unknown; arguments_hash: string; approved_hash?: string | undefined; files?: (ApprovedFile)[] | undefined; reason: string; expires_at: string | null; decides?: { person_id: string; name: string; delegates: boolean } | undefined; account?: CallAccount | undefined; [field: string]: unknown } };

export type ApproveChangesInput = { hash: string };

export type ApprovedChanges = { status: "success"; approved_count: number; removed_count: number; app_name: string };

export type ApprovedFile = { path: string; size: number; sha256: string; file_count?: number | undefined };

export type AppsStatus = "on" | "demo" | "off" | "unknown";

export type ArgumentPlace = "path" | "query" | "header" | "body" | "payload";

export type AuditEntry = { id: string; at: string; actor: string; action: string; target: string; request_id: string; details: Record<string, string | null> | null };

export type BooleanText = "true" | "false";

export type Budget = { account: string; limit: { max_tokens: number | null; max_cost_usd: number | null; period: BudgetPeriod } | null; used: { tokens: number; cost_usd: number }; reserved: { tokens: number; cost_usd: number } };

export type BudgetLimitInput = { max_tokens?: number | null | undefined; max_cost_usd?: number | null | undefined; period: BudgetPeriod };

export type BudgetPeriod = "day" | "month" | "total";

export type BudgetWarningEvent = { seq: number; type: "budget.warning"; data: { task_id: string; at: string; account: string; kind: string; used: number; limit: number; [field: string]: unknown } };

export type CallAccount = { connection: string; app: string; provider: CallAccountProvider; owner: PersonOwner | SharedOwner; label: string | null };

export type CallAccountProvider = "composio" | "oauth" | "key" | "mcp" | "database";

export type CallCompletedEvent = { seq: number; type: "call.completed"; data: { task_id: string; at: string; step: number; call_id: string; tool: string; ok: boolean; state: string; label?: CallLabel | undefined; result?: unknown; error?: { code: string; message: string; [field: string]: unknown } | undefined; duration_ms: number; account?: CallAccount | undefined; [field: string]: unknown } };

export type CallDecision = "done" | "retry" | "skip";

export type CallDecisionInput = { decision: CallDecision };

export type CallLabel = "operator" | "principal" | "person" | "tenant" | "outside";

export type CallStartedEvent = { seq: number; type: "call.started"; data: { task_id: string; at: string; step: number; call_id: string; tool: string; arguments?: unknown; effect: string; label?: CallLabel | undefined; account?: CallAccount | undefined; [field: string]: unknown } };

export type CallState = "intended" | "confirmed" | "failed" | "unknown" | "refused";

export type CallUnknownEvent = { seq: number; type: "call.unknown"; data: { task_id: string; at: string; step: number; call_id: string; tool: string; account?: CallAccount | undefined; [field: string]: unknown } };

export type CapabilityGate = "enforce" | "ask" | "off";

export type CatalogueCacheStatus = { hash: string | null; last_synced: string | null; age_seconds: number | null; apps: number; actions: number; triggers: number; apps_without_actions: (string)[]; apps_without_parameters: (string)[] };

export type CatalogueStats = { total_apps: number; total_actions: number; total_triggers: number; categories: ({ category: string; apps: number })[]; connected_apps: number; last_synced: string | null };

export type CatalogueSync = { id: string; job_type: CatalogueSyncKind; status: CatalogueSyncStatus; started_at: string; completed_at: string | null; duration_ms: number | null; apps_synced: number; actions_synced: number; errors_count: number; error_details: ({ name: string; why: string })[] };

export type CatalogueSyncKind = "full" | "incremental" | "backfill";

export type CatalogueSyncStatus = "queued" | "running" | "completed" | "failed";

export type CatalogueSyncType = "full" | "incremental";

export type CatalogueSyncs = { jobs: (CatalogueSync)[] };

export type ChangedActionPart = "input" | "effect" | "security" | "description" | "hints";

export type ChangedIncomingWebhook = { id: string; version: number; name: string; type: IncomingWebhookType; agent?: string | undefined; project?: string | undefined; prompt?: string | undefined; events?: (string)[] | undefined; signature_header?: string | undefined; once_per_body?: boolean | undefined; deliver?: ({ channel: DeliveryTarget; to: string })[] | undefined; budget?: { max_steps?: number | undefined; max_tokens?: number | undefined; max_cost_usd?: number | undefined; max_duration_s?: number | undefined } | undefined; reindex?: boolean | undefined; enabled: boolean; old_secret_until: string | null; acts_for: { person_id: string; name: string } | null; url: string; created_at: string; updated_at: string; acts_for_cleared: boolean };

export type Citation = { n: number; piece_id: string; document_id: string; version: number; title: string; page: number | null; start: number; end: number; quote: string };

export type ClosedWaitKind = "question" | "approval" | "connection";

export type CodeFound = { query: string; results: (CodeResult)[]; searched: ({ name: string; files: number; status: CodebaseStatus })[] };

export type CodeResult = { file: string; codebase: string; language: string; symbol: string | null; kind: CodeSymbolKind | null; signature: string | null; start_line: number; end_line: number; code: string; score: number; commit: string | null };

export type CodeSearchInput = { query: string; codebase?: string | undefined; file_type?: string | undefined; limit?: number | undefined };

export type CodeSymbolKind = "class" | "constant" | "enum" | "function" | "interface" | "method" | "module" | "struct" | "trait" | "type" | "variable";

export type Codebase = { id: string; name: string; source: { git: string; ref?: string | undefined; secret?: string | undefined } | { zip: string } | { project: string }; agents: (string)[] | null; projects: (string)[] | null; people: (string)[] | null; status: CodebaseStatus; error: string | null; commit: string | null; files: number; symbols: number; chunks: number; skipped: Partial<Record<CodebaseSkipReason, number>>; embedder: string | null; reindex: { every: string | null }; next_at: string | null; indexed_at: string | null; created_at: string; updated_at: string };

export type CodebaseArchive = { hash: string; size: number };

export type CodebaseChangeInput = { agents?: (string)[] | null | undefined; projects?: (string)[] | null | undefined; people?: (string)[] | null | undefined };

export type CodebaseReindexInput = { every: string | null };

export type CodebaseSkipReason = "binary" | "too_large" | "ignored" | "denied" | "secret" | "link";

export type CodebaseStatus = "queued" | "indexing" | "ready" | "failed";

export type ConnectApiKey = { kind: "api_key"; fields?: ({ name: string; label: string; hint?: string | undefined })[] | undefined; per?: AccountOwnerKind | undefined; scheme?: string | undefined };

export type ConnectAppInput = { app_name: string; callback_url?: string | undefined; owner?: ConnectionOwner | undefined };

export type ConnectAppLink = { redirect_url: string; app_name: string };

export type ConnectBasic = { kind: "basic"; fields?: ({ name: string; label: string; hint?: string | undefined })[] | undefined; per?: AccountOwnerKind | undefined; scheme?: string | undefined };

export type ConnectBearer = { kind: "bearer"; fields?: ({ name: string; label: string; hint?: string | undefined })[] | undefined; per?: AccountOwnerKind | undefined; scheme?: string | undefined };

export type ConnectLink = { connect_url: string; expires_at: string };

export type ConnectOAuth = { kind: "oauth2"; issuer?: string | undefined; authorization_endpoint?: string | undefined; token_endpoint?: string | undefined; revocation_endpoint?: string | undefined; client_id?: string | undefined; client_secret?: string | undefined; scopes: (string)[]; params?: Record<string, string> | undefined; per: AccountOwnerKind; scheme?: string | undefined };

export type ConnectReason = "missing" | "expired" | "revoked" | "scopes" | "unattended";

export type ConnectableApp = { app: string; title: string; provider: AccountProvider; owners: (ConnectionOwner)[] };

export type ConnectedApp = { id: string; app_name: string; display_name: string; description: string; logo_url: string | null; categories: (string)[]; auth_schemes: (string)[]; action_count: number; trigger_count: number; provider: AccountProvider; directory: { url: string; document: string; checked_on: string } | null; is_added: boolean; is_connected: boolean; connect_states: { me: ConnectionStatus | null; shared: ConnectionStatus | null }; triggers: (AppTriggerSummary)[]; status: WorkspaceAppStatus; connected_at: string | null; connection_id: string | null; is_listed: boolean };

export type ConnectedApps = { apps: (ConnectedApp)[]; total: number };

export type Connection = { id: string; app: string; provider: AccountProvider; owner: PersonOwner | SharedOwner; alias: string | null; is_default: boolean; status: ConnectionStatus; label: string | null; scopes: (string)[] | null; unattended: boolean; delegate_approvals: boolean; why: string | null; revocation: { state: RevocationState; next_at: string } | null; last_used_at: string | null; last_checked_at: string | null; created_at: string; updated_at: string };

export type ConnectionChangeInput = { alias?: string | null | undefined; is_default?: true | undefined; unattended?: boolean | undefined; delegate_approvals?: boolean | undefined };

export type ConnectionDecisionInput = { decision: "skip" };

export type ConnectionOwner = "me" | "shared";

export type ConnectionReadyEvent = { seq: number; type: "connection.ready"; data: { task_id: string; at: string; wait_id: string; call_id: string; app: string; account: CallAccount; [field: string]: unknown } };

export type ConnectionRecords = { connections: (Connection)[]; total: number };

export type ConnectionRequestedEvent = { seq: number; type: "connection.requested"; data: { task_id: string; at: string; step: number; call_id: string; tool: string; wait_id: string; app: string; reason: ConnectReason; person_id: string | null; why?: string | undefined; expires_at: string; [field: string]: unknown } };

export type ConnectionStatus = "pending" | "active" | "expired" | "revoked" | "failed";

export type ConnectionsOwner = "me" | "shared" | "all";

export type ContactChannel = "slack" | "email";

export type CronTiming = { kind: "cron"; expression: string };

export type CustomToolEffect = "none" | "keyed" | "once";

export type CustomToolInput = { name: string; summary: string; toolbox?: string | undefined; category?: ToolCategory | undefined; permissions?: (Permission)[] | undefined; security?: SecurityLevel | undefined; effect?: CustomToolEffect | undefined; keyed_for_s?: number | undefined; timeout_ms?: number | undefined; input: Record<string, unknown>; output?: Record<string, unknown> | undefined; request: { method?: HttpMethod | undefined; url: string; headers?: Record<string, string> | undefined; places?: Record<string, ArgumentPlace | { in: ArgumentPlace; name: string }> | undefined; content_type?: RequestContentType | undefined; result_at?: string | undefined } };

export type CutField = "input" | "output" | "error" | "pending" | "skills" | "metadata";

export type Database = { id: string; name: string; kind: DatabaseKind; host: string | null; agents: (string)[] | null; projects: (string)[] | null; people: (string)[] | null; tls: DatabaseTls; schemas?: (string)[] | undefined; tables?: { allow?: (string)[] | undefined; deny?: (string)[] | undefined } | undefined; columns?: { deny?: (string)[] | undefined } | undefined; functions?: (string)[] | undefined; samples?: boolean | undefined; max_rows: number; timeout_s: number; accept_writing_role: boolean; status: DatabaseCheckStatus; check: { role: string; server: string; grants: (string)[]; tables: (string)[] } | null; version: number; created_at: string; updated_at: string };

export type DatabaseChangeInput = { dsn?: string | undefined; agents?: (string)[] | null | undefined; projects?: (string)[] | null | undefined; people?: (string)[] | null | undefined; tls?: DatabaseTls | undefined; schemas?: (string)[] | null | undefined; tables?: { allow?: (string)[] | undefined; deny?: (string)[] | undefined } | undefined; columns?: { deny?: (string)[] | undefined } | undefined; functions?: (string)[] | undefined; samples?: boolean | undefined; max_rows?: number | undefined; timeout_s?: number | undefined; accept_writing_role?: boolean | undefined };

export type DatabaseCheckStatus = "unchecked" | "ready" | "rejected";

export type DatabaseKind = "postgres";

export type DatabaseStatus = "ok" | "away" | "refused";

export type DatabaseTls = "require" | "off";

export type DeletedToolSource = { name: string; version: number; hash: string | null; tools: number; updated_at: string; connections_ended: number };

export type Delivery = { id: string; channel: DeliveryChannel; to: string; kind: DeliveryKind; task: string | null; about: string | null; state: DeliveryState; attempts: number; why: string | null; due_at: string | null; created_at: string; ended_at: string | null };

export type DeliveryChannel = "email" | "slack" | "webhook";

export type DeliveryDetail = { id: string; channel: DeliveryChannel; to: string; kind: DeliveryKind; task: string | null; about: string | null; state: DeliveryState; attempts: number; why: string | null; due_at: string | null; created_at: string; ended_at: string | null; content: Record<string, unknown>; tries: ({ number: number; at: string; ended_at: string | null; outcome: DeliveryOutcome | null; why: string | null })[] };

export type DeliveryKind = "result" | "question" | "approval" | "notification" | "reminder" | "progress" | "settled" | "event" | "alert" | "reply";

export type DeliveryOutcome = "sent" | "later" | "dead" | "unknown" | "cut_off";

export type DeliveryState = "waiting" | "sending" | "sent" | "dead" | "unknown" | "called_off";

export type DeliveryTarget = "person" | "email" | "slack" | "webhook";

export type DisconnectAppInput = { app_name: string; owner?: ConnectionOwner | undefined };

export type DisconnectedApp = { status: "success"; message: string; app_name: string };

export type DiskStatus = "ok" | "low" | "full";

export type Document = { id: string; project: string | null; filename: string; title: string; tags: (string)[]; label: MemoryLabel; version: number; shown_version: number | null; status: IngestState; progress: number; source: { kind: DocumentSourceKind; url: string | null; task_id: string | null; path: string | null }; format: DocumentFormat | null; size: number | null; sha256: string | null; units: number | null; pieces: { text: number; table: number; formula: number; image: number }; warnings: (string)[]; error: { code: ErrorCode; message: string } | null; author: string; created_at: string; updated_at: string; ended_at: string | null };

export type DocumentFormat = "pdf" | "docx" | "odt" | "rtf" | "epub" | "html" | "pptx" | "xlsx" | "ods" | "eml" | "ipynb" | "image" | "csv" | "tsv" | "markdown" | "text";

export type DocumentInput = { url?: string | undefined; task_id?: string | undefined; path?: string | undefined; text?: string | undefined; filename?: string | undefined; title?: string | undefined; tags?: (string)[] | undefined };

export type DocumentSourceKind = "upload" | "text" | "url" | "file";

export type DueMoments = { data: (string)[] };

export type EffectClass = "none" | "keyed" | "probe" | "once";

export type EmailAddress = { kind: "email"; address: string };

export type EmptyInput = Record<string, never>;

export type EnableActionsInput = { actions: (string)[] };

export type EnabledActions = { status: "success"; enabled_count: number; app_name: string };

export type ErrorCode = "invalid_input" | "unauthenticated" | "permission_denied" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "gone" | "too_large" | "unsupported_media" | "not_available" | "quota_exceeded" | "rate_limited" | "budget_exceeded" | "needs_approval" | "blocked_by_policy" | "sandbox_denied" | "timeout" | "upstream_failed" | "outcome_unknown" | "internal";

export type EventPage = { data: (TaskEvent)[]; next_cursor: string | null; last: number; done: boolean };

export type EventPattern = "*" | "task.*" | "question.*" | "approval.*" | "connection.*" | "task.created" | "task.started" | "task.waiting" | "task.resumed" | "question.asked" | "question.answered" | "question.expired" | "approval.requested" | "approval.decided" | "approval.expired" | "connection.requested" | "connection.ready" | "call.unknown" | "budget.warning" | "task.completed" | "task.failed" | "task.cancelled";

export type FileAttachedEvent = { seq: number; type: "file.attached"; data: { task_id: string; at: string; path: string; size: number; content_type: string; sha256?: string | undefined; [field: string]: unknown } };

export type FileKind = "file" | "directory";

export type FileVersions = { data: ({ version: number; is_current: boolean; size: number; content_type: string; modified_at: string; mode: string; url: string })[] };

export type Health = { status: HealthStatus; mode: string; model: string; embeddings: string; apps: AppsStatus; vectors: VectorStore; database: DatabaseStatus; sidecar: SidecarStatus; isolation: IsolationKind; disk: { status: DiskStatus; free_bytes: number } | null; reindex: { running: number; not_rebuilt: NotRebuilt } | null; version: string; deployment: string | null; problems: (string)[] };

export type HealthStatus = "ok" | "degraded" | "failed";

export type HttpMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

export type Inbox = { data: (InboxEntry)[]; next_cursor: string | null; total: number };

export type InboxEntry = { task: { id: string; parent_id: string | null; title: string; status: TaskStatus; agent: string; project: string | null; created_at: string; ended_at: string | null }; pending: PendingQuestion | PendingApproval | PendingConnection | PendingUnknown; since: string };

export type InboxOrder = "oldest" | "newest";

export type IncomingWebhook = { id: string; version: number; name: string; type: IncomingWebhookType; agent?: string | undefined; project?: string | undefined; prompt?: string | undefined; events?: (string)[] | undefined; signature_header?: string | undefined; once_per_body?: boolean | undefined; deliver?: ({ channel: DeliveryTarget; to: string })[] | undefined; budget?: { max_steps?: number | undefined; max_tokens?: number | undefined; max_cost_usd?: number | undefined; max_duration_s?: number | undefined } | undefined; reindex?: boolean | undefined; enabled: boolean; old_secret_until: string | null; acts_for: { person_id: string; name: string } | null; url: string; created_at: string; updated_at: string };

export type IncomingWebhookInput = { name: string; type: IncomingWebhookType; agent?: string | undefined; project?: string | undefined; prompt?: string | undefined; events?: (string)[] | undefined; signature_header?: string | undefined; once_per_body?: boolean | undefined; deliver?: ({ channel: DeliveryTarget; to: string })[] | undefined; budget?: { max_steps?: number | undefined; max_tokens?: number | undefined; max_cost_usd?: number | undefined; max_duration_s?: number | undefined } | undefined; reindex?: boolean | undefined; enabled?: boolean | undefined; secret?: string | undefined; old_secret_seconds?: number | undefined; acts_for?: "me" | null | undefined };

export type IncomingWebhookType = "generic" | "github" | "stripe" | "standard";

export type IngestState = "queued" | "reading" | "embedding" | "ready" | "failed";

export type InstallStatus = "active" | "revoked";

export type IntegrationKeyOwner = "own" | "operator" | "demo" | "none";

export type IntegrationState = "on" | "demo" | "integrations_unavailable";

export type Integrations = { status: IntegrationState; message: string | null; served_by: IntegrationKeyOwner };

export type IntervalTiming = { kind: "interval"; every_seconds: number; anchor?: string | undefined };

export type IsolationKind = "bubblewrap" | "container" | "none" | "unknown";

export type KeptMail = { id: string; sent: false; from: string; to: (string)[]; cc: (string)[]; reply_to: string | null; subject: string; html: string; text: string; attachments: ({ filename: string; content_type: string; size: number })[]; kept_at: string };

export type Key = { id: string; name: string; scopes: (Scope)[]; projects: (string)[] | null; agents: (string)[] | null; person: { id: string; name: string } | null; created_at: string; created_by: string; expires_at: string | null; revoked_at: string | null };

export type KeyInput = { name: string; scopes: (Scope)[]; projects?: (string)[] | undefined; agents?: (string)[] | undefined; person?: string | undefined; expires_at?: string | null | undefined };

export type KeyPersonInput = { person: string | null };

export type KillSwitch = { stopped: boolean; by: string | null; by_operator: boolean; reason: string | null; at: string | null };

export type KnowledgeFormula = { tex: string; context: string };

export type KnowledgeFound = { query: string; total: number; results: (KnowledgeResult)[]; searched: { documents: number; pieces: number; embedder: string | null }; warnings: (string)[] };

export type KnowledgeImage = { caption: string | null; alt: string | null; nearby: string; width: number | null; height: number | null; content_type: string };

export type KnowledgePieceKind = "text" | "table" | "formula" | "image";

export type KnowledgeResult = { piece_id: string; document_id: string; version: number; project: string | null; label: MemoryLabel; kind: KnowledgePieceKind; title: string; heading: (string)[]; page: number | null; start: number; end: number; text: string; table?: KnowledgeTable | undefined; formula?: KnowledgeFormula | undefined; image?: KnowledgeImage | undefined; score: number; relevance: number };

export type KnowledgeSearchBy = "both" | "vectors";

export type KnowledgeSearchInput = { query: string; kinds?: (KnowledgePieceKind)[] | undefined; by?: KnowledgeSearchBy | undefined; limit?: number | undefined; project?: string | undefined; scope?: MemoryWhere | undefined };

export type KnowledgeTable = { caption: string | null; columns: (string)[]; rows: ((string)[])[]; row_count: number };

export type LedgerRow = { call_id: string; step: number; tool: string; effect: EffectClass; state: CallState; key: string; arguments_hash: string; attempts: number; intended_at: string; settled_at: string | null; label: CallLabel | null; account: CallAccount | null; result?: ToolResult | undefined };

export type LossKind = "agents" | "people" | "secrets" | "memories" | "skills" | "tools" | "mcp_servers" | "webhooks" | "incoming_webhooks" | "slack_workspaces" | "connections" | "keys" | "projects";

export type MailProvider = "resend" | "smtp" | "outbox";

export type MailSettings = { provider: MailProvider; from: string; address: string | null };

export type Marketplace = { apps: (MarketplaceApp)[]; total_apps: number; total_actions: number; categories: (string)[]; last_synced: string | null };

export type MarketplaceApp = { id: string; app_name: string; display_name: string; description: string; logo_url: string | null; categories: (string)[]; auth_schemes: (string)[]; action_count: number; trigger_count: number; provider: AccountProvider; directory: { url: string; document: string; checked_on: string } | null; is_added: boolean; is_connected: boolean; connect_states: { me: ConnectionStatus | null; shared: ConnectionStatus | null }; triggers: (AppTriggerSummary)[]; status: "active" };

export type McpApprovalInput = { hash: string };

export type McpServer = { name: string; url: string | null; process: { command: string; args: (string)[]; env: (string)[]; network: (string)[] } | null; headers: (string)[]; oauth: { grant: string; client_id: string | null; scope: string | null; per: AccountOwnerKind } | null; trusted: boolean; timeout_ms: number; status: McpServerStatus; error: string | null; tool_count: number; hash: string | null; pending_hash: string | null; refused: ({ name: string; reason: string })[]; stale: boolean; protocol_version: string | null; checked_at: string | null; created_at: string; updated_at: string };

export type McpServerDetail = { name: string; url: string | null; process: { command: string; args: (string)[]; env: (string)[]; network: (string)[] } | null; headers: (string)[]; oauth: { grant: string; client_id: string | null; scope: string | null; per: AccountOwnerKind } | null; trusted: boolean; timeout_ms: number; status: McpServerStatus; error: string | null; tool_count: number; hash: string | null; pending_hash: string | null; refused: ({ name: string; reason: string })[]; stale: boolean; protocol_version: string | null; checked_at: string | null; created_at: string; updated_at: string; authorization_url: string | null; tools: ({ tool: string; name: string; description: string; security: string; effect: string })[]; diff: { added: (string)[]; removed: (string)[]; changed: ({ name: string; changes: ({ what: McpToolPart; before: unknown; after: unknown })[] })[]; added_tools: ({ tool: string; description: string; input: Record<string, unknown> })[] } | null };

export type McpServerInput = { type?: McpTransport | undefined; transport?: McpTransport | undefined; url?: string | undefined; headers?: Record<string, string> | undefined; oauth?: { grant?: OauthGrant | undefined; client_id?: string | undefined; client_secret?: string | undefined; scope?: string | undefined; per?: AccountOwnerKind | undefined } | undefined; trusted?: boolean | undefined; timeout_ms?: number | undefined; command?: string | undefined; args?: (string)[] | undefined; env?: Record<string, string> | undefined; network?: (string)[] | undefined; name: string };

export type McpServerStatus = "connected" | "failed" | "authorization_needed" | "changed";

export type McpServersInput = { mcpServers: Record<string, { type?: McpTransport | undefined; transport?: McpTransport | undefined; url?: string | undefined; headers?: Record<string, string> | undefined; oauth?: { grant?: OauthGrant | undefined; client_id?: string | undefined; client_secret?: string | undefined; scope?: string | undefined; per?: AccountOwnerKind | undefined } | undefined; trusted?: boolean | undefined; timeout_ms?: number | undefined; command?: string | undefined; args?: (string)[] | undefined; env?: Record<string, string> | undefined; network?: (string)[] | undefined }> };

export type McpToolPart = "description" | "input" | "output" | "annotations";

export type McpTransport = "http" | "streamable-http" | "sse" | "stdio";

export type Memory = { id: string; project: string | null; kind: MemoryKind; label: MemoryLabel; content: string; tags: (string)[]; source_task: string | null; author: string; embedding: string | null; created_at: string; updated_at: string; score?: number | undefined; similarity?: number | undefined; matched_tags?: (string)[] | undefined };

export type MemoryInput = { content?: string | undefined; tags?: (string)[] | undefined; label?: MemoryLabel | undefined };

export type MemoryKind = "note" | "summary";

export type MemoryLabel = "tenant" | "outside";

export type MemoryWhere = "all" | "tenant";

export type MessageCompletedEvent = { seq: number; type: "message.completed"; data: { task_id: string; at: string; role: MessageRole; text: string; label?: CallLabel | undefined; step?: number | undefined; attempt?: number | undefined; model?: string | null | undefined; input_tokens?: number | undefined; output_tokens?: number | undefined; cost_usd?: number | undefined; by?: { person_id: string | null; name: string; [field: string]: unknown } | null | undefined; [field: string]: unknown } };

export type MessageDeltaEvent = { seq: number; type: "message.delta"; data: { task_id: string; at: string; step: number; attempt: number; text: string; [field: string]: unknown } };

export type MessageInput = { text: string; paste?: boolean | undefined };

export type MessageRole = "user" | "assistant";

export type MissedRunPolicy = "skip" | "once" | "all";

export type NewCodebaseInput = { name: string; source: { git: string; ref?: string | undefined; secret?: string | undefined } | { zip: string } | { project: string }; agents?: (string)[] | undefined; projects?: (string)[] | undefined; people?: (string)[] | undefined; reindex?: { every?: string | undefined } | undefined };

export type NewConnectionInput = { app: string; owner?: ConnectionOwner | undefined; alias?: string | undefined; unattended?: boolean | undefined };

export type NewDatabaseInput = { name: string; kind: DatabaseKind; dsn: string; agents?: (string)[] | undefined; projects?: (string)[] | undefined; people?: (string)[] | undefined; tls?: DatabaseTls | undefined; schemas?: (string)[] | undefined; tables?: { allow?: (string)[] | undefined; deny?: (string)[] | undefined } | undefined; columns?: { deny?: (string)[] | undefined } | undefined; functions?: (string)[] | undefined; samples?: boolean | undefined; max_rows?: number | undefined; timeout_s?: number | undefined; accept_writing_role?: boolean | undefined };

export type NewDocumentInput = { url?: string | undefined; task_id?: string | undefined; path?: string | undefined; text?: string | undefined; filename?: string | undefined; title?: string | undefined; tags?: (string)[] | undefined; project?: string | null | undefined };

export type NewIncomingWebhook = { id: string; version: number; name: string; type: IncomingWebhookType; agent?: string | undefined; project?: string | undefined; prompt?: string | undefined; events?: (string)[] | undefined; signature_header?: string | undefined; once_per_body?: boolean | undefined; deliver?: ({ channel: DeliveryTarget; to: string })[] | undefined; budget?: { max_steps?: number | undefined; max_tokens?: number | undefined; max_cost_usd?: number | undefined; max_duration_s?: number | undefined } | undefined; reindex?: boolean | undefined; enabled: boolean; old_secret_until: string | null; acts_for: { person_id: string; name: string } | null; url: string; created_at: string; updated_at: string; secret: string | null };

export type NewIncomingWebhookInput = { name: string; type: IncomingWebhookType; agent?: string | undefined; project?: string | undefined; prompt?: string | undefined; events?: (string)[] | undefined; signature_header?: string | undefined; once_per_body?: boolean | undefined; deliver?: ({ channel: DeliveryTarget; to: string })[] | undefined; budget?: { max_steps?: number | undefined; max_tokens?: number | undefined; max_cost_usd?: number | undefined; max_duration_s?: number | undefined } | undefined; reindex?: boolean | undefined; enabled?: boolean | undefined; secret?: string | undefined; old_secret_seconds?: number | undefined; acts_for?: "me" | null | undefined };

export type NewKey = { id: string; name: string; scopes: (Scope)[]; projects: (string)[] | null; agents: (string)[] | null; person: { id: string; name: string } | null; created_at: string; created_by: string; expires_at: string | null; revoked_at: string | null; key: string };

export type NewMemoryInput = { content: string; tags?: (string)[] | undefined; project?: string | null | undefined };

export type NewSecretInput = { value: string; hosts: (string)[]; agents?: (string)[] | undefined; methods?: (string)[] | undefined; name: string };

export type NewTenant = { tenant: Tenant; person: { id: string; name: string }; key: string };

export type NewWebhook = { id: string; version: number; url: string; events: (EventPattern)[]; description: string; enabled: boolean; disabled_reason: string | null; old_secret_until: string | null; created_at: string; updated_at: string; secret: string };

/** What only the lost database had, counted by kind at its last known state. Create these again. `keys` were never used, or another tenant has them; `projects` had neither tasks nor files. Absent without losses. */
export type NotRebuilt = Partial<Record<LossKind, number>>;

export type OauthGrant = "authorization_code" | "client_credentials";

export type Occurrence = { key: string; due_at: string; is_manual: boolean; state: OccurrenceState; why: string | null; is_late: boolean; attempts_failed: number; task_id: string | null; task_status: TaskStatus | null; judged_at: string; fired_at: string | null; ended_at: string | null };

export type OccurrenceState = "starting" | "queued" | "fired" | "finished" | "failed" | "skipped" | "coalesced";

export type OnceTiming = { kind: "once"; at: string };

export type OpenAiTool = { type: "function"; function: { name: string; description: string; parameters: Record<string, unknown> } };

export type OutputFile = { path: string; size: number; content_type: string; sha256?: string | undefined; url: string };

export type OverlapPolicy = "skip" | "queue" | "cancel_previous" | "allow";

export type OwnerRule = "person" | "shared" | "either";

export type PendingApproval = { kind: "approval"; id: string; call_id: string; tool: string; arguments?: unknown; arguments_hash: string; approved_hash?: string | undefined; reason: string; effect?: EffectClass | undefined; expires_at: string | null; decides?: { person_id: string; name: string; delegates: boolean } | null | undefined; account?: CallAccount | undefined; files?: (ApprovedFile)[] | undefined; task_id?: string | undefined };

export type PendingConnection = { kind: "connection"; id: string; call_id: string; tool: string; app: string; reason: ConnectReason; person_id: string | null; why?: string | undefined; connect_url: string | null; expires_at: string; task_id?: string | undefined };

export type PendingKind = "question" | "approval" | "unknown" | "connection";

export type PendingQuestion = { kind: "question"; id: string; query: string; choices: (string)[] | null; person: string | null; person_id?: string | undefined; expires_at: string | null; task_id?: string | undefined };

export type PendingUnknown = { kind: "unknown"; call_id: string; tool: string; arguments?: unknown; task_id?: string | undefined };

export type Permission = "read" | "write" | "exec" | "network";

export type Person = { id: string; name: string; aliases: (string)[]; addresses: (SlackAddress | EmailAddress)[]; preferred: ContactChannel | null; time_zone: string; working_hours: { days: (number)[]; from: string; to: string } | null; may_answer: boolean; may_approve: boolean; version: number; created_at: string; updated_at: string };

export type PersonInput = { name: string; aliases?: (string)[] | undefined; addresses?: (SlackAddress | EmailAddress)[] | undefined; preferred?: ContactChannel | null | undefined; time_zone?: string | undefined; working_hours?: { days: (number)[]; from: string; to: string } | null | undefined; may_answer?: boolean | undefined; may_approve?: boolean | undefined };

export type PersonOwner = { kind: "person"; id: string; name: string };

export type PlacedPiece = { piece_id: string; kind: KnowledgePieceKind; heading: (string)[]; page: number | null; start: number; end: number; text: string; table?: KnowledgeTable | undefined; formula?: KnowledgeFormula | undefined; image?: KnowledgeImage | undefined };

export type PolicyDecision = "allow" | "ask" | "deny";

export type Problem = { type: string; title: string; status: number; detail: string; code: ErrorCode; errors?: ({ field: string; message: string })[] | undefined; request_id: string };

export type Project = { name: string; memories: number; tasks: number; created_at: string };

export type ProviderKeyChange = { served_by: IntegrationKeyOwner; own_key: { created_at: string; refused_at: string | null } | null; has_operator_key: boolean; expired_connections: number };

export type ProviderKeyInput = { api_key: string };

export type ProviderKeyStatus = { served_by: IntegrationKeyOwner; own_key: { created_at: string; refused_at: string | null } | null; has_operator_key: boolean };

export type QuestionAnsweredEvent = { seq: number; type: "question.answered"; data: { task_id: string; at: string; question_id: string; call_id: string; query: string; person: string | null; person_id?: string | undefined; answer: string; by: string; by_person_id?: string | null | undefined; [field: string]: unknown } };

export type QuestionAskedEvent = { seq: number; type: "question.asked"; data: { task_id: string; at: string; step?: number | undefined; call_id: string; question_id: string | null; choices: (string)[] | null; query: string; person: string | null; person_id?: string | undefined; wait: boolean; expires_at: string | null; [field: string]: unknown } };

export type QuestionExpiredEvent = { seq: number; type: "question.expired"; data: { task_id: string; at: string; question_id: string; call_id: string; query: string; person: string | null; person_id?: string | undefined; answer: string | null; [field: string]: unknown } };

export type ReadPieces = { document_id: string; title: string; version: number; label: MemoryLabel; pieces: (PlacedPiece)[] };

export type ReadingActions = { app_name: string; actions: ({ name: string; display_name: string; has_read_scopes: boolean; schema_hash: string })[] };

export type ReceivedItem = { message_id: string; event: string; received_at: string; state: ReceivedState; attempts: number; task_id: string | null; repeat_of: string | null; note: string | null; from: string | null; subject: string | null };

export type ReceivedState = "waiting" | "done" | "refused" | "dead" | "repeat";

export type RefreshedConnections = { checked: number; expired: number; revoked: number; unread: number; left: number };

export type Reindex = { state: ReindexState; reason: ReindexReason | null; progress: { done: number; total: number }; rebuilt: { tasks: number; projects: number; schedules: number; keys: number }; removed: number; missing: number; missing_schedules: number; not_rebuilt: NotRebuilt; started_at: string | null; ended_at: string | null };

export type ReindexReason = "requested" | "missing" | "behind" | "ahead";

export type ReindexState = "none" | "running" | "done";

export type RemovedFile = { path: string; kind: FileKind };

export type ReplayInput = { since?: string | undefined };

export type RequestContentType = "application/json" | "application/x-www-form-urlencoded";

export type RestoreFileInput = { version: number };

export type ResultType = "documents" | "code_snippets" | "database_results" | "terminal_output" | "emails" | "table_data" | "files" | "events";

export type Retention = { tasks_days: number | null; logs_days: number | null; results_days: number | null; stored: { tasks: number; ended_tasks: number; earliest_end: string | null; file_bytes: number }; removed: { day: string | null; today: number; total: number } };

export type RetentionInput = { tasks_days?: number | null | undefined; logs_days?: number | null | undefined; results_days?: number | null | undefined };

export type RetryAdvice = "never" | "now" | "later";

export type RevocationState = "open" | "unconfirmed";

export type RotatedTriggerSecret = { old_secret_until: string };

export type SandboxFile = { path: string; size: number; modified_at: string; url: string };

export type ScanFindingKind = "network" | "environment" | "other_files" | "programs" | "made_code" | "hidden_characters";

export type Schedule = { name: string; when: CronTiming | IntervalTiming | OnceTiming; time_zone: string; starts_at?: string | undefined; ends_at?: string | undefined; jitter_seconds: number; missed: { policy: MissedRunPolicy; window_seconds: number }; overlap: OverlapPolicy; task?: { input: string | ({ role: MessageRole; content: string })[]; agent?: string | undefined; project?: string | undefined; tools?: (string)[] | undefined; skills?: (string)[] | undefined; budget?: { max_steps?: number | undefined; max_tokens?: number | undefined; max_cost_usd?: number | undefined; max_duration_s?: number | undefined } | undefined; deliver?: ({ channel: DeliveryTarget; to: string })[] | undefined; mode?: TaskMode | undefined; hold?: boolean | undefined; metadata?: Record<string, unknown> | undefined } | undefined; reminder?: { text: string; to: ({ channel: DeliveryTarget; to: string })[] } | undefined; alert?: { deliver: ({ channel: DeliveryTarget; to: string })[]; if_not_finished_within_seconds?: number | undefined } | undefined; id: string; version: number; paused: boolean; next_at: string | null; created_at: string; updated_at: string; acts_for: { person_id: string; name: string } | null; acts_for_cleared: boolean };

export type ScheduleApp = { app: string; state: ScheduleAppState; connection_id: string | null; owner: AccountOwnerKind; unattended: boolean; why: string | null };

export type ScheduleAppState = "active" | "missing" | "expired" | "revoked" | "scopes" | "unattended";

export type ScheduleDetails = { name: string; when: CronTiming | IntervalTiming | OnceTiming; time_zone: string; starts_at?: string | undefined; ends_at?: string | undefined; jitter_seconds: number; missed: { policy: MissedRunPolicy; window_seconds: number }; overlap: OverlapPolicy; task?: { input: string | ({ role: MessageRole; content: string })[]; agent?: string | undefined; project?: string | undefined; tools?: (string)[] | undefined; skills?: (string)[] | undefined; budget?: { max_steps?: number | undefined; max_tokens?: number | undefined; max_cost_usd?: number | undefined; max_duration_s?: number | undefined } | undefined; deliver?: ({ channel: DeliveryTarget; to: string })[] | undefined; mode?: TaskMode | undefined; hold?: boolean | undefined; metadata?: Record<string, unknown> | undefined } | undefined; reminder?: { text: string; to: ({ channel: DeliveryTarget; to: string })[] } | undefined; alert?: { deliver: ({ channel: DeliveryTarget; to: string })[]; if_not_finished_within_seconds?: number | undefined } | undefined; id: string; version: number; paused: boolean; next_at: string | null; created_at: string; updated_at: string; acts_for: { person_id: string; name: string } | null; acts_for_cleared: boolean; apps: (ScheduleApp)[] | null };

export type ScheduleInput = { name: string; when: CronTiming | IntervalTiming | OnceTiming; time_zone?: string | undefined; starts_at?: string | undefined; ends_at?: string | undefined; jitter_seconds?: number | undefined; missed?: { policy: MissedRunPolicy; window_seconds: number } | undefined; overlap?: OverlapPolicy | undefined; task?: { input: string | ({ role: MessageRole; content: string })[]; agent?: string | undefined; project?: string | undefined; tools?: (string)[] | undefined; skills?: (string)[] | undefined; budget?: { max_steps?: number | undefined; max_tokens?: number | undefined; max_cost_usd?: number | undefined; max_duration_s?: number | undefined } | undefined; deliver?: ({ channel: DeliveryTarget; to: string })[] | undefined; mode?: TaskMode | undefined; hold?: boolean | undefined; metadata?: Record<string, unknown> | undefined } | undefined; reminder?: { text: string; to: ({ channel: DeliveryTarget; to: string })[] } | undefined; alert?: { deliver: ({ channel: DeliveryTarget; to: string })[]; if_not_finished_within_seconds?: number | undefined } | undefined };

export type SchedulePreviewInput = { when: CronTiming | IntervalTiming | OnceTiming; time_zone?: string | undefined; starts_at?: string | undefined; ends_at?: string | undefined; count?: number | undefined };

export type Scope = "tasks:read" | "tasks:write" | "tools:call" | "people:act" | "knowledge:write" | "admin";

export type Secret = { id: string; name: string; hosts: (string)[]; agents: (string)[] | null; methods: (SecretMethod)[] | null; created_at: string; updated_at: string };

export type SecretInput = { value: string; hosts: (string)[]; agents?: (string)[] | undefined; methods?: (string)[] | undefined };

export type SecretMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";

export type SecurityLevel = "safe" | "cautious" | "dangerous" | "critical";

export type Session = { tenant: { id: string; name: string }; key: { id: string; name: string }; person: { id: string; name: string } | null; scopes: (Scope)[]; expires_at: string };

export type SharedOwner = { kind: "shared" };

export type ShortInbox = { data: (ShortInboxEntry)[]; next_cursor: string | null; total: number };

export type ShortInboxEntry = { task: { id: string; parent_id: string | null; title: string; status: TaskStatus; agent: string; project: string | null; created_at: string; ended_at: string | null }; pending: { kind: PendingKind; id: string; person: string | null; person_id: string | null; app?: string | undefined }; since: string };

export type SidecarStatus = "ok" | "asleep" | "away" | "off";

export type SignIn = { key?: string | undefined; link?: string | undefined };

export type SignInLink = { url: string; expires_at: string };

export type SignInLinkInput = { expires_in_s?: number | undefined };

export type SignedIn = { id: string; key: { id: string; name: string }; user_agent: string; is_current: boolean; created_at: string; last_seen_at: string; expires_at: string };

export type Skill = { name: string; slug: string; description: string; hash: string; allowed_tools: (string)[] | null; scripts: ({ name: string; path: string; description: string; timeout_s: number | null; network: boolean; read_only: boolean })[]; category: string | null; stated_version: string | null; author: string | null; tags: (string)[]; license: string | null; compatibility: string | null; metadata: Record<string, string>; source: SkillSource; version: number | null; versions: number; created_at: string | null; updated_at: string | null };

export type SkillDetail = { name: string; slug: string; description: string; hash: string; allowed_tools: (string)[] | null; scripts: ({ name: string; path: string; description: string; timeout_s: number | null; network: boolean; read_only: boolean })[]; category: string | null; stated_version: string | null; author: string | null; tags: (string)[]; license: string | null; compatibility: string | null; metadata: Record<string, string>; source: SkillSource; version: number | null; versions: number; created_at: string | null; updated_at: string | null; instructions: string; files: ({ path: string; size: number; mode: string; hash: string })[]; warnings: ({ file: string; line: number | null; field: string | null; message: string })[]; scan: { findings: ({ file: string; line: number | null; field: string | null; message: string; kind: ScanFindingKind })[]; is_cut: boolean } };

export type SkillDifference = { widens: boolean; allowed_tools: { before: (string)[] | null; after: (string)[] | null; added: (string)[]; removed: (string)[] }; scripts: { added: (string)[]; removed: (string)[]; changed: (string)[]; network_added: (string)[]; network_removed: (string)[] }; said: (string)[] };

export type SkillLoadedEvent = { seq: number; type: "skill.loaded"; data: { task_id: string; at: string; step: number; call_id: string; skill: { name: string; hash: string; how: SkillOrigin; similarity: number | null; allowed_tools: (string)[] | null; note: string | null }; [field: string]: unknown } };

export type SkillMatch = "auto" | "explicit";

export type SkillOrigin = "request" | "mention" | "agent" | "similarity" | "tool" | "load";

export type SkillSource = "own" | "otto";

export type SkillUploadOutcome = "created" | "updated" | "unchanged" | "restored";

export type SkillVerdict = { valid: boolean; skill: { name: string; slug: string; description: string; hash: string; allowed_tools: (string)[] | null; scripts: ({ name: string; path: string; description: string; timeout_s: number | null; network: boolean; read_only: boolean })[]; category: string | null; stated_version: string | null; author: string | null; tags: (string)[]; license: string | null; compatibility: string | null; metadata: Record<string, string> } | null; problems: ({ file: string; line: number | null; field: string | null; message: string })[]; warnings: ({ file: string; line: number | null; field: string | null; message: string })[]; scan: { findings: ({ file: string; line: number | null; field: string | null; message: string; kind: ScanFindingKind })[]; is_cut: boolean }; difference: SkillDifference | null; question: string | null };

export type SkillVersion = { name: string; slug: string; description: string; hash: string; allowed_tools: (string)[] | null; scripts: ({ name: string; path: string; description: string; timeout_s: number | null; network: boolean; read_only: boolean })[]; category: string | null; stated_version: string | null; author: string | null; tags: (string)[]; license: string | null; compatibility: string | null; metadata: Record<string, string>; version: number | null; is_current: boolean; created_at: string | null; created_by: string | null };

export type SkillVersionDetail = { name: string; slug: string; description: string; hash: string; allowed_tools: (string)[] | null; scripts: ({ name: string; path: string; description: string; timeout_s: number | null; network: boolean; read_only: boolean })[]; category: string | null; stated_version: string | null; author: string | null; tags: (string)[]; license: string | null; compatibility: string | null; metadata: Record<string, string>; version: number | null; is_current: boolean; created_at: string | null; created_by: string | null; instructions: string; files: ({ path: string; size: number; mode: string; hash: string })[]; warnings: ({ file: string; line: number | null; field: string | null; message: string })[]; scan: { findings: ({ file: string; line: number | null; field: string | null; message: string; kind: ScanFindingKind })[]; is_cut: boolean } };

export type SkillVersionInput = { version: number | string };

export type SlackAddress = { kind: "slack"; team: string; user: string };

export type SlackInstall = { id: string; team: string; team_name: string; app: string | null; bot_user: string; scopes: (string)[]; status: InstallStatus; installed_by: string; created_at: string; updated_at: string };

export type SlackInstallInput = { bot_token: string };

export type SlackManifest = { manifest: Record<string, unknown>; yaml: string };

export type StepCompletedEvent = { seq: number; type: "step.completed"; data: { task_id: string; at: string; step: number; [field: string]: unknown } };

export type StepStartedEvent = { seq: number; type: "step.started"; data: { task_id: string; at: string; step: number; attempt: number; final?: boolean | undefined; model?: string | undefined; [field: string]: unknown } };

export type StopInput = { reason?: string | undefined };

export type SubtaskCreatedEvent = { seq: number; type: "subtask.created"; data: { task_id: string; at: string; step: number; call_id: string; subtask_id: string; [field: string]: unknown } };

export type SubtaskEndedEvent = { seq: number; type: "subtask.ended"; data: { task_id: string; at: string; call_id: string; subtask_id: string; status: TaskStatus; ok: boolean; [field: string]: unknown } };

export type Task = { id: string; status: TaskStatus; reason: TaskReason | null; agent: { id: string; version: number }; project: string | null; parent_id: string | null; acts_for: { person_id: string; name: string } | null; input: string | ({ role: string; content: string })[]; output: TaskOutput | null; error: { code: string; message: string } | null; pending: (PendingQuestion | PendingApproval | PendingConnection | PendingUnknown)[]; usage: { steps: number; tool_calls: number; input_tokens: number; output_tokens: number; cost_usd: number; estimated: boolean }; budget: { max_steps: number; max_tokens: number | null; max_cost_usd: number | null; max_duration_s: number | null; used: { steps: number; tokens: number; cost_usd: number; duration_s: number }; used_by_subtasks: { tokens: number; cost_usd: number }; held_for_subtasks: { tokens: number; cost_usd: number }; counting_since: string | null } | null; skills: ({ name: string; hash: string; how: SkillOrigin; similarity: number | null; allowed_tools: (string)[] | null; note: string | null })[]; warnings: (string)[]; metadata: Record<string, unknown>; created_at: string; started_at: string | null; ended_at: string | null; cut?: (CutField)[] | undefined };

export type TaskCancelledEvent = { seq: number; type: "task.cancelled"; data: { task_id: string; at: string; status: TaskStatus; reason: TaskReason | null; output: TaskOutput | null; error: { code: string; message: string; [field: string]: unknown } | null; closed?: ({ kind: ClosedWaitKind; id: string; [field: string]: unknown })[] | undefined; [field: string]: unknown } };

export type TaskCompletedEvent = { seq: number; type: "task.completed"; data: { task_id: string; at: string; status: TaskStatus; reason: TaskReason | null; output: TaskOutput | null; error: { code: string; message: string; [field: string]: unknown } | null; closed?: ({ kind: ClosedWaitKind; id: string; [field: string]: unknown })[] | undefined; [field: string]: unknown } };

export type TaskCreatedEvent = { seq: number; type: "task.created"; data: { task_id: string; at: string; agent: { id: string; version: number; [field: string]: unknown }; input: string | ({ role: string; content: string })[]; label?: CallLabel | undefined; project: string | null; parent_id?: string | undefined; skills?: ({ name: string; hash: string; how: SkillOrigin; similarity: number | null; allowed_tools: (string)[] | null; note: string | null })[] | undefined; [field: string]: unknown } };

export type TaskEvent = TaskCreatedEvent | TaskStartedEvent | StepStartedEvent | StepCompletedEvent | MessageDeltaEvent | MessageCompletedEvent | CallStartedEvent | CallCompletedEvent | CallUnknownEvent | ToolDataEvent | QuestionAskedEvent | QuestionAnsweredEvent | QuestionExpiredEvent | ApprovalRequestedEvent | ApprovalDecidedEvent | ApprovalExpiredEvent | ConnectionRequestedEvent | ConnectionReadyEvent | SubtaskCreatedEvent | SubtaskEndedEvent | SkillLoadedEvent | FileAttachedEvent | BudgetWarningEvent | TaskWaitingEvent | TaskResumedEvent | TaskCompletedEvent | TaskFailedEvent | TaskCancelledEvent;

export type TaskFailedEvent = { seq: number; type: "task.failed"; data: { task_id: string; at: string; status: TaskStatus; reason: TaskReason | null; output: TaskOutput | null; error: { code: string; message: string; [field: string]: unknown } | null; closed?: ({ kind: ClosedWaitKind; id: string; [field: string]: unknown })[] | undefined; [field: string]: unknown } };

export type TaskInput = { input: string | ({ role: MessageRole; content: string })[]; agent?: string | undefined; project?: string | undefined; tools?: (string)[] | undefined; skills?: (string)[] | undefined; budget?: { max_steps?: number | undefined; max_tokens?: number | undefined; max_cost_usd?: number | undefined; max_duration_s?: number | undefined } | undefined; deliver?: ({ channel: DeliveryTarget; to: string })[] | undefined; mode?: TaskMode | undefined; hold?: boolean | undefined; metadata?: Record<string, unknown> | undefined; acts_for?: string | null | undefined };

export type TaskMode = "live" | "staged";

export type TaskOutput = { text: string; files: (OutputFile)[]; citations?: (Citation)[] | undefined };

export type TaskReason = "iteration_limit" | "output_limit" | "budget_exceeded" | "model_unavailable" | "cancelled" | "internal";

export type TaskResumedEvent = { seq: number; type: "task.resumed"; data: { task_id: string; at: string; status: TaskStatus; [field: string]: unknown } };

export type TaskStartedEvent = { seq: number; type: "task.started"; data: { task_id: string; at: string; [field: string]: unknown } };

export type TaskStatus = "queued" | "running" | "waiting_input" | "waiting_approval" | "waiting_subagents" | "sleeping" | "completed" | "failed" | "cancelled";

export type TaskTree = { root: string; nodes: ({ id: string; parent_id: string | null; title: string; status: TaskStatus; agent: string; project: string | null; created_at: string; ended_at: string | null; usage: { steps: number; tool_calls: number; tokens: number; cost_usd: number } })[]; truncated: boolean };

export type TaskWaitingEvent = { seq: number; type: "task.waiting"; data: { task_id: string; at: string; status: TaskStatus; pending: (PendingQuestion | PendingApproval | PendingConnection | PendingUnknown)[]; subtask_id?: string | undefined; error?: { code: string; message: string; [field: string]: unknown } | undefined; until?: string | undefined; [field: string]: unknown } };

export type Tenant = { id: string; name: string; created_at: string };

export type TenantInput = { name: string; person?: { name: string } | undefined };

export type Tool = { name: string; model_name: string; also_named: (string)[]; summary: string; toolbox: string; category: string; source: string; permissions: (string)[]; security: string; effect: string; steers: boolean; only_by_name: boolean; aliases: Record<string, string>; input_schema: Record<string, unknown>; output_schema: Record<string, unknown>; settings_schema: Record<string, unknown> | null; examples: ({ note: string; arguments: unknown })[] };

export type ToolAccess = { allowed: boolean; reason: string | null };

export type ToolCallInput = { arguments?: Record<string, unknown> | undefined; agent?: string | undefined; project?: string | undefined; task_id?: string | undefined };

export type ToolCategory = "research" | "file_ops" | "shell" | "database" | "ssh" | "api" | "git" | "communication" | "developer" | "productivity" | "widget" | "control" | "maths" | "memory" | "documents";

export type ToolDataEvent = { seq: number; type: "tool-data"; data: { task_id: string; at: string; step: number; call_id: string; tool: string; label?: CallLabel | undefined; account?: CallAccount | undefined; detected_type: ResultType; count: number; documents?: ({ id?: string | undefined; title?: string | undefined; url?: string | undefined; author?: string | undefined; date?: string | undefined; text?: string | undefined; [field: string]: unknown })[] | undefined; code_snippets?: ({ path?: string | undefined; language?: string | undefined; url?: string | undefined; code: string; [field: string]: unknown })[] | undefined; database_results?: { columns: (string)[]; rows: ((string | number | boolean | null)[])[]; [field: string]: unknown } | undefined; terminal_output?: ({ stdout: string; stderr: string; exit_code: number | null; [field: string]: unknown })[] | undefined; emails?: ({ id?: string | undefined; thread_id?: string | undefined; from?: string | undefined; to?: string | undefined; subject?: string | undefined; date?: string | undefined; text?: string | undefined; [field: string]: unknown })[] | undefined; table_data?: { columns: (string)[]; rows: ((string | number | boolean | null)[])[]; [field: string]: unknown } | undefined; files?: ({ id?: string | undefined; name: string; url?: string | undefined; content_type?: string | undefined; size?: number | undefined; modified?: string | undefined; path?: string | undefined; [field: string]: unknown })[] | undefined; events?: ({ id?: string | undefined; title?: string | undefined; start?: string | undefined; end?: string | undefined; location?: string | undefined; people?: string | undefined; url?: string | undefined; [field: string]: unknown })[] | undefined; ledger?: string | undefined; [field: string]: unknown } };

export type ToolFailure = { ok: false; error: { code: ErrorCode; message: string; field?: string | undefined; retry: RetryAdvice; details?: Record<string, unknown> | undefined }; result?: unknown };

export type ToolImport = { source: string; tools: (string)[]; skipped: ({ operation: string; reason: string })[] };

export type ToolImportInput = { name?: string | undefined; openapi?: Record<string, unknown> | string | undefined; url?: string | undefined; base_url?: string | undefined; auth?: Record<string, string> | undefined; connect?: ConnectOAuth | ConnectApiKey | ConnectBearer | ConnectBasic | undefined; include?: (string)[] | undefined; read_security?: SecurityLevel | undefined; security?: SecurityLevel | undefined; replace?: boolean | undefined };

export type ToolResult = ToolSuccess | ToolFailure;

export type ToolSource = { name: string; version: number; hash: string | null; tools: number; updated_at: string };

export type ToolSuccess = { ok: true; result: unknown };

export type ToolVersion = { name: string; version: number; definition: { name: string; summary: string; toolbox?: string | undefined; category?: ToolCategory | undefined; permissions?: (Permission)[] | undefined; security?: SecurityLevel | undefined; effect?: CustomToolEffect | undefined; keyed_for_s?: number | undefined; timeout_ms?: number | undefined; input: Record<string, unknown>; output?: Record<string, unknown> | undefined; request: { method: HttpMethod; url: string; headers?: Record<string, string> | undefined; places?: Record<string, ArgumentPlace | { in: ArgumentPlace; name: string }> | undefined; content_type?: RequestContentType | undefined; result_at?: string | undefined } } | null; created_at: string };

export type Trace = { task_id: string; status: TaskStatus; started_at: string | null; ended_at: string | null; duration_ms: number | null; usage: { input_tokens: number; output_tokens: number; cost_usd: number; estimated: boolean }; steps: ({ step: number; attempts: number; started_at: string | null; model_started_at: string | null; model_completed_at: string | null; completed_at: string | null; duration_ms: number | null; usage: { input_tokens: number; output_tokens: number; cost_usd: number; estimated: boolean }; models: (string)[]; calls: ({ call_id: string; tool: string; effect: EffectClass; state: CallState; attempts: number; intended_at: string; settled_at: string | null; duration_ms: number | null; label: CallLabel | null; account: CallAccount | null; cost_usd: number })[] })[] };

export type Trigger = { id: string; version: number; app: string; trigger: string; config: Record<string, unknown>; connection: string; agent?: string | undefined; project?: string | undefined; prompt?: string | undefined; deliver?: ({ channel: DeliveryTarget; to: string })[] | undefined; budget?: { max_steps?: number | undefined; max_tokens?: number | undefined; max_cost_usd?: number | undefined; max_duration_s?: number | undefined } | undefined; owner: PersonOwner | SharedOwner; state: TriggerState; why: string | null; acts_for: { person_id: string; name: string } | null; created_at: string; updated_at: string };

export type TriggerInput = { app: string; trigger: string; config?: Record<string, unknown> | undefined; connection: string; agent?: string | undefined; project?: string | undefined; prompt?: string | undefined; deliver?: ({ channel: DeliveryTarget; to: string })[] | undefined; budget?: { max_steps?: number | undefined; max_tokens?: number | undefined; max_cost_usd?: number | undefined; max_duration_s?: number | undefined } | undefined; acts_for?: "me" | null | undefined };

export type TriggerState = "pending" | "active" | "paused" | "stopped";

export type UnknownOutcomePolicy = "tell" | "ask";

export type UploadedSkill = { skill: Skill; outcome: SkillUploadOutcome; warnings: ({ file: string; line: number | null; field: string | null; message: string })[]; scan: { findings: ({ file: string; line: number | null; field: string | null; message: string; kind: ScanFindingKind })[]; is_cut: boolean }; difference: SkillDifference | null };

export type Usage = { from: string; to: string; data: ({ day?: string | undefined; agent?: string | undefined; key?: string | null | undefined; project?: string | null | undefined; tasks: number; steps: number; tool_calls: number; tokens: number; cost_usd: number })[]; total: { tasks: number; steps: number; tool_calls: number; tokens: number; cost_usd: number } };

export type VectorStore = "pgvector" | "vectorize" | "unknown";

export type ViewMode = "whole" | "short";

export type Webhook = { id: string; version: number; url: string; events: (EventPattern)[]; description: string; enabled: boolean; disabled_reason: string | null; old_secret_until: string | null; created_at: string; updated_at: string };

export type WebhookInput = { url: string; events: (EventPattern)[]; description?: string | undefined; enabled?: boolean | undefined };

export type WebhookReceived = { status: "received"; message_id: string; webhook_type: string };

export type WorkspaceAppStatus = "added" | "pending" | "active" | "expired" | "revoked" | "failed";

export type WrittenFile = { path: string; size: number; content_type: string; modified_at: string; url: string };

/** Every path with its methods: what each takes and answers. */
export interface paths {
  "/api/composio/callback": {
    /** Return from the page of the provider of the catalogue */
    get: { parameters: { query: { state: string; status?: string | undefined; connected_account_id?: string | undefined }; path?: never }; responses: { 200: { content: { "text/html": string | Blob } }; 303: { content?: never }; 400: { content: { "text/html": string | Blob } }; 403: { content: { "text/html": string | Blob } }; 410: { content: { "text/html": string | Blob } }; 422: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/access": {
    /** Show whether an agent may call a tool for the caller */
    get: { parameters: { query: { agent?: string | undefined; tool: string }; path?: never }; responses: { 200: { content: { "application/json": ToolAccess } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/add-to-workspace": {
    /** Add an app to the workspace */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": AddAppInput } }; responses: { 200: { content: { "application/json": AddedApp } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/backfill-params": {
    /** Read the missing parameters of actions */
    post: { parameters: { query?: never; path?: never }; requestBody?: { content: { "application/json": EmptyInput } }; responses: { 202: { content: { "application/json": CatalogueSync } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/connect": {
    /** Get a link to connect an account of an app */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": ConnectAppInput } }; responses: { 200: { content: { "application/json": ConnectAppLink } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/connected": {
    /** List the apps that are added, connected or being connected */
    get: { parameters: { query?: { include?: "triggers" | undefined }; path?: never }; responses: { 200: { content: { "application/json": ConnectedApps } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/debug/cache-status": {
    /** Show the age of the catalogue and what it lacks */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": CatalogueCacheStatus } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/debug/connections": {
    /** List all connection records of the tenant */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": ConnectionRecords } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/debug/resolve": {
    /** Show which actions a task would be given */
    get: { parameters: { query: { q: string; agent?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": AppResolution } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/disconnect": {
    /** Disconnect the accounts of an app */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": DisconnectAppInput } }; responses: { 200: { content: { "application/json": DisconnectedApp } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/integrations/status": {
    /** Show whether a provider of apps serves the tenant */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": Integrations } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/marketplace": {
    /** List the apps of the catalogue, by the number of their actions, and then those of the directory */
    get: { parameters: { query?: { app?: string | undefined; category?: string | undefined; search?: string | undefined; provider?: AppProvider | undefined; limit?: number | undefined; offset?: number | undefined; include?: "triggers" | undefined }; path?: never }; responses: { 200: { content: { "application/json": Marketplace } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/refresh-connections": {
    /** Check connected accounts at the provider of the catalogue */
    post: { parameters: { query?: never; path?: never }; requestBody?: { content: { "application/json": EmptyInput } }; responses: { 200: { content: { "application/json": RefreshedConnections } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/remove-from-workspace/{app}": {
    /** Remove an app from the workspace */
    delete: { parameters: { query?: never; path: { app: string } }; responses: { 200: { content: { "application/json": AppChange } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/stats": {
    /** Show the figures of the catalogue */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": CatalogueStats } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/sync": {
    /** Sync the catalogue of apps */
    post: { parameters: { query?: { sync_type?: CatalogueSyncType | undefined }; path?: never }; requestBody?: { content: { "application/json": EmptyInput } }; responses: { 202: { content: { "application/json": CatalogueSync } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/sync-history": {
    /** List the syncs of the catalogue */
    get: { parameters: { query?: { limit?: number | undefined }; path?: never }; responses: { 200: { content: { "application/json": CatalogueSyncs } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/workspace": {
    /** List all apps that are added or have a connection, in any state */
    get: { parameters: { query?: { include?: "triggers" | undefined }; path?: never }; responses: { 200: { content: { "application/json": ConnectedApps } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/{app}/actions": {
    /** List the actions of an app */
    get: { parameters: { query?: { search?: string | undefined; limit?: number | undefined; offset?: number | undefined }; path: { app: string } }; responses: { 200: { content: { "application/json": (AppAction)[] } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Enable exactly these actions of an app */
    post: { parameters: { query?: never; path: { app: string } }; requestBody: { content: { "application/json": EnableActionsInput } }; responses: { 200: { content: { "application/json": EnabledActions } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/{app}/changes": {
    /** List enabled actions of an app that a sync changed */
    get: { parameters: { query?: never; path: { app: string } }; responses: { 200: { content: { "application/json": AppChanges } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/{app}/changes/approve": {
    /** Approve the changed actions of an app */
    post: { parameters: { query?: never; path: { app: string } }; requestBody: { content: { "application/json": ApproveChangesInput } }; responses: { 200: { content: { "application/json": ApprovedChanges } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/{app}/logo": {
    /** Show the logo of an app */
    get: { parameters: { query?: { v?: string | undefined }; path: { app: string } }; responses: { 200: { content: { "image/png": string | Blob; "image/jpeg": string | Blob; "image/gif": string | Blob; "image/webp": string | Blob; "image/svg+xml": string | Blob } }; 304: { content?: never }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/{app}/overrides": {
    /** Set the effect and the security level of actions */
    put: { parameters: { query?: never; path: { app: string } }; requestBody: { content: { "application/json": AppOverridesInput } }; responses: { 200: { content: { "application/json": AppOverrides } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** List what administrators set of the actions of an app */
    get: { parameters: { query?: never; path: { app: string } }; responses: { 200: { content: { "application/json": AppOverrideList } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/{app}/reading-actions": {
    /** List actions whose names say that they read */
    get: { parameters: { query?: never; path: { app: string } }; responses: { 200: { content: { "application/json": ReadingActions } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/api/tools/{app}/triggers": {
    /** List the events of an app that can begin a task */
    get: { parameters: { query?: never; path: { app: string } }; responses: { 200: { content: { "application/json": (AppTrigger)[] } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/connect/callback": {
    /** Return from an app's sign-in page */
    get: { parameters: { query: { state: string; code?: string | undefined; iss?: string | undefined }; path?: never }; responses: { 200: { content: { "text/html": string | Blob } }; 303: { content?: never }; 400: { content: { "text/html": string | Blob } }; 403: { content: { "text/html": string | Blob } }; 410: { content: { "text/html": string | Blob } }; 422: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/connect/{token}": {
    /** Open a link to connect an account */
    get: { parameters: { query?: never; path: { token: string } }; responses: { 200: { content: { "text/html": string | Blob } }; 303: { content?: never }; 400: { content: { "text/html": string | Blob } }; 403: { content: { "text/html": string | Blob } }; 410: { content: { "text/html": string | Blob } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "text/html": string | Blob } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/connect/{token}/go": {
    /** Begin to connect an account */
    post: { parameters: { query?: never; path: { token: string } }; responses: { 200: { content: { "text/html": string | Blob } }; 303: { content?: never }; 400: { content: { "text/html": string | Blob } }; 403: { content: { "text/html": string | Blob } }; 410: { content: { "text/html": string | Blob } }; 413: { content: { "text/html": string | Blob } }; 415: { content: { "text/html": string | Blob } }; 422: { content: { "text/html": string | Blob } }; 429: { content: { "text/html": string | Blob } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/docs": {
    /** Show this document as a page */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "text/html": string | Blob } }; 422: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } } } };
  };
  "/health": {
    /** Show whether Otto works */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": Health } }; 422: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/json": Health } } } };
  };
  "/oauth/mcp/begin": {
    /** Go to an authorization server */
    get: { parameters: { query: { state: string; go?: string | undefined }; path?: never }; responses: { 200: { content: { "text/html": string | Blob } }; 303: { content?: never }; 400: { content: { "text/html": string | Blob } }; 409: { content: { "text/html": string | Blob } }; 422: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } } } };
  };
  "/oauth/mcp/callback": {
    /** Return from an authorization server */
    get: { parameters: { query: { state: string; code?: string | undefined; iss?: string | undefined; error?: string | undefined; error_description?: string | undefined; error_uri?: string | undefined; session_state?: string | undefined; scope?: string | undefined }; path?: never }; responses: { 200: { content: { "text/html": string | Blob } }; 400: { content: { "text/html": string | Blob } }; 422: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } } } };
  };
  "/oauth/mcp/client.json": {
    /** Describe Otto as an OAuth client */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": Record<string, unknown> } }; 422: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } } } };
  };
  "/openapi.json": {
    /** Show this document */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": { openapi: string; [field: string]: unknown } } }; 422: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } } } };
  };
  "/slack/commands": {
    /** Receive a slash command */
    post: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": Record<string, unknown> } }; 401: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/slack/events": {
    /** Receive a Slack event */
    post: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": Record<string, unknown> } }; 401: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/slack/interactive": {
    /** Receive a click or a submitted modal */
    post: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": Record<string, unknown> } }; 401: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/slack/oauth": {
    /** Return from Slack */
    get: { parameters: { query: { state: string; code?: string | undefined; error?: string | undefined }; path?: never }; responses: { 200: { content: { "text/html": string | Blob } }; 400: { content: { "text/html": string | Blob } }; 422: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } } } };
  };
  "/slack/oauth/begin": {
    /** Go to Slack to authorize an installation */
    get: { parameters: { query: { state: string; go?: string | undefined }; path?: never }; responses: { 200: { content: { "text/html": string | Blob } }; 303: { content?: never }; 400: { content: { "text/html": string | Blob } }; 409: { content: { "text/html": string | Blob } }; 422: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/agents": {
    /** Create an agent */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": AgentInput } }; responses: { 201: { content: { "application/json": Agent } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** List agents, newest first */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (Agent)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/agents/{id}": {
    /** Show an agent, as JSON or, with `Accept: application/yaml`, as a file */
    get: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Agent; "application/yaml": string | Blob } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Create the next version of an agent, or an agent under a new name */
    put: { parameters: { query?: never; path: { id: string } }; requestBody: { content: { "application/json": AgentInput } }; responses: { 200: { content: { "application/json": Agent } }; 201: { content: { "application/json": Agent } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Delete an agent */
    delete: { parameters: { query?: never; path: { id: string } }; responses: { 204: { content?: never }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/agents/{id}/apps": {
    /** Show which apps and actions an agent may use */
    get: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": AgentApps } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Set which apps and actions an agent may use */
    put: { parameters: { query?: never; path: { id: string } }; requestBody: { content: { "application/json": AgentAppsInput } }; responses: { 200: { content: { "application/json": AgentApps } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/agents/{id}/versions": {
    /** List the versions of an agent, newest first */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path: { id: string } }; responses: { 200: { content: { "application/json": { data: (AgentVersion)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/apps": {
    /** List the apps to which people connect accounts */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": { data: (ConnectableApp)[] } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/audit": {
    /** List administrative acts, newest first */
    get: { parameters: { query?: { action?: string | undefined; actor?: string | undefined; target?: string | undefined; from?: string | undefined; to?: string | undefined; limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (AuditEntry)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/budgets": {
    /** List the accounts with a limit or any use */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": { data: (Budget)[] } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/budgets/{account}": {
    /** Set the limit of an account */
    put: { parameters: { query?: never; path: { account: string } }; requestBody: { content: { "application/json": BudgetLimitInput } }; responses: { 200: { content: { "application/json": Budget } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Remove the limit of an account */
    delete: { parameters: { query?: never; path: { account: string } }; responses: { 200: { content: { "application/json": Budget } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/codebases": {
    /** Add a codebase */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": NewCodebaseInput } }; responses: { 202: { content: { "application/json": Codebase } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** List codebases by name */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": { data: (Codebase)[]; next_cursor: null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/codebases/archives": {
    /** Upload an archive of code */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/zip": string | Blob } }; responses: { 201: { content: { "application/json": CodebaseArchive } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/codebases/search": {
    /** Search codebases */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": CodeSearchInput } }; responses: { 200: { content: { "application/json": CodeFound } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/codebases/{id}": {
    /** Show a codebase */
    get: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Codebase } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Change who may search a codebase */
    patch: { parameters: { query?: never; path: { id: string } }; requestBody: { content: { "application/json": CodebaseChangeInput } }; responses: { 200: { content: { "application/json": Codebase } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Delete a codebase and its index */
    delete: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Codebase } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/codebases/{id}/reindex": {
    /** Index a codebase again */
    post: { parameters: { query?: never; path: { id: string } }; requestBody?: { content: { "application/json": EmptyInput } }; responses: { 202: { content: { "application/json": Codebase } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Set how often a codebase is indexed again */
    put: { parameters: { query?: never; path: { id: string } }; requestBody: { content: { "application/json": CodebaseReindexInput } }; responses: { 200: { content: { "application/json": Codebase } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/connections": {
    /** List connections, newest first */
    get: { parameters: { query?: { app?: string | undefined; owner?: ConnectionsOwner | undefined; limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (Connection)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Get a link to connect an account */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": NewConnectionInput } }; responses: { 201: { content: { "application/json": ConnectLink } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/connections/{id}": {
    /** Show a connection */
    get: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Connection } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Change a connection */
    patch: { parameters: { query?: never; path: { id: string } }; requestBody: { content: { "application/json": ConnectionChangeInput } }; responses: { 200: { content: { "application/json": Connection } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Disconnect an account */
    delete: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Connection } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/databases": {
    /** Add a database that agents may query */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": NewDatabaseInput } }; responses: { 201: { content: { "application/json": Database } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** List databases, newest first */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (Database)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/databases/{database}": {
    /** Show a database, without its DSN */
    get: { parameters: { query?: never; path: { database: string } }; responses: { 200: { content: { "application/json": Database } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Change a database */
    patch: { parameters: { query?: never; path: { database: string } }; requestBody: { content: { "application/json": DatabaseChangeInput } }; responses: { 200: { content: { "application/json": Database } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Delete a database */
    delete: { parameters: { query?: never; path: { database: string } }; responses: { 200: { content: { "application/json": Database } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/databases/{database}/check": {
    /** Connect to a database and check its role */
    post: { parameters: { query?: never; path: { database: string } }; responses: { 200: { content: { "application/json": Database } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/deliveries": {
    /** List deliveries, newest first */
    get: { parameters: { query?: { task?: string | undefined; channel?: DeliveryChannel | undefined; to?: string | undefined; state?: DeliveryState | undefined; kind?: DeliveryKind | undefined; limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (Delivery)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/deliveries/{id}": {
    /** Show a delivery with its content and its attempts */
    get: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": DeliveryDetail } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/deliveries/{id}/replay": {
    /** Resend a delivery under the same id */
    post: { parameters: { query?: never; path: { id: string } }; responses: { 202: { content: { "application/json": DeliveryDetail } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/events": {
    /** Follow the tasks of the tenant */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "text/event-stream": string | Blob } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/inbox": {
    /** List everything that waits for a person */
    get: { parameters: { query?: { kind?: PendingKind | undefined; person?: string | undefined; order?: InboxOrder | undefined; view?: ViewMode | undefined; limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": Inbox | ShortInbox } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/incoming-webhooks": {
    /** Make a hook */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": NewIncomingWebhookInput } }; responses: { 201: { content: { "application/json": NewIncomingWebhook } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** List hooks, newest first */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (IncomingWebhook)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/incoming-webhooks/{id}": {
    /** Show a hook */
    get: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": IncomingWebhook } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Replace a hook */
    put: { parameters: { query?: never; path: { id: string } }; requestBody: { content: { "application/json": IncomingWebhookInput } }; responses: { 200: { content: { "application/json": ChangedIncomingWebhook } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Delete a hook */
    delete: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": IncomingWebhook } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/incoming-webhooks/{id}/received": {
    /** List the calls of a hook with their outcomes, newest first */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path: { id: string } }; responses: { 200: { content: { "application/json": { data: (ReceivedItem)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/incoming-webhooks/{id}/received/{message}/replay": {
    /** Retry a dead call of a hook */
    post: { parameters: { query?: never; path: { id: string; message: string } }; responses: { 202: { content: { "application/json": { message_id: string; state: "waiting" } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/integrations/composio": {
    /** Show whose Composio key serves the tenant */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": ProviderKeyStatus } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Save the tenant's own Composio key */
    put: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": ProviderKeyInput } }; responses: { 200: { content: { "application/json": ProviderKeyChange } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Remove the tenant's own Composio key */
    delete: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": ProviderKeyChange } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/integrations/composio/rotate": {
    /** Replace the secret that signs events of triggers (operator key) */
    post: { parameters: { query?: never; path?: never }; requestBody?: { content: { "application/json": EmptyInput } }; responses: { 200: { content: { "application/json": RotatedTriggerSecret } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/keys": {
    /** Create an API key */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": KeyInput } }; responses: { 201: { content: { "application/json": NewKey } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** List API keys, including revoked ones, newest first */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (Key)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/keys/{id}": {
    /** Set whom a key belongs to */
    patch: { parameters: { query?: never; path: { id: string } }; requestBody: { content: { "application/json": KeyPersonInput } }; responses: { 200: { content: { "application/json": Key } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Revoke an API key */
    delete: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Key } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/kill-switch": {
    /** Show whether the tenant is stopped, and who stopped it */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": KillSwitch } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/kill-switch/release": {
    /** Release the tenant */
    post: { parameters: { query?: never; path?: never }; requestBody?: { content: { "application/json": EmptyInput } }; responses: { 200: { content: { "application/json": KillSwitch } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/kill-switch/stop": {
    /** Stop all tasks of the tenant */
    post: { parameters: { query?: never; path?: never }; requestBody?: { content: { "application/json": StopInput } }; responses: { 200: { content: { "application/json": KillSwitch } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/knowledge/documents": {
    /** Add a document */
    post: { parameters: { query?: never; path?: never }; requestBody?: { content: { "application/json": NewDocumentInput; "multipart/form-data": string | Blob } }; responses: { 202: { content: { "application/json": Document } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** List documents, newest first */
    get: { parameters: { query?: { project?: string | undefined; scope?: MemoryWhere | undefined; status?: IngestState | undefined; limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (Document)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/knowledge/documents/{id}": {
    /** Show a document */
    get: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Document } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Replace a document */
    put: { parameters: { query?: never; path: { id: string } }; requestBody?: { content: { "application/json": DocumentInput; "multipart/form-data": string | Blob } }; responses: { 202: { content: { "application/json": Document } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Delete a document */
    delete: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Document } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/knowledge/documents/{id}/reingest": {
    /** Read a document again */
    post: { parameters: { query?: never; path: { id: string } }; responses: { 202: { content: { "application/json": Document } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/knowledge/pieces/{id}": {
    /** Read a piece of a document */
    get: { parameters: { query?: { before?: number | undefined; after?: number | undefined }; path: { id: string } }; responses: { 200: { content: { "application/json": ReadPieces } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/knowledge/search": {
    /** Search documents */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": KnowledgeSearchInput } }; responses: { 200: { content: { "application/json": KnowledgeFound } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/mail": {
    /** Show the mail settings */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": MailSettings } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/mail/outbox": {
    /** List stored mail that was not sent */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": { data: (KeptMail)[] } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/mail/received": {
    /** List received mail with its outcome, newest first */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (ReceivedItem)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/mail/received/{message}/replay": {
    /** Retry a dead mail */
    post: { parameters: { query?: never; path: { message: string } }; responses: { 202: { content: { "application/json": { message_id: string; state: "waiting" } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/mcp-servers": {
    /** Replace all MCP servers */
    put: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": McpServersInput } }; responses: { 200: { content: { "application/json": { data: (McpServer)[]; next_cursor: null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Add or replace an MCP server */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": McpServerInput } }; responses: { 201: { content: { "application/json": McpServerDetail } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** List MCP servers */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": { data: (McpServer)[]; next_cursor: null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/mcp-servers/{name}": {
    /** Show an MCP server */
    get: { parameters: { query?: never; path: { name: string } }; responses: { 200: { content: { "application/json": McpServerDetail } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Remove an MCP server */
    delete: { parameters: { query?: never; path: { name: string } }; responses: { 204: { content?: never }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/mcp-servers/{name}/approve": {
    /** Approve the tools that an MCP server lists now */
    post: { parameters: { query?: never; path: { name: string } }; requestBody: { content: { "application/json": McpApprovalInput } }; responses: { 200: { content: { "application/json": McpServerDetail } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/mcp-servers/{name}/reload": {
    /** Reload an MCP server */
    post: { parameters: { query?: never; path: { name: string } }; responses: { 200: { content: { "application/json": McpServerDetail } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/memory": {
    /** List memories, newest first, or search them */
    get: { parameters: { query?: { query?: string | undefined; kind?: MemoryKind | undefined; tag?: string | undefined; project?: string | undefined; scope?: MemoryWhere | undefined; limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (Memory)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Save a memory */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": NewMemoryInput } }; responses: { 200: { content: { "application/json": Memory } }; 201: { content: { "application/json": Memory } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/memory/{id}": {
    /** Show a memory */
    get: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Memory } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Change a memory */
    put: { parameters: { query?: never; path: { id: string } }; requestBody: { content: { "application/json": MemoryInput } }; responses: { 200: { content: { "application/json": Memory } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Delete a memory */
    delete: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Memory } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/people": {
    /** Make a person */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": PersonInput } }; responses: { 201: { content: { "application/json": Person } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** List people, newest first */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (Person)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/people/{id}": {
    /** Show a person */
    get: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Person } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Replace a person */
    put: { parameters: { query?: never; path: { id: string } }; requestBody: { content: { "application/json": PersonInput } }; responses: { 200: { content: { "application/json": Person } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Delete a person */
    delete: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Person } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/projects": {
    /** List projects by name */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (Project)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/projects/{name}": {
    /** Show a project */
    get: { parameters: { query?: never; path: { name: string } }; responses: { 200: { content: { "application/json": Project } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Erase a project: its memories, its documents and its shared files */
    delete: { parameters: { query?: never; path: { name: string } }; responses: { 200: { content: { "application/json": Project } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/retention": {
    /** Show the retention settings and how much is stored */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": Retention } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Set the retention of tasks */
    put: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": RetentionInput } }; responses: { 200: { content: { "application/json": Retention } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/schedules": {
    /** Make a schedule */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": ScheduleInput } }; responses: { 201: { content: { "application/json": Schedule } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** List schedules, newest first */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (Schedule)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/schedules/preview": {
    /** Preview the due times of a schedule without creating it */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": SchedulePreviewInput } }; responses: { 200: { content: { "application/json": DueMoments } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/schedules/{id}": {
    /** Show a schedule */
    get: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": ScheduleDetails } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Change a schedule */
    put: { parameters: { query?: never; path: { id: string } }; requestBody: { content: { "application/json": ScheduleInput } }; responses: { 200: { content: { "application/json": Schedule } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Delete a schedule, with its ledger */
    delete: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Schedule } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/schedules/{id}/confirm": {
    /** Confirm a schedule, so that its tasks act for you */
    post: { parameters: { query?: never; path: { id: string } }; requestBody?: { content: { "application/json": EmptyInput } }; responses: { 200: { content: { "application/json": Schedule } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/schedules/{id}/next": {
    /** Show the next due times of a schedule */
    get: { parameters: { query?: { count?: number | undefined }; path: { id: string } }; responses: { 200: { content: { "application/json": DueMoments } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/schedules/{id}/occurrences": {
    /** List the occurrences of a schedule, newest first */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path: { id: string } }; responses: { 200: { content: { "application/json": { data: (Occurrence)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/schedules/{id}/pause": {
    /** Pause a schedule */
    post: { parameters: { query?: never; path: { id: string } }; requestBody?: { content: { "application/json": EmptyInput } }; responses: { 200: { content: { "application/json": Schedule } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/schedules/{id}/resume": {
    /** Resume a schedule */
    post: { parameters: { query?: never; path: { id: string } }; requestBody?: { content: { "application/json": EmptyInput } }; responses: { 200: { content: { "application/json": Schedule } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/schedules/{id}/run": {
    /** Run a schedule now, in addition to its due times */
    post: { parameters: { query?: never; path: { id: string } }; requestBody?: { content: { "application/json": EmptyInput } }; responses: { 202: { content: { "application/json": Occurrence } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/secrets": {
    /** Make a secret */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": NewSecretInput } }; responses: { 201: { content: { "application/json": Secret } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** List secrets, newest first */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (Secret)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/secrets/{secret}": {
    /** Show a secret, without its value */
    get: { parameters: { query?: never; path: { secret: string } }; responses: { 200: { content: { "application/json": Secret } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Replace a secret */
    put: { parameters: { query?: never; path: { secret: string } }; requestBody: { content: { "application/json": SecretInput } }; responses: { 200: { content: { "application/json": Secret } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Delete a secret */
    delete: { parameters: { query?: never; path: { secret: string } }; responses: { 200: { content: { "application/json": Secret } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/session": {
    /** Sign a browser in */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": SignIn } }; responses: { 201: { content: { "application/json": Session } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Show who is signed in */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": Session } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Sign out */
    delete: { parameters: { query?: never; path?: never }; responses: { 204: { content?: never }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/session/links": {
    /** Create a link that signs a browser in, once */
    post: { parameters: { query?: never; path?: never }; requestBody?: { content: { "application/json": SignInLinkInput } }; responses: { 201: { content: { "application/json": SignInLink } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/sessions": {
    /** List sessions, newest first */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (SignedIn)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Sign all other browsers out */
    delete: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": { ended: number } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/sessions/{id}": {
    /** Sign a browser out */
    delete: { parameters: { query?: never; path: { id: string } }; responses: { 204: { content?: never }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/skills": {
    /** Upload a skill */
    post: { parameters: { query?: { same_skill?: BooleanText | undefined }; path?: never }; requestBody: { content: { "application/zip": string | Blob; "multipart/form-data": string | Blob; "text/markdown": string | Blob } }; responses: { 200: { content: { "application/json": UploadedSkill } }; 201: { content: { "application/json": UploadedSkill } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** List skills, newest first, then those shipped with Otto */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (Skill)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/skills/validate": {
    /** Validate a skill without saving it */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/zip": string | Blob; "multipart/form-data": string | Blob; "text/markdown": string | Blob } }; responses: { 200: { content: { "application/json": SkillVerdict } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/skills/{name}": {
    /** Show a skill: its instructions, files and findings */
    get: { parameters: { query?: never; path: { name: string } }; responses: { 200: { content: { "application/json": SkillDetail } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Restore a version of a skill */
    put: { parameters: { query?: never; path: { name: string } }; requestBody: { content: { "application/json": SkillVersionInput } }; responses: { 200: { content: { "application/json": UploadedSkill } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Delete a skill with all its versions */
    delete: { parameters: { query?: never; path: { name: string } }; responses: { 200: { content: { "application/json": Skill } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/skills/{name}/files/{path}": {
    /** Download a file of a skill */
    get: { parameters: { query?: { version?: string | undefined }; path: { name: string; path: string } }; responses: { 200: { content: { "*/*": string | Blob } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/skills/{name}/versions": {
    /** List the versions of a skill, newest first */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path: { name: string } }; responses: { 200: { content: { "application/json": { data: (SkillVersion)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/skills/{name}/versions/{version}": {
    /** Show a version of a skill */
    get: { parameters: { query?: never; path: { name: string; version: string } }; responses: { 200: { content: { "application/json": SkillVersionDetail } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/skills/{name}/versions/{version}/difference/{other}": {
    /** Compare the permissions of two versions of a skill */
    get: { parameters: { query?: never; path: { name: string; version: string; other: string } }; responses: { 200: { content: { "application/json": SkillDifference } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/slack/authorize": {
    /** Start an installation by OAuth */
    post: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": { url: string } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/slack/installs": {
    /** Add a bot that was installed by hand */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": SlackInstallInput } }; responses: { 201: { content: { "application/json": SlackInstall } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** List the workspaces, newest first */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (SlackInstall)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/slack/installs/{id}": {
    /** Show an installation */
    get: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": SlackInstall } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Delete an installation and its token */
    delete: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": SlackInstall } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/slack/installs/{id}/received": {
    /** List the events of a workspace with their outcomes, newest first */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path: { id: string } }; responses: { 200: { content: { "application/json": { data: (ReceivedItem)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/slack/installs/{id}/received/{message}/replay": {
    /** Retry a dead event of Slack */
    post: { parameters: { query?: never; path: { id: string; message: string } }; responses: { 202: { content: { "application/json": { message_id: string; state: "waiting" } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/slack/manifest": {
    /** Show the manifest of the Slack app */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": SlackManifest } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tasks": {
    /** Make a task */
    post: { parameters: { query?: { wait?: number | undefined }; path?: never }; requestBody: { content: { "application/json": TaskInput } }; responses: { 201: { content: { "application/json": Task } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** List tasks, newest first */
    get: { parameters: { query?: { status?: string | undefined; project?: string | undefined; agent?: string | undefined; parent?: string | undefined; query?: string | undefined; from?: string | undefined; to?: string | undefined; view?: ViewMode | undefined; limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (Task)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tasks/{id}": {
    /** Show a task */
    get: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Task } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Erase a task that has ended, with its log and its files */
    delete: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Task } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tasks/{id}/approvals/{approval}": {
    /** Approve or refuse an action; the first decision counts */
    post: { parameters: { query?: never; path: { id: string; approval: string } }; requestBody: { content: { "application/json": ApprovalDecisionInput } }; responses: { 200: { content: { "application/json": Task } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tasks/{id}/cancel": {
    /** Cancel a task and all its subtasks */
    post: { parameters: { query?: never; path: { id: string } }; requestBody?: { content: { "application/json": EmptyInput } }; responses: { 202: { content: { "application/json": Task } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tasks/{id}/connections/{wait}": {
    /** Continue without an account that a call waits for */
    post: { parameters: { query?: never; path: { id: string; wait: string } }; requestBody: { content: { "application/json": ConnectionDecisionInput } }; responses: { 200: { content: { "application/json": Task } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tasks/{id}/events": {
    /** Follow a task's events */
    get: { parameters: { query?: { after?: number | undefined; limit?: number | undefined }; path: { id: string } }; responses: { 200: { content: { "application/json": EventPage; "text/event-stream": string | Blob } }; 204: { content?: never }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tasks/{id}/file-versions/{path}": {
    /** List the versions of a file, newest first */
    get: { parameters: { query?: never; path: { id: string; path: string } }; responses: { 200: { content: { "application/json": FileVersions } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Restore a version of a file */
    post: { parameters: { query?: never; path: { id: string; path: string } }; requestBody: { content: { "application/json": RestoreFileInput } }; responses: { 200: { content: { "application/json": WrittenFile } }; 201: { content: { "application/json": WrittenFile } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tasks/{id}/files": {
    /** List the files of a task's sandbox, by path */
    get: { parameters: { query?: { path?: string | undefined; limit?: number | undefined; cursor?: string | undefined }; path: { id: string } }; responses: { 200: { content: { "application/json": { data: (SandboxFile)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tasks/{id}/files/{path}": {
    /** Download a file */
    get: { parameters: { query?: { version?: string | undefined; sha256?: string | undefined }; path: { id: string; path: string } }; responses: { 200: { content: { "*/*": string | Blob } }; 304: { content?: never }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Upload a file to a task's sandbox */
    put: { parameters: { query?: never; path: { id: string; path: string } }; requestBody: { content: { "application/octet-stream": string | Blob } }; responses: { 200: { content: { "application/json": WrittenFile } }; 201: { content: { "application/json": WrittenFile } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Delete a file, or an empty directory */
    delete: { parameters: { query?: never; path: { id: string; path: string } }; responses: { 200: { content: { "application/json": RemovedFile } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tasks/{id}/ledger": {
    /** Show the ledger: every call, recorded before and after */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path: { id: string } }; responses: { 200: { content: { "application/json": { data: (LedgerRow)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tasks/{id}/ledger/{call_id}": {
    /** Decide a call of unknown outcome */
    post: { parameters: { query?: never; path: { id: string; call_id: string } }; requestBody: { content: { "application/json": CallDecisionInput } }; responses: { 200: { content: { "application/json": LedgerRow } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tasks/{id}/log": {
    /** List a task's events */
    get: { parameters: { query?: { after?: number | undefined; limit?: number | undefined }; path: { id: string } }; responses: { 200: { content: { "application/json": EventPage } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tasks/{id}/messages": {
    /** Send a message to a running task, which reads it at its next step */
    post: { parameters: { query?: never; path: { id: string } }; requestBody: { content: { "application/json": MessageInput } }; responses: { 202: { content: { "application/json": Task } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tasks/{id}/questions/{question}/answer": {
    /** Answer a question; the first answer counts */
    post: { parameters: { query?: never; path: { id: string; question: string } }; requestBody: { content: { "application/json": AnswerInput } }; responses: { 200: { content: { "application/json": Task } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tasks/{id}/start": {
    /** Start a draft task (created with `hold`) */
    post: { parameters: { query?: never; path: { id: string } }; requestBody?: { content: { "application/json": EmptyInput } }; responses: { 200: { content: { "application/json": Task } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tasks/{id}/subtasks": {
    /** List the subtasks of a task, in the order of their dispatch */
    get: { parameters: { query?: { view?: ViewMode | undefined; limit?: number | undefined; cursor?: string | undefined }; path: { id: string } }; responses: { 200: { content: { "application/json": { data: (Task)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tasks/{id}/trace": {
    /** Show the times and cost of each step and call */
    get: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Trace } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tasks/{id}/tree": {
    /** Show the whole tree of a task */
    get: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": TaskTree } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tenants": {
    /** Create a tenant, its first person and its first key (operator key) */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": TenantInput } }; responses: { 201: { content: { "application/json": NewTenant } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** List tenants, newest first (operator key) */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (Tenant)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tenants/{id}": {
    /** Show a tenant (operator key) */
    get: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Tenant } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Erase a tenant (operator key) */
    delete: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Tenant } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tenants/{id}/keys": {
    /** Create another admin key of a tenant (operator key) */
    post: { parameters: { query?: never; path: { id: string } }; requestBody?: { content: { "application/json": AdminKeyInput } }; responses: { 201: { content: { "application/json": NewKey } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tenants/{id}/reindex": {
    /** Rebuild the database rows of a tenant from its objects (operator key) */
    post: { parameters: { query?: never; path: { id: string } }; requestBody?: { content: { "application/json": EmptyInput } }; responses: { 202: { content: { "application/json": Reindex } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Show the progress of a tenant's rebuild (operator key) */
    get: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Reindex } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tenants/{id}/release": {
    /** Release a tenant, regardless of who stopped it (operator key) */
    post: { parameters: { query?: never; path: { id: string } }; requestBody?: { content: { "application/json": EmptyInput } }; responses: { 200: { content: { "application/json": KillSwitch } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tenants/{id}/stop": {
    /** Stop all tasks of a tenant (operator key) */
    post: { parameters: { query?: never; path: { id: string } }; requestBody?: { content: { "application/json": StopInput } }; responses: { 200: { content: { "application/json": KillSwitch } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tool-sources": {
    /** List the sources of the tenant's own tools */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": { data: (ToolSource)[] } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tool-sources/{source}": {
    /** Delete the tools of an import */
    delete: { parameters: { query?: never; path: { source: string } }; responses: { 200: { content: { "application/json": DeletedToolSource } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tools": {
    /** List the tools: the built-in ones, then the tenant's own */
    get: { parameters: { query?: { toolbox?: string | undefined; category?: ToolCategory | undefined; query?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (Tool)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Register an HTTP tool */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": CustomToolInput } }; responses: { 201: { content: { "application/json": Tool } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tools.json": {
    /** Export the tools in OpenAI's function form */
    get: { parameters: { query?: { toolbox?: string | undefined; category?: ToolCategory | undefined; query?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": (OpenAiTool)[] } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tools.md": {
    /** Export the tools as Markdown */
    get: { parameters: { query?: { toolbox?: string | undefined; category?: ToolCategory | undefined; query?: string | undefined }; path?: never }; responses: { 200: { content: { "text/markdown": string | Blob } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tools/import": {
    /** Import an OpenAPI document (3.0 or 3.1) as tools */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": ToolImportInput } }; responses: { 201: { content: { "application/json": ToolImport } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tools/{name}": {
    /** Show a tool: its schemas, permissions and examples */
    get: { parameters: { query?: never; path: { name: string } }; responses: { 200: { content: { "application/json": Tool } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Create the next version of a custom tool */
    put: { parameters: { query?: never; path: { name: string } }; requestBody: { content: { "application/json": CustomToolInput } }; responses: { 200: { content: { "application/json": Tool } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Delete a custom tool */
    delete: { parameters: { query?: never; path: { name: string } }; responses: { 200: { content: { "application/json": Tool } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tools/{name}/call": {
    /** Call a tool */
    post: { parameters: { query?: never; path: { name: string } }; requestBody: { content: { "application/json": ToolCallInput } }; responses: { 200: { content: { "application/json": ToolResult } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tools/{name}/reload": {
    /** Reload a tool's definition */
    post: { parameters: { query?: never; path: { name: string } }; requestBody?: { content: { "application/json": EmptyInput } }; responses: { 200: { content: { "application/json": Tool } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/tools/{name}/versions": {
    /** List the versions of a custom tool, newest first */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path: { name: string } }; responses: { 200: { content: { "application/json": { data: (ToolVersion)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/triggers": {
    /** Create a trigger */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": TriggerInput } }; responses: { 201: { content: { "application/json": Trigger } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** List triggers, newest first */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined; app?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": { data: (Trigger)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/triggers/{id}": {
    /** Show a trigger */
    get: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Trigger } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Delete a trigger */
    delete: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Trigger } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/triggers/{id}/pause": {
    /** Pause a trigger */
    post: { parameters: { query?: never; path: { id: string } }; requestBody?: { content: { "application/json": EmptyInput } }; responses: { 200: { content: { "application/json": Trigger } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/triggers/{id}/received": {
    /** List the events of a trigger with their outcomes, newest first */
    get: { parameters: { query?: { limit?: number | undefined; cursor?: string | undefined }; path: { id: string } }; responses: { 200: { content: { "application/json": { data: (ReceivedItem)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/triggers/{id}/received/{message}/replay": {
    /** Retry a dead event of a trigger */
    post: { parameters: { query?: never; path: { id: string; message: string } }; responses: { 202: { content: { "application/json": { message_id: string; state: "waiting" } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/triggers/{id}/resume": {
    /** Resume a trigger */
    post: { parameters: { query?: never; path: { id: string } }; requestBody?: { content: { "application/json": EmptyInput } }; responses: { 200: { content: { "application/json": Trigger } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/usage": {
    /** Show the usage of tasks, by day, agent, key and project */
    get: { parameters: { query?: { from?: string | undefined; to?: string | undefined; by?: string | undefined }; path?: never }; responses: { 200: { content: { "application/json": Usage } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/webhooks": {
    /** Make a webhook */
    post: { parameters: { query?: never; path?: never }; requestBody: { content: { "application/json": WebhookInput } }; responses: { 201: { content: { "application/json": NewWebhook } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** List webhooks, newest first */
    get: { parameters: { query?: never; path?: never }; responses: { 200: { content: { "application/json": { data: (Webhook)[]; next_cursor: null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/webhooks/{id}": {
    /** Show a webhook */
    get: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": Webhook } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Replace a webhook */
    put: { parameters: { query?: never; path: { id: string } }; requestBody: { content: { "application/json": WebhookInput } }; responses: { 200: { content: { "application/json": Webhook } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
    /** Delete a webhook */
    delete: { parameters: { query?: never; path: { id: string } }; responses: { 204: { content?: never }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/webhooks/{id}/deliveries": {
    /** List the deliveries to a webhook, newest first */
    get: { parameters: { query?: { state?: DeliveryState | undefined; limit?: number | undefined; cursor?: string | undefined }; path: { id: string } }; responses: { 200: { content: { "application/json": { data: (Delivery)[]; next_cursor: string | null } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/webhooks/{id}/replay": {
    /** Resend all dead deliveries of a webhook */
    post: { parameters: { query?: never; path: { id: string } }; requestBody: { content: { "application/json": ReplayInput } }; responses: { 202: { content: { "application/json": { replayed: number; left: number } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/webhooks/{id}/rotate": {
    /** Replace the secret of a webhook */
    post: { parameters: { query?: never; path: { id: string } }; responses: { 200: { content: { "application/json": NewWebhook } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/v1/webhooks/{id}/test": {
    /** Send a test event to a webhook */
    post: { parameters: { query?: never; path: { id: string } }; responses: { 202: { content: { "application/json": { delivery_id: string } } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 409: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 415: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
  "/webhook/{type}": {
    /** Call a hook */
    post: { parameters: { query?: { hook?: string | undefined }; path: { type: string } }; responses: { 200: { content: { "application/json": WebhookReceived } }; 401: { content: { "application/problem+json": Problem } }; 403: { content: { "application/problem+json": Problem } }; 404: { content: { "application/problem+json": Problem } }; 410: { content: { "application/problem+json": Problem } }; 413: { content: { "application/problem+json": Problem } }; 422: { content: { "application/problem+json": Problem } }; 429: { content: { "application/problem+json": Problem } }; 500: { content: { "application/problem+json": Problem } }; 503: { content: { "application/problem+json": Problem } } } };
  };
}
