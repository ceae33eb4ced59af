/** The outcomes of calls that were made: a result, checked and shortened for the model, or a failure. */
import { type Failure, ok } from "../base/errors.ts";
import type { PatternBudget } from "../lib/json-schema/limit-patterns.ts";
import { toShownText } from "../prompt/rows.ts";
import { getResultKey, formatResult } from "../prompt/stored-results.ts";
import type { CallOutcome } from "../task/commands.ts";
import type { Tool, ToolCategory } from "../tool/tool.ts";
import { EXPAND_RESULT, shapeError } from "../gateway/shape.ts";
import { validateOutput } from "../gateway/validate.ts";
import { forModel } from "../results/for-model.ts";
import { forPage } from "../results/for-page.ts";
import type { PerformDeps } from "./perform.ts";
import { toToolError } from "./prepare.ts";
import type { ActJob } from "./rpc.ts";

/** Results longer than this as JSON are stored as blobs, and the row has their key (rows are limited to 2 MB). */
const MAX_INLINE_RESULT = 100_000;

type Call = ActJob["calls"][number];

/** What the outcomes of one step need. */
interface OutcomeDeps extends Pick<PerformDeps, "blobs" | "limits" | "toolset"> {
  readonly patternBudget: PatternBudget;
}

/** Validates and formats the result of a call that was made. `content`: the text that the model reads of it, if the tool wrote one. */
export async function toResultOutcome(
  tool: Tool,
  { result, content: own }: { readonly result: unknown; readonly content?: string },
  call: Call,
  job: ActJob,
  deps: OutcomeDeps,
  durationMs: number,
): Promise<CallOutcome> {
  // The call was made, so its result is accepted even if its schema exceeds the budget.
  const isChecked = tool.compileOutput?.(deps.patternBudget) !== false;
  const valid = isChecked ? validateOutput(tool, result) : ok(result);
  if (!valid.ok) return { ...toFailureOutcome(valid.error, durationMs), state: "confirmed" };
  const shown = own ?? tool.show(valid.value as never);
  const { content, isLarge } = tool.wholeResult
    ? { content: toShownText(shown), isLarge: false }
    : await formatResult(shown, job.facts, call.callId, {
        ...deps,
        canExpand: deps.toolset.names.includes(EXPAND_RESULT),
        // A text that the tool wrote for the model says more than the fields of its result.
        ...(own === undefined && isOutsideApi(tool)
          ? { shorten: (most: number) => forModel(tool.name, valid.value, most) }
          : {}),
      });
  const storedResult = await storeLargeResult(valid.value, call, job, deps);
  return {
    state: "confirmed",
    result: { ok: true, result: storedResult },
    content,
    control: null,
    durationMs,
    isLarge,
    ...(isDataTool(tool) ? { pageData: storedResult === valid.value ? null : forPage(tool.name, valid.value) } : {}),
  };
}

/** The categories of built-in tools whose results have data of outside services, programs and databases. */
const DATA_CATEGORIES: readonly ToolCategory[] = ["api", "database", "research", "shell", "ssh"];

/** True for a tool whose result is the reply of an outside service, and not a program's output or a list of our own. */
function isOutsideApi({ written, category }: Tool): boolean {
  return written !== undefined || category === "api";
}

/** True for a tool whose result a page shows by its type: a tenant's own tools, the web, a shell, a database. */
function isDataTool({ written, category, steers }: Tool): boolean {
  return !steers && (written !== undefined || DATA_CATEGORIES.includes(category));
}

/** `result` are the fields that the tool's document defines for a failure too, if it does. */
export function toFailureOutcome(failure: Failure, durationMs: number, result?: unknown): CallOutcome {
  const error = toToolError(failure);
  return {
    state: "failed",
    result: { ok: false, error, ...(result === undefined ? {} : { result }) },
    content: shapeError(error),
    control: null,
    durationMs,
  };
}

/** Stores a large result as a blob. If that fails, the row has its start, marked as cut. */
async function storeLargeResult(result: unknown, call: Call, job: ActJob, deps: OutcomeDeps): Promise<unknown> {
  const text = JSON.stringify(result);
  if (text.length <= MAX_INLINE_RESULT) return result;
  const key = getResultKey(job.facts, call.callId);
  const put = await deps.blobs.put(key, new TextEncoder().encode(text));
  return put.ok
    ? { stored: key, characters: text.length }
    : { cut: text.slice(0, MAX_INLINE_RESULT), characters: text.length };
}
