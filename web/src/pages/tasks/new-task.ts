/** The form of a new task: its input, and the request that it makes. */
import type { Agent, DeliveryTarget, Task, paths } from "../../api/types.generated.ts";
import { readAboveZero } from "../../ui/typed-number.ts";

export type TaskRequest = paths["/v1/tasks"]["post"]["requestBody"]["content"]["application/json"];

export interface Delivery {
  readonly channel: DeliveryTarget;
  readonly to: string;
}

/** The values of the form's fields. */
export interface NewTask {
  readonly input: string;
  /** The agent's id; empty: the built-in one. */
  readonly agent: string;
  readonly project: string;
  /** Patterns and names, one on a line. */
  readonly tools: string;
  readonly skills: string;
  readonly usesNoSkills: boolean;
  readonly limits: Readonly<Record<LimitName, string>>;
  readonly deliver: readonly Delivery[];
  /** Names of the files that were chosen: a reload loses the files themselves. */
  readonly fileNames: readonly string[];
}

export type LimitName = "max_steps" | "max_tokens" | "max_cost_usd" | "max_duration_s";
type AgentLimits = NonNullable<Agent["budget"]>;

export const EMPTY_TASK: NewTask = {
  input: "",
  agent: "",
  project: "",
  tools: "",
  skills: "",
  usesNoSkills: false,
  limits: { max_steps: "", max_tokens: "", max_cost_usd: "", max_duration_s: "" },
  deliver: [],
  fileNames: [],
};

const SECONDS_PER_MINUTE = 60;

interface Limit {
  readonly name: LimitName;
  readonly label: string;
  /** Factor between a limit's unit in the field and in the API. */
  readonly unit: number;
  readonly isWhole: boolean;
  /** What holds when neither the field nor the agent says. */
  readonly otherwise: string;
  readonly shown: (value: number) => string;
}

const whole = new Intl.NumberFormat("en");

export const LIMITS: readonly Limit[] = [
  {
    name: "max_steps",
    label: "Steps",
    unit: 1,
    isWhole: true,
    otherwise: "10 when empty, at most 100",
    shown: (value) => whole.format(value),
  },
  {
    name: "max_tokens",
    label: "Tokens",
    unit: 1,
    isWhole: true,
    otherwise: "No limit when empty",
    shown: (value) => whole.format(value),
  },
  {
    name: "max_cost_usd",
    label: "US dollars",
    unit: 1,
    isWhole: false,
    otherwise: "No limit when empty",
    shown: (value) => `$${value}`,
  },
  {
    name: "max_duration_s",
    label: "Minutes of work",
    unit: SECONDS_PER_MINUTE,
    isWhole: false,
    otherwise: "No limit when empty; waiting for people does not count",
    shown: (value) => whole.format(value / SECONDS_PER_MINUTE),
  },
];

/** What a field of a limit says below itself. */
export function limitHint({ name, otherwise, shown }: Limit, agent: AgentLimits | undefined): string {
  const ceiling = agent?.[name];
  return ceiling === undefined ? otherwise : `At most ${shown(ceiling)}, which holds when empty`;
}

export type ReadTask =
  | { readonly ok: true; readonly request: TaskRequest }
  /** What cannot be sent, by the name of its field in the request. */
  | { readonly ok: false; readonly faults: Readonly<Record<string, string>> };

/** The request that a form makes. `hasFiles`: it is held until they are there. */
export function readNewTask(task: NewTask, hasFiles: boolean): ReadTask {
  const faults: Record<string, string> = {};
  if (task.input.trim() === "") faults["input"] = "Say what the agent should do.";
  const budget = readLimits(task.limits, faults);
  const deliver = readDeliver(task.deliver, faults);
  if (Object.keys(faults).length > 0) return { ok: false, faults };
  const [tools, skills] = [splitLines(task.tools), splitLines(task.skills)];
  return {
    ok: true,
    request: {
      input: task.input,
      ...(task.agent === "" ? {} : { agent: task.agent }),
      ...(task.project.trim() === "" ? {} : { project: task.project.trim() }),
      ...(tools.length === 0 ? {} : { tools }),
      ...(task.usesNoSkills ? { skills: [] } : skills.length === 0 ? {} : { skills }),
      ...budget,
      ...deliver,
      ...(hasFiles ? { hold: true } : {}),
    },
  };
}

/** The limits of a request; none when every field is empty. What cannot be read is added to `faults`, below `field`. */
export function readLimits(
  limits: NewTask["limits"],
  faults: Record<string, string>,
  field = "budget",
): Pick<TaskRequest, "budget"> {
  const budget: Partial<Record<LimitName, number>> = {};
  for (const { name, unit, isWhole } of LIMITS) {
    const value = readAboveZero(limits[name], { isWhole }, `${field}.${name}`, faults);
    if (value !== undefined) budget[name] = value * unit;
  }
  return Object.keys(budget).length === 0 ? {} : { budget };
}

/** The places of a request; none when there are none. One without an address is added to `faults`. */
export function readDeliver(places: readonly Delivery[], faults: Record<string, string>): Pick<TaskRequest, "deliver"> {
  const deliver = places.map(({ channel, to }) => ({ channel, to: to.trim() }));
  for (const [index, { to }] of deliver.entries()) if (to === "") faults[`deliver.${index}.to`] = "Say where to.";
  return deliver.length === 0 ? {} : { deliver };
}

/** Limits as they stand in their fields. */
export function limitFieldsOf(
  budget: Readonly<Partial<Record<LimitName, number | null | undefined>>> | null | undefined,
): NewTask["limits"] {
  const limits = { ...EMPTY_TASK.limits };
  for (const { name, unit } of LIMITS) {
    const value = budget?.[name];
    if (value != null) limits[name] = String(value / unit);
  }
  return limits;
}

/** A form that asks for the same as a task that there is. Its files are not taken along, nor where it was delivered to. */
export function likeTask(task: Task): NewTask {
  const { input, agent, project, budget } = task;
  return {
    ...EMPTY_TASK,
    input: typeof input === "string" ? input : (input.findLast(({ role }) => role === "user")?.content ?? ""),
    agent: agent.id,
    project: project ?? "",
    limits: limitFieldsOf(budget),
  };
}

/** What is wrong with a field, or with anything in it. */
export function faultAt(faults: Readonly<Record<string, string | undefined>>, field: string): string | undefined {
  const at = Object.keys(faults).find((name) => name === field || name.startsWith(`${field}.`));
  if (at === undefined) return undefined;
  const place = /\.(\d+)$/.exec(at)?.[1];
  return at === field || place === undefined ? faults[at] : `Line ${Number(place) + 1}: ${faults[at] ?? ""}`;
}

function splitLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
