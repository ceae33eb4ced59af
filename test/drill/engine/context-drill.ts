/** Drill `context`: ten large results, and a conversation that outgrows the model's window. */
import type { ModelRecord, WireMessage } from "../../mock-servers/model-server.ts";
import {
  doneText,
  type EngineInput,
  isSummaryRequest,
  LARGE_RESULTS,
  largeText,
  longText,
  READ_AGAIN,
  countTokens,
} from "./engine-script.ts";
import type { DrillTenant, Stage } from "../stage.ts";
import { until } from "../started-system.ts";
import { findDrill, readText } from "../received.ts";

/** Maximum tokens with shortening, relative to those without. */
const LARGEST_SHARE = 1 / 3;
const LONG_STEPS = 36;
/** Characters of messages that the model accepts. */
const LONG_LIMIT = 20_000;
const END_WITHIN_MS = 60_000;

export interface ContextReport {
  /** Tokens of all requests of the task with large results, for steps and for shortening. */
  readonly stepTokens: number;
  readonly summaryTokens: number;
  /** Tokens of the steps if they contained every complete result and read nothing again. */
  readonly wholeTokens: number;
  readonly share: number;
  readonly summaries: number;
  readonly overflows: number;
  readonly compactions: number;
  readonly violations: readonly string[];
}

export async function runContextDrill(stage: Stage): Promise<ContextReport> {
  const tenant = await stage.makeTenant("context", { budget: { max_steps: LONG_STEPS + 4 } });
  const large = await runLarge(stage, tenant);
  const long = await runLong(stage, tenant);
  return { ...large, ...long, violations: [...large.violations, ...long.violations] };
}

async function runLarge(stage: Stage, tenant: DrillTenant) {
  const drill = "large";
  const violations: string[] = [];
  const check = (holds: boolean, otherwise: string): void => {
    if (!holds) violations.push(`${drill}: ${otherwise}`);
  };
  await runTask(stage, tenant, { drill, kind: "large", paceMs: 0, keyed: stage.keyed.url });
  const requests = stage.model.requests.filter(({ body }) => findDrill(body) === drill);
  const summaries = requests.filter(({ body }) => isSummaryRequest(body));
  const steps = requests.filter(({ body }) => !isSummaryRequest(body));
  check(summaries.length === LARGE_RESULTS, `${summaries.length} summaries were asked for`);
  check(steps.length === LARGE_RESULTS + READ_AGAIN.length + 1, `${steps.length} steps were asked for`);
  violations.push(...judgePrefix(drill, steps));

  const results = toolResults(steps.at(-1));
  for (const [index, { result, given }] of READ_AGAIN.entries()) {
    const read = results[LARGE_RESULTS + index] ?? "";
    const [, ...lines] = read.split("\n");
    const whole = largeText(result);
    if ("pattern" in given) {
      const [row = ""] = new RegExp(given.pattern).exec(whole) ?? [];
      check(row !== "" && read.includes(row), `${given.pattern} found ${JSON.stringify(read.slice(0, 200))}`);
      continue;
    }
    const text = lines.join("\n");
    const wanted = "limit" in given ? given.limit : 0;
    check(
      text.length >= wanted && text.length > 1_000,
      `${text.length} characters were read again of result ${result}`,
    );
    check(whole.includes(text), `what was read again of result ${result} is not what it holds`);
    // The recorder's text follows a head with facts of the reply.
    const before = given.offset - whole.indexOf(text);
    check(before >= 0 && before < 200, `offset ${given.offset} of result ${result} began ${before} characters off`);
    check("limit" in given || whole.endsWith(text), `result ${result} was not read to its end`);
  }
  const stepTokens = tokens(steps);
  const summaryTokens = tokens(summaries);
  const wholeTokens = steps
    .slice(0, LARGE_RESULTS + 1)
    .reduce((sum, { body }) => sum + countTokens(withWholeResults(body.messages)), 0);
  const share = (stepTokens + summaryTokens) / wholeTokens;
  check(share <= LARGEST_SHARE, `${stepTokens} and ${summaryTokens} tokens are ${share.toFixed(3)} of ${wholeTokens}`);
  return { stepTokens, summaryTokens, wholeTokens, share, summaries: summaries.length, violations };
}

