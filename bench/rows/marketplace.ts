/** What pages of the marketplace take with the full catalogue: 880 apps and 12,000 actions of the demo apps, synced before. */
import type { ApiClient } from "../../test/drill/api-client.ts";
import { syncCatalogue } from "../../test/drill/apps/app-tenant.ts";
import { quantile } from "../../test/drill/random.ts";
import { openStage } from "../../test/drill/stage.ts";
import type { Section } from "./section.ts";

const OURS = "Otto";
const WARM_UP = 20;
const RUNS = 200;
/** What a page and the actions of the largest app may take: `apps.md`. */
const [MUST_MS, MUST_P99_MS, MUST_ACTIONS_MS] = [15, 50, 40];
const LARGEST = { app: "github", actions: 800 };

const READS = {
  page: "/api/tools/marketplace?limit=60",
  filter: "/api/tools/marketplace?limit=60&category=CRM",
  search: "/api/tools/marketplace?limit=60&search=mail",
  actions: `/api/tools/${LARGEST.app}/actions?limit=1000`,
} as const;

export const MARKETPLACE: Section = {
  name: "marketplace",
  once: true,
  rows: [
    { key: "market-page", label: "60 of 880 apps, ms (p50)", digits: 2, target: `≤ ${MUST_MS}`, must: MUST_MS },
    { key: "market-page-p99", label: "– p99", digits: 2, target: `≤ ${MUST_P99_MS}`, must: MUST_P99_MS },
    { key: "market-filter", label: "– of one category (p50)", digits: 2, target: `≤ ${MUST_MS}`, must: MUST_MS },
    { key: "market-filter-p99", label: "– p99", digits: 2, target: `≤ ${MUST_P99_MS}`, must: MUST_P99_MS },
    { key: "market-search", label: "– with a word (p50)", digits: 2, target: `≤ ${MUST_MS}`, must: MUST_MS },
    { key: "market-search-p99", label: "– p99", digits: 2, target: `≤ ${MUST_P99_MS}`, must: MUST_P99_MS },
    {
      key: "market-actions",
      label: "all actions of an app with 823, ms (p50)",
      digits: 2,
      target: `≤ ${MUST_ACTIONS_MS}`,
      must: MUST_ACTIONS_MS,
    },
    { key: "market-actions-p99", label: "– p99", digits: 2, target: "" },
  ],
  async measure(stage, note) {
    if (!stage.contenders.some(({ name }) => name === OURS)) return;
    const drill = await openStage({ env: { OTTO_REQUESTS_PER_MINUTE: "1000000", OTTO_DEMO_APPS: "yes" } });
    try {
      const { api } = await drill.makeTenant("marketplace");
      await syncCatalogue(api);
      const { length } = await api.must<readonly unknown[]>("GET", READS.actions);
      if (length < LARGEST.actions) throw new Error(`${LARGEST.app} has ${length} actions`);
      for (const [name, path] of Object.entries(READS)) {
        const times = await timeReads(api, path);
        note(`market-${name}`, OURS, quantile(times, 0.5));
        note(`market-${name}-p99`, OURS, quantile(times, 0.99));
      }
    } finally {
      await drill.close();
    }
  },
};

async function timeReads(api: ApiClient, path: string): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < WARM_UP + RUNS; run += 1) {
    const startedAt = performance.now();
    await api.must("GET", path);
    if (run >= WARM_UP) times.push(performance.now() - startedAt);
  }
  return times;
}
