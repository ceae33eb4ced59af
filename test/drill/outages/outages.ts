/** Group `outages`: each dependency away for a while, one after the other. */
import { type GroupOptions, type GroupReport, withStage } from "../group.ts";
import { columns, ms } from "../table.ts";
import { DEPENDENCIES, dependencyNamed } from "./dependencies.ts";
import { type OutageReport, runOutageDrill } from "./outage-drill.ts";

/** The dependencies of the short form. */
export const SHORT_OUTAGES = ["database hanging", "model 503", "sidecar killed"];

/** `seconds`: how long each is away. `away`: the dependencies; null: those of the form. Throws for a name that is none. */
export async function runOutages(
  { short, say }: GroupOptions,
  { seconds, away }: { readonly seconds: number; readonly away: readonly string[] | null },
): Promise<GroupReport> {
  const names = away ?? (short ? SHORT_OUTAGES : DEPENDENCIES.map(({ name }) => name));
  const chosen = names.map(dependencyNamed);
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
