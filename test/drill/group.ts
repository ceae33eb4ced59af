/** The interface of a group of drills for `run.ts` and the tests. Each group starts its own system. */
import { openStage, type Stage, type StageOptions } from "./stage.ts";

/** `short` is the form for every change, which does not judge times. */
export interface GroupOptions {
  readonly seed: number;
  readonly short: boolean;
  readonly say: (line: string) => void;
}

/** `text` is the report without the violations. */
export interface GroupReport {
  readonly text: string;
  readonly violations: readonly string[];
}

/** Starts a system and runs drills on it. */
export async function withStage<Report>(
  say: (line: string) => void,
  run: (stage: Stage) => Promise<Report>,
  options: StageOptions = {},
): Promise<Report> {
  say("Starting the system …");
  const stage = await openStage(options);
  try {
    return await run(stage);
  } catch (error) {
    say(`The system's last output:\n${stage.system.output()}`);
    throw error;
  } finally {
    await stage.close();
  }
}
