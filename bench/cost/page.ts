/** `docs/cost.md`: what steps, tasks and tenants cost, from counts and list prices. Pure. */
import {
  ITEMS,
  type Job,
  KEYED_STEP,
  price,
  priceFixed,
  priceItem,
  QUICK_STEP,
  STEP,
  STEP_ITEMS,
  TASK,
  toUsage,
} from "./bill.ts";
import type { AgentsCounts, CountedScenarios } from "./counts.ts";
import { FIXED, type Item, PRICE_PAGES, PRICES, SECONDS_A_MONTH, SWEEPS_A_MONTH } from "./prices.ts";

const MILLION = 1_000_000;
/** Tasks a month. */
const TENANTS = [1_000, 100_000, MILLION] as const;

/** What is compared with Cloudflare Agents: its counts have the same scenarios. */
const COMPARED: readonly { readonly label: string; readonly job: Job; readonly items: readonly Item[] }[] = [
  { label: "a million `none` steps, model of 7 s", job: STEP, items: STEP_ITEMS },
  { label: "a million `none` steps, model of 50 ms", job: QUICK_STEP, items: STEP_ITEMS },
  { label: "a million tasks of 5 `none` steps, model of 7 s, stored for a month", job: TASK, items: ITEMS },
];

export function formatCostPage(counted: CountedScenarios, agents: AgentsCounts): string {
  return [
    formatIntroduction(),
    "## A million steps\n",
    formatSteps(counted),
    formatComparison(counted, agents),
    "## A tenant's month\n",
    formatTenants(counted),
    "## Prices\n",
    formatPrices(),
    formatRest(counted),
  ].join("\n");
}

/** Otto's bill of a job, that of Cloudflare Agents, and how many times that it is, as `npm run bench` prints them. */
export function compare(counted: CountedScenarios, agents: AgentsCounts) {
  return COMPARED.map(({ label, job, items }) => {
    const own = price(toUsage(job, counted), MILLION, items);
    const its = price(toUsage(job, agents.scenarios), MILLION, items);
    return { label, own, its, times: own / its };
  });
}

function formatIntroduction(): string {
  return `# What it costs, hosted

In US dollars, without the model, which as a rule costs far more. Computed from the counts of [docs/counts.md](counts.md) and the list prices below by
\`bench/cost/\`; a test compares this page with the computation and writes it (CONTRIBUTING.md). Nothing here was measured on Cloudflare or Neon.

The task: one request creates it; five steps each call a tool of class \`none\`, and a sixth replies; each of the six model calls takes ${TASK.modelSeconds} s. It reports
that it runs and that it ended, and leaves its row of the index and its summary. The object of a task is active while it waits for its model, and 128 MB
are billed for it: that is most of the bill.
`;
}

function formatSteps(counted: CountedScenarios): string {
  const jobs: readonly (readonly [string, Job])[] = [
    ["`none`, model of 7 s", STEP],
    ["`none`, model of 50 ms", QUICK_STEP],
    ["`keyed` (a file written), model of 7 s", KEYED_STEP],
  ];
  const bills = jobs.map(([, job]) => toUsage(job, counted));
  const rows = STEP_ITEMS.filter((item) => bills.some((bill) => bill[item] > 0)).map((item) => [
    PRICES[item].label,
    ...bills.map((bill) => toDollars(priceItem(bill, item, MILLION))),
  ]);
  const sums = ["**sum**", ...bills.map((bill) => `**${toDollars(price(bill, MILLION, STEP_ITEMS))}**`)];
  return formatTable(["dollars a million steps", ...jobs.map(([label]) => label)], [...rows, sums]);
}

function formatComparison(counted: CountedScenarios, agents: AgentsCounts): string {
  const rows = compare(counted, agents).map(({ label, own, its, times }) => [
    label,
    toDollars(own),
    toDollars(its),
    times.toFixed(2),
  ]);
  return `Next to Cloudflare Agents (npm \`${agents.package}\`, counted on ${agents.countedOn} in workerd): an Agent for each task, whose durable execution
(\`tasks\`) stores each step once. It has no tenants, budgets, ledger, kill switch, index or summaries. A promise: at most 1.15 times a million steps of 7 s.

${formatTable(["dollars", "Otto", "Cloudflare Agents", "times"], rows)}`;
}

