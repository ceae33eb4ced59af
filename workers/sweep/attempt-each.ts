/** Runs the same part of the sweep for many items. */
import { attempt } from "./attempt.ts";

interface Limits {
  /** How many run at once. */
  readonly atOnce: number;
  /** None begins after this, in milliseconds since the epoch. The next run of the sweep continues. */
  readonly until: number;
}

/** Never rejects: a failure is logged, and stops no other item. */
export async function attemptEach<T>(
  items: readonly T[],
  { atOnce, until }: Limits,
  name: (item: T) => string,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) {
      if (Date.now() >= until) return;
      await attempt(name(item), () => work(item));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
