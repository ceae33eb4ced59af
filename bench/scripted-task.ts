/** The task that Otto and both floors work on: so many steps with one call each, then an answer. */
import { type ModelScript, stepOf } from "../test/stand-ins/model-server.ts";

/** The most steps of a scripted task. */
export const MAX_STEPS = 90;

/** The one tool of the floors, as Otto's own is called. */
export const CLOCK_TOOL = {
  type: "function",
  function: {
    name: "get_current_datetime",
    description: "Tell the current date and time in a time zone.",
    parameters: { type: "object", properties: { timezone: { type: "string" } } },
  },
} as const;

/** Otto refuses the same call three times in a row. */
const ZONES = ["UTC", "Europe/Lisbon", "Asia/Kolkata", "America/Lima"] as const;

/** The input of a task of so many steps. */
export function scriptedInput(steps: number): string {
  return `bench: ${steps} steps`;
}

/** The bench's model: it answers at once. */
export const benchScript: ModelScript = (messages) => {
  const first = messages.find((message) => message.role === "user")?.content;
  const steps = Number(
    /^bench: (\d+) steps$/.exec(typeof first === "string" ? first : JSON.stringify(first))?.[1] ?? 0,
  );
  const step = stepOf(messages);
  if (step > steps) return { text: "done" };
  return { calls: [{ name: CLOCK_TOOL.function.name, arguments: { timezone: ZONES[step % ZONES.length] } }] };
};
