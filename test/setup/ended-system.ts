/** Restarts an ended system with changed state or variables. */
import { expect } from "vitest";
import type { StartedSystem } from "../drill/started-system.ts";

/** Environment variables that are added to those of the first start. */
export type Variables = Readonly<Record<string, string>>;

/** Starts the system, runs `work` with its tenant's key, and ends the system. */
export async function runWhileUp<T>(
  system: StartedSystem,
  work: (key: string) => Promise<T>,
  more: Variables,
): Promise<T> {
  const key = await system.startAgain(more);
  try {
    return await work(key);
  } finally {
    await system.end();
  }
}

/** Returns the sentence of a refused start. Expects neither a stack trace nor minified code. */
export async function getRefusal(system: StartedSystem, more: Variables): Promise<string> {
  const failure = await system.startAgain(more).then(
    async () => {
      await system.end();
      return new Error("it started");
    },
    (error: unknown) => error as Error,
  );
  const lines = failure.message.split("\n").slice(1);
  expect(failure.message).not.toMatch(/^\s+at /m);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(700);
  const sentences = lines.filter((line) => line.startsWith("Otto cannot run: "));
  expect(sentences, failure.message).toHaveLength(1);
  return sentences[0] ?? "";
}
