/** What the bench's model replies. */
import type { ScriptedReply } from "../../test/mock-servers/model-server.ts";
import { inputOf, type NamedJob } from "../job.ts";

/** What the requests of one step take at the mock server, in milliseconds. */
const REQUESTS_MS = [50, 50, 100, 50, 50] as const;
const SUBTASKS = 10;
/** Otto refuses the same call three times in a row. */
const ZONES = ["UTC", "Europe/Lisbon", "Asia/Kolkata", "America/Lima"] as const;

/** The reply to a step, which counts from 1. `toolUrl`: where the requests go. */
export function replyTo(job: NamedJob, step: number, toolUrl: string): ScriptedReply {
  if (step > job.steps) return { text: "done" };
  switch (job.kind) {
    case "clock":
      return { calls: [{ name: "get_current_datetime", arguments: { timezone: ZONES[step % ZONES.length] } }] };
    case "sum":
      return { calls: [{ name: "evaluate_expression", arguments: { expression: `${step} + 1` } }] };
    case "ask":
      return { calls: [{ name: "ask_human", arguments: { query: `Question ${step}?` } }] };
    case "fetch":
      return {
        calls: REQUESTS_MS.map((ms, index) => ({
          name: "http_request",
          arguments: { url: `${toolUrl}/${job.task}/${step}/${index + 1}/${ms}` },
        })),
      };
    case "fan":
      return {
        calls: Array.from({ length: SUBTASKS }, (_, index) => ({
          name: "dispatch_subagent",
          arguments: {
            task_description: inputOf(`${job.task}-${step}-${index + 1}`, { kind: "clock", steps: 0, modelMs: 0 }),
          },
        })),
      };
  }
}
