/** What a task is asked to do, written into its input, so that the model's replies follow from the request alone. */

/** So many steps with tool calls, then an answer. */
export interface Job {
  /** One tiny tool a step; one sum a step; five requests a step; ten subtasks a step; one question a step. */
  readonly kind: "clock" | "sum" | "fetch" | "fan" | "ask";
  readonly steps: number;
  /** How long the model takes to reply. */
  readonly modelMs: number;
}

/** A job and the name of the task that has it. A subtask's name is that of its task, a hyphen and more. */
export interface NamedJob extends Job {
  readonly task: string;
}

const JOB = /bench ([\w-]+) (clock|sum|fetch|fan|ask) (\d+) (\d+)/;

/** The input of a task. */
export function inputOf(task: string, { kind, steps, modelMs }: Job): string {
  return `bench ${task} ${kind} ${steps} ${modelMs}`;
}

/** The first job that a text names; null without one. */
export function jobOf(text: string): NamedJob | null {
  const [, task = "", kind, steps, modelMs] = JOB.exec(text) ?? [];
  if (kind === undefined) return null;
  return { task, kind: kind as Job["kind"], steps: Number(steps), modelMs: Number(modelMs) };
}
