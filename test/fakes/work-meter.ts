/** A meter that charges nobody; its turns give way as those of the Worker do. */
import type { WorkMeter } from "../../core/gateway/run-tool.ts";

export const freeWork: WorkMeter = {
  charge: () => undefined,
  async giveWay() {
    await new Promise((resolve) => {
      setTimeout(resolve, 0);
    });
  },
};
