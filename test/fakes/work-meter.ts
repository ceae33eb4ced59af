/** A fake meter that charges no tenant. It yields to other work, as the real one does. */
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
