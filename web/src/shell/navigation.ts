/** The places of the console: the areas of the menu, their pages, and what can be begun from anywhere. */

/** An address of the console. `words` are other names that people look for it by. */
interface Place {
  readonly to: string;
  readonly label: string;
  readonly words?: string;
}

export type AreaName = "Tasks" | "Inbox" | "Agents" | "Tools" | "Knowledge" | "Automations" | "Settings";

/** An entry of the menu, which leads to its first page. */
interface Area {
  readonly label: AreaName;
  readonly pages: readonly [Place, ...Place[]];
}

export const AREAS: readonly Area[] = [
  { label: "Tasks", pages: [{ to: "/tasks", label: "Tasks", words: "runs work" }] },
  {
    label: "Inbox",
    pages: [{ to: "/inbox", label: "Inbox", words: "questions approvals unknown outcomes waiting" }],
  },
  { label: "Agents", pages: [{ to: "/agents", label: "Agents", words: "assistants bots" }] },
  {
    label: "Tools",
    pages: [
      { to: "/tools", label: "Tools", words: "functions toolboxes" },
      { to: "/tool-sources", label: "Your own tools", words: "custom openapi imports" },
      { to: "/apps", label: "Apps", words: "integrations marketplace actions triggers" },
      { to: "/connections", label: "Connections", words: "accounts oauth" },
      { to: "/mcp-servers", label: "MCP servers" },
      { to: "/skills", label: "Skills" },
    ],
  },
  {
    label: "Knowledge",
    pages: [
      { to: "/memory", label: "Memory" },
      { to: "/documents", label: "Documents", words: "files pdf upload search" },
      { to: "/code", label: "Code", words: "codebases repositories git" },
      { to: "/databases", label: "Databases", words: "sql postgres" },
    ],
  },
  {
    label: "Automations",
    pages: [
      { to: "/schedules", label: "Schedules", words: "cron timers" },
      { to: "/webhooks", label: "Webhooks", words: "incoming events endpoints" },
      { to: "/slack", label: "Slack", words: "channels" },
      { to: "/mail", label: "Mail", words: "channels e-mail" },
      { to: "/deliveries", label: "Deliveries", words: "sent results" },
    ],
  },
  {
    label: "Settings",
    pages: [
      { to: "/people", label: "People", words: "users team members" },
      { to: "/keys", label: "Keys", words: "api sign-in sessions" },
      { to: "/usage", label: "Usage", words: "cost spending tokens" },
      { to: "/limits", label: "Limits", words: "budgets retention stop everything kill switch" },
      { to: "/secrets", label: "Secrets" },
      { to: "/audit", label: "Audit", words: "log history" },
      { to: "/system", label: "System", words: "status health model" },
    ],
  },
];

/** What can be begun from anywhere: the address of a form. */
const ACTIONS: readonly Place[] = [
  { to: "/tasks/new", label: "New task", words: "start run ask" },
  { to: "/agents/new", label: "New agent", words: "create" },
  { to: "/schedules/new", label: "New schedule", words: "create cron" },
  { to: "/webhooks?make=true", label: "New webhook", words: "create endpoint" },
  { to: "/webhooks?view=incoming&make=true", label: "New incoming webhook", words: "create hook github" },
  { to: "/people?add=true", label: "Add a person", words: "user create" },
  { to: "/mcp-servers?add=true", label: "Add an MCP server", words: "connect create" },
  { to: "/code?open=new", label: "Add a codebase", words: "git repository create" },
  { to: "/databases?add=true", label: "Add a database", words: "postgres sql connect create" },
  { to: "/skills?upload=true", label: "Upload a skill", words: "add create" },
  { to: "/tool-sources/import", label: "Import tools from OpenAPI", words: "add create" },
  { to: "/tool-sources/new-tool", label: "New tool", words: "create custom" },
];

/** True for a page and everything below it. */
export function isWithin(path: string, { to }: Pick<Place, "to">): boolean {
  return path === to || path.startsWith(`${to}/`);
}

/** An entry of the command palette. */
export interface Command extends Place {
  /** The area of a page; `Action` of what can be begun. */
  readonly group: string;
}

/** The pages and actions that have all words of a text, in any order: as the beginning of a word of theirs. The labels come first. */
export function findCommands(text: string): readonly Command[] {
  const wanted = toWords(text);
  const pages = AREAS.flatMap(({ label, pages: own }) => own.map((page) => ({ ...page, group: label })));
  const all: readonly Command[] = [...pages, ...ACTIONS.map((action) => ({ ...action, group: "Action" }))];
  const scored = all.map((command) => ({ command, score: scoreCommand(command, wanted) }));
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ command }) => command);
}

/** 0: a word is not found. */
function scoreCommand({ label, words = "", group }: Command, wanted: readonly string[]): number {
  const [named, other] = [toWords(label), toWords(`${words} ${group}`)];
  let score = 1;
  for (const word of wanted) {
    if (named.some((one) => one.startsWith(word))) score += 2;
    else if (other.some((one) => one.startsWith(word))) score += 1;
    else return 0;
  }
  return score;
}

function toWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
