/** Group `outages`: each dependency away for a while, one after the other. */
import { type GroupOptions, type GroupReport, withStage } from "../group.ts";
import { columns, ms } from "../table.ts";
import { DEPENDENCIES } from "./dependencies.ts";
import { type OutageReport, runOutageDrill } from "./outage-drill.ts";

/** The dependencies of the short form. */
export const SHORT_OUTAGES = ["database, hanging", "model, 503", "sidecar, killed"];

/** `seconds`: how long each is away. */
export async function runOutages(
  { short, say }: GroupOptions,
  { seconds }: { readonly seconds: number },
): Promise<GroupReport> {
  const chosen = DEPENDENCIES.filter(({ name }) => !short || SHORT_OUTAGES.includes(name));
  return await withStage(say, async (stage) => {
    const reports: OutageReport[] = [];
    for (const [index, dependency] of chosen.entries()) {
      say(`Drill outages: ${seconds} s without the ${dependency.name}`);
      reports.push(await runOutageDrill(stage, dependency, { seconds, round: index + 1 }));
    }
    return { text: outageTable(reports), violations: reports.flatMap(({ violations }) => violations) };
  });
}

/** The reports as a table. Requests are those of one task while the dependency was away. */
function outageTable(reports: readonly OutageReport[]): string {
  return columns(
    ["away", "seconds", "taken", "requests", "most", "failed", "unknown", "on again", "list right"],
    reports.map((report) => [
      report.dependency,
      Math.round(report.seconds),
      report.taken,
      report.meanRequests.toFixed(1),
      report.mostRequests,
      report.failedCalls,
      report.unknownCalls,
      ms(report.backMs),
      ms(report.listedMs),
    ]),
  );
}