async function runLong(stage: Stage, tenant: DrillTenant) {
  const drill = "long";
  const violations: string[] = [];
  const check = (holds: boolean, otherwise: string): void => {
    if (!holds) violations.push(`${drill}: ${otherwise}`);
  };
  const input = { drill, kind: "long", steps: LONG_STEPS, limit: LONG_LIMIT } as const;
  const id = await runTask(stage, tenant, { ...input, paceMs: 0, keyed: stage.keyed.url });
  const requests = stage.model.requests.filter(({ body }) => findDrill(body) === drill && !isSummaryRequest(body));
  const sizes = requests.map(({ body }) => JSON.stringify(body.messages).length);
  const overflows = sizes.filter((size) => size > LONG_LIMIT).length;
  // A request that is shorter than the previous one was compacted.
  const compactions = sizes.filter((size, index) => size < (sizes[index - 1] ?? 0)).length;
  check(overflows > 0, "no request was too long for the model");
  check(compactions >= overflows, `${overflows} requests were too long and ${compactions} compactions followed`);
  check(
    requests.length === LONG_STEPS + 1 + overflows,
    `${requests.length} requests for ${LONG_STEPS + 1} steps and ${overflows} overflows`,
  );
  const rows = await tenant.api.ledger(id);
  check(rows.length === LONG_STEPS, `the ledger has ${rows.length} rows`);
  check(
    rows.every(({ state, attempts }) => state === "confirmed" && attempts === 1),
    "a call was not made exactly once",
  );
  for (let step = 1; step <= LONG_STEPS; step += 1) {
    const text = await tenant.api.file(id, `notes/${step}.md`);
    check(text === longText(drill, step), `notes/${step}.md holds ${JSON.stringify(text)?.slice(0, 60)}`);
  }
  return { overflows, compactions, violations };
}

async function runTask({ system }: Stage, { api, createTask }: DrillTenant, input: EngineInput): Promise<string> {
  const id = await createTask(input, { budget: { max_steps: LONG_STEPS + 4 } });
  await until(
    async () => ["completed", "failed"].includes((await api.task(id)).status),
    END_WITHIN_MS,
    () => `${input.drill} did not end:\n${system.output()}`,
    50,
  );
  const { status, output, error } = await api.task(id);
  if (output?.text !== doneText(input.drill))
    throw new Error(`${input.drill} ended as ${status} with ${JSON.stringify(output?.text ?? error)}`);
  return id;
}

/** Checks that each request begins with the previous one's messages, byte for byte, and offers the same tools. */
function judgePrefix(drill: string, requests: readonly ModelRecord[]): string[] {
  return requests.flatMap(({ body }, index) => {
    const before = requests[index - 1]?.body;
    if (before === undefined) return [];
    const same = body.messages.slice(0, before.messages.length);
    return [
      ...(JSON.stringify(same) === JSON.stringify(before.messages)
        ? []
        : [`${drill}: request ${index + 1} changes what came before`]),
      ...(JSON.stringify(body.tools) === JSON.stringify(before.tools)
        ? []
        : [`${drill}: request ${index + 1} has other tools`]),
    ];
  });
}

/** Returns the messages with every large result in full. */
function withWholeResults(messages: readonly WireMessage[]): WireMessage[] {
  let result = 0;
  return messages.map((message) => {
    if (message.role !== "tool" || result >= LARGE_RESULTS) return message;
    result += 1;
    return { ...message, content: largeText(result) };
  });
}

function toolResults(record: ModelRecord | undefined): string[] {
  return (record?.body.messages ?? []).filter(({ role }) => role === "tool").map(readText);
}

function tokens(records: readonly ModelRecord[]): number {
  return records.reduce((sum, { body }) => sum + countTokens(body.messages), 0);
}
