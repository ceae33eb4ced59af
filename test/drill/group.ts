/** What `run.ts` and the tests have in common with every group of drills. A group starts a system of its own. */
import { openStage, type Stage, type StageOptions } from "./stage.ts";

/** `short`: the form for every change, which takes no judgement of time. */
export interface GroupOptions {
  readonly seed: number;
  readonly short: boolean;
  readonly say: (line: string) => void;
}

/** `text`: the report, without what was violated. */
export interface GroupReport {
  readonly text: string;
  readonly violations: readonly string[];
}

/** Runs drills on a system that is started for them. */
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
    say(`The system's last words:\n${stage.system.output()}`);
    throw error;
  } finally {
    await stage.close();
  }
}
