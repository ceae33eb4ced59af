/** How long a search through 12,000 tools takes once they are indexed, and how long that takes. `bench/tool-search` tells more. */
import { searchTools } from "../../core/lib/tool-search/search.ts";
import { SegmentBuilder } from "../../core/lib/tool-search/segment.ts";
import { quantile } from "../../test/drill/random.ts";
import { madeSet } from "../tool-search/made-tools.ts";
import type { Section } from "./section.ts";

const REQUESTS = 1_000;
const WARM_UP = 200;
const SEED = 2026;
const SHOWN = 10;

export const FIND_TOOLS: Section = {
  name: "find-tools",
  rows: [
    { key: "find", label: "find_tools among 12,000, ms (p99)", digits: 2, target: "≤ 10 → 3", must: 10 },
    { key: "index", label: "index of 12,000 tools, ms", digits: 0, target: "" },
  ],
  measure(stage, note) {
    const { tools, requests } = madeSet(REQUESTS, SEED);
    const began = performance.now();
    const segment = new SegmentBuilder(tools.length, (number) => tools[number] ?? null).build();
    const indexMs = performance.now() - began;
    const times = requests.map(({ text }) => {
      const from = performance.now();
      searchTools([{ segment, admitted: null }], text, SHOWN);
      return performance.now() - from;
    });
    const own = stage.contenders[0]?.name ?? "Otto";
    note("find", own, quantile(times.slice(WARM_UP), 0.99));
    note("index", own, indexMs);
    return Promise.resolve();
  },
};
