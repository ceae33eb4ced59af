/** How large the Worker is. */
import type { Section } from "./section.ts";

export const BUNDLE: Section = {
  name: "bundle",
  once: true,
  rows: [
    {
      key: "bundle",
      label: "Worker bundle that an isolate starts with, KiB gzip",
      digits: 0,
      target: "≤ 800 → 600",
      must: 800,
    },
  ],
  measure(stage, note) {
    for (const contender of stage.contenders) {
      const kib = contender.bundleKib();
      if (kib !== null) note("bundle", contender.name, kib);
    }
    return Promise.resolve();
  },
};
