/** What steps and tasks cost at list prices, computed from counts: no clock, and no contender is started. */
import { readAgentsCounts, readOwnCounts } from "../cost/counts.ts";
import { compare } from "../cost/page.ts";
import type { Section } from "./section.ts";

const OURS = "Otto";

export const COST: Section = {
  name: "cost",
  once: true,
  isComputed: true,
  rows: [
    { key: "cost-0", label: "dollars a million steps of class none, model of 7 s", digits: 2, target: "" },
    { key: "cost-0-times", label: "– × Cloudflare Agents", digits: 2, target: "≤ 1.15 → 1", must: 1.15 },
    { key: "cost-1", label: "dollars a million steps of class none, model of 50 ms", digits: 2, target: "" },
    { key: "cost-1-times", label: "– × Cloudflare Agents", digits: 2, target: "" },
    { key: "cost-2", label: "dollars a million tasks of 5 such steps, model of 7 s", digits: 2, target: "" },
    { key: "cost-2-times", label: "– × Cloudflare Agents", digits: 2, target: "" },
  ],
  measure(_, note) {
    for (const [index, { own, times }] of compare(readOwnCounts(), readAgentsCounts()).entries()) {
      note(`cost-${index}`, OURS, own);
      note(`cost-${index}-times`, OURS, times);
    }
    return Promise.resolve();
  },
};
