/** From the answer to a question to the next model call, while the task is still in memory. */
import { quantile } from "../../test/drill/random.ts";
import { answerInTurn, askTasks, questionsOf } from "./ask-and-answer.ts";
import type { Section } from "./section.ts";
import { untilQuiet } from "./until-quiet.ts";

const TASKS = 30;

export const RESUME: Section = {
  name: "resume",
  peers: true,
  rows: [
    {
      key: "resume",
      label: "resume after an answer, hot, ms (p50)",
      digits: 2,
      target: "≤ 2 × → 1.3 ×",
      mustTimes: 2,
    },
  ],
  async measure(stage, note) {
    for (const contender of stage.contenders) {
      const times: number[] = [];
      for (let task = 0; task < TASKS; task += 1) {
        const waiting = await questionsOf(contender, await askTasks(stage, contender, 1));
        times.push(...(await answerInTurn(stage, waiting)));
      }
      note("resume", contender.name, quantile(times, 0.5));
      await untilQuiet(contender);
    }
  },
};