function formatTenants(counted: CountedScenarios): string {
  const usage = toUsage(TASK, counted);
  const rows = ITEMS.filter((item) => usage[item] > 0).map((item) => [
    PRICES[item].label,
    toAmount(usage[item]),
    ...TENANTS.map((tasks) => toDollars(priceItem(usage, item, tasks))),
  ]);
  const sums = TENANTS.map((tasks) => `**${toDollars(price(usage, tasks))}**`);
  const alone = TENANTS.map((tasks) => toDollars(priceAlone(usage, tasks)));
  const tasks = TENANTS.map((count) => `${count.toLocaleString("en")} tasks`);
  return [
    formatTable(
      ["dollars a month", "units a task", ...tasks],
      [
        ...rows,
        ["**what the tenant adds, at list prices**", "", ...sums],
        ["the whole deployment, if it has no other tenant", "", ...alone],
      ],
    ),
    `What the tenant adds has no part of what the plans include. The whole deployment has: its fixed part, ${FIXED.map(
      ({ label, dollars }) => `${toDollars(dollars)} (${label})`,
    ).join(" and ")},
the ${SWEEPS_A_MONTH.toLocaleString("en")} requests of the sweep, and what the tenant uses beyond what the plans include. Bytes stored are those of one month's tasks for one month: a tenant
that retains its tasks for a year pays that line twelve times. An idle tenant costs what it stores: it has no alarm, and the sweep reads all
tenants at once.
`,
  ].join("\n");
}

/** The month of a deployment with this tenant alone. */
function priceAlone(usage: ReturnType<typeof toUsage>, tasks: number): number {
  const swept = { ...usage, workersRequests: usage.workersRequests + SWEEPS_A_MONTH / tasks };
  return priceFixed() + price(swept, tasks, ITEMS, true);
}

function formatPrices(): string {
  const rows = ITEMS.map((item) => {
    const { label, quoted, included, page } = PRICES[item];
    const { name, url, readOn } = PRICE_PAGES[page];
    return [label, quoted, included.toLocaleString("en"), `[${name}](${url}), ${readOn}`];
  });
  return formatTable(["item", "list price", "included a month", "page, and when it was read"], rows);
}

function formatRest(counted: CountedScenarios): string {
  const statements = counted.get(TASK.scenario)?.get("Postgres statements") ?? NaN;
  const perSecond = (statements * MILLION) / SECONDS_A_MONTH;
  return `## What is not in it

- **CPU of the Worker** ($0.02 a million ms, 30 million included): it needs a clock. A task is one request of the Worker; its steps run in its object, which
  is billed by active time.
- **Active time of the tenant's object**: the milliseconds of its calls, which need a clock too. It waits for nothing outside while it answers a task.
- **Neon beyond its smallest compute**: Neon bills no statements but compute and its size. What size a load needs was not measured. A million tasks a month
  are ${perSecond.toFixed(1)} statements a second on average.
- **Bytes stored in Postgres and R2**: a task's row and summary ($0.35 a GB-month), files of tasks ($0.015 a GB-month).
- **Reads of the tenant**: a task that is read or watched adds its request to the Worker, and at most two calls of objects.
- **The sidecar's container**: no step of class \`none\` needs it. It is billed while it runs, by memory, disk and CPU.
- **Logs**, which \`[observability]\` of \`wrangler.toml\` turns on.

## The ceiling of one tenant

All tasks of a tenant pass its one object, so its requests a second bound the tenant. The section \`tenant\` of [docs/bench.md](bench.md) measures them: new tasks
a second (admission of the request, permit, two reports) and steps a second (one permit each). A dash there is not yet measured on a quiet machine.
`;
}

function toDollars(dollars: number): string {
  if (dollars === 0) return "0";
  if (dollars < 0.005) return "< 0.01";
  return dollars.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

function toAmount(units: number): string {
  return units.toLocaleString("en", { maximumFractionDigits: 2 });
}

function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = head.map((_, index) => (index === 0 ? "---" : "---:"));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}
