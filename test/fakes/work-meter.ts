/** A meter that charges no tenant. Its turns let other work run, as the Worker's do. */
import type { WorkMeter } from "../../core/steps/run-tool.ts";

export const freeWork: WorkMeter = {
  begin: () => undefined,
  charge: () => undefined,
  async giveWay() {
    await new Promise((resolve) => {
      setTimeout(resolve, 0);
    });
  },
};
