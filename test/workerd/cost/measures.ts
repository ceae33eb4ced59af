/** What is counted, and the page that has the present counts, `docs/counts.md`. */

/** In the order of the lines. Calls of objects are also counted by the name of their method, under `CALLS`. */
export const MEASURES: readonly string[] = [
  "object rows written, alarms included",
  "object bytes written",
  "task bytes stored",
  "task rows written",
  "task rows read",
  "tenant rows written",
  "tenant rows read",
  "sandbox rows written",
  "sandbox rows read",
  "alarms set",
  "alarms deleted",
  "alarm runs",
  "object calls",
  "runner calls",
  "model requests",
  "tool requests",
  "R2 operations",
  "Postgres requests",
  "Postgres statements",
  "Postgres bytes",
];

export const CALLS = "call: ";

/** By the name of the measure; 0 when absent. */
export type Counts = ReadonlyMap<string, number>;

/** A figure of the promises. `isMet` false: the release must still get there. */
export interface Promised {
  readonly figure: string;
  readonly scenario: string;
  readonly measure: string;
  readonly must: number;
  readonly aim: number;
  readonly isMet: boolean;
}

const PAGE = `# What steps and tasks cost

Counts, not times. \`test/workerd/cost/\` takes them at the objects' storage and stubs, the runner's entry point and \`fetch\`, and writes this
page; it fails when one differs. They are exact: time is virtual (decision 0119). CONTRIBUTING.md says how to change them.

A model replies after 7 s, unless the name says otherwise. A step is the difference between a task with two of it and one with one. The other
columns are whole tasks, from the request that creates them (\`resume\`: that answers) until a minute after their last reply: index and summary
included. \`fan-out of 10\` includes its ten subtasks of one model call; what happens at the same time happens one after another, so that nothing
shares a write by chance. \`priced\` has a model with a price and a budget of the tenant, so that each permit leases a slice. \`cold resume\` begins
with both objects unloaded. Bytes of objects are those of the values that writing statements bind; bytes of Postgres are the bodies of requests and replies.
Bytes stored are the size of the databases of the tasks' objects at the end, in pages of 4 KiB. [What it costs](cost.md) is computed from this page.

After 10,000 ended tasks every count is the same.
`;

/** The page of these counts, by scenario. */
export function formatPage(counts: ReadonlyMap<string, Counts>, promised: readonly Promised[]): string {
  const count = (scenario: string, measure: string) => counts.get(scenario)?.get(measure) ?? 0;
  const promises = promised.map(({ figure, scenario, measure, must, aim, isMet }) => [
    figure,
    count(scenario, measure),
    must,
    aim,
    isMet ? "yes" : "not yet",
  ]);
  const scenarios = [...counts.keys()];
  const toRow = (measure: string) => [
    measure.replace(CALLS, ""),
    ...scenarios.map((scenario) => count(scenario, measure)),
  ];
  const calls = [...new Set([...counts.values()].flatMap((each) => [...each.keys()]))]
    .filter((measure) => measure.startsWith(CALLS))
    .toSorted();
  return [
    PAGE,
    "## Promises\n",
    formatTable(["figure", "present", "must", "aim", "met"], promises),
    "## Counts\n",
    formatTable(["count", ...scenarios], MEASURES.map(toRow)),
    "## Calls of objects, by method\n",
    formatTable(["method", ...scenarios], calls.map(toRow)),
  ].join("\n");
}

function formatTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const rule = head.map((_, index) => (index === 0 ? "---" : "---:"));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}
