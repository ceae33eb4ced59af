/**
 * The requests of the document's examples: the body of each as a user would send it. test/workerd/http/api-examples.test.ts sends
 * those that need nothing else.
 */
import { type IdKind, makeId } from "../../core/base/ids.ts";

/** When examples happen. */
export const AT = "2026-11-27T09:30:00.000Z";
export const SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

/** An id of this kind, the same in every example. */
export function exampleId(kind: IdKind): string {
  return makeId(
    kind,
    Date.parse(AT),
    Uint8Array.from({ length: 10 }, (_, at) => 17 * at + 40),
  );
}

/** The body of each request, by the name of its schema. */
export const REQUESTS: Readonly<Record<string, unknown>> = {
  AdminKeyInput: { name: "recovery" },
  AgentInput: {
    name: "analyst",
    instructions: "Answer with figures, and name the file of each.",
    tools: ["read_file", "write_file", "http_request"],
    permissions: ["read", "write", "network"],
    approval: { dangerous: "ask" },
    allowed_domains: ["example.com"],
  },
  AnswerInput: { text: "The one in euros." },
  ApprovalDecisionInput: { decision: "approve" },
  BudgetLimitInput: { max_tokens: null, max_cost_usd: 50, period: "month" },
  CodebaseChangeInput: { agents: ["coder"], people: null },
  CodeSearchInput: { query: "addItem", codebase: "shop" },
  CallDecisionInput: { decision: "retry" },
  ConnectionChangeInput: { alias: "work", is_default: true },
  ConnectionDecisionInput: { decision: "skip" },
  CustomToolInput: {
    name: "get_order",
    summary: "Reads an order of the shop by its number.",
    input: { type: "object", properties: { number: { type: "integer" } }, required: ["number"] },
    request: { method: "GET", url: "https://shop.example.com/orders/{number}" },
    permissions: ["network"],
    effect: "none",
  },
  DatabaseChangeInput: { columns: { deny: ["customers.email"] } },
  EmptyInput: {},
  IncomingWebhookInput: { name: "pushes", type: "github", events: ["push"], prompt: "Summarize the push to {{ref}}." },
  KeyInput: { name: "reports", scopes: ["tasks:read", "tasks:write"] },
  KnowledgeSearchInput: { query: "notice period of the lease" },
  McpApprovalInput: { hash: SHA256 },
  McpServerInput: { name: "tickets", url: "https://mcp.example.com/mcp" },
  McpServersInput: { mcpServers: { tickets: { url: "https://mcp.example.com/mcp" } } },
  DocumentInput: { url: "https://www.example.com/manual.pdf" },
  NewDocumentInput: { url: "https://www.example.com/manual.pdf", title: "The manual", project: "pumps" },
  MemoryInput: { content: "Invoices are due after 30 days.", tags: ["invoices"] },
  MessageInput: { text: "Use the figures of November." },
  NewConnectionInput: { app: "crm" },
  NewDatabaseInput: {
    name: "sales",
    kind: "postgres",
    dsn: "postgres://reader:sales-1234567890@db.example.com:5432/sales",
    agents: ["analyst"],
  },
  NewIncomingWebhookInput: {
    name: "pushes",
    type: "github",
    events: ["push"],
    prompt: "Summarize the push to {{ref}}.",
  },
  NewMemoryInput: { content: "Invoices are due after 30 days.", tags: ["invoices"] },
  NewSecretInput: { name: "SHOP_TOKEN", value: "shop-1234567890", hosts: ["shop.example.com"] },
  PersonInput: {
    name: "Ana Reis",
    addresses: [{ kind: "email", address: "ana@example.com" }],
    time_zone: "Europe/Lisbon",
    may_approve: true,
  },
  ReplayInput: { since: AT },
  RestoreFileInput: { version: 1 },
  RetentionInput: { tasks_days: 90, logs_days: 30, results_days: null },
  ScheduleInput: {
    name: "weekly-report",
    when: { kind: "cron", expression: "0 8 * * 1" },
    time_zone: "Europe/Lisbon",
    task: { input: "Write the report of last week." },
  },
  SchedulePreviewInput: { when: { kind: "cron", expression: "0 8 * * 1" }, time_zone: "Europe/Lisbon", count: 3 },
  SecretInput: { value: "shop-1234567890", hosts: ["shop.example.com"] },
  SignIn: { key: "otto_…" },
  SignInLinkInput: { expires_in_s: 300 },
  SkillVersionInput: { version: 1 },
  SlackInstallInput: { bot_token: "xoxb-1234567890" },
  StopInput: { reason: "A key was lost." },
  TaskInput: { input: "Add up the invoices of November.", project: "sales", budget: { max_steps: 20 } },
  TenantInput: { name: "Northwind" },
  ToolCallInput: { arguments: { url: "https://example.com/" } },
  ToolImportInput: { name: "shop", url: "https://shop.example.com/openapi.json" },
  TriggerInput: {
    app: "gmail",
    trigger: "GMAIL_NEW_MESSAGE",
    config: {},
    connection: exampleId("connection"),
    prompt: "Answer the mail {{data.subject}}.",
  },
  WebhookInput: { url: "https://example.com/otto", events: ["task.completed", "task.failed"] },
};
