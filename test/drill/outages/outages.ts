/** Group `outages`: an outage of each dependency in sequence. */
import { type GroupOptions, type GroupReport, withStage } from "../group.ts";
import { columns, ms } from "../table.ts";
import { DEPENDENCIES, dependencyNamed } from "./dependencies.ts";
import { type OutageReport, runOutageDrill } from "./outage-drill.ts";

/** The dependencies of the short form. */
export const SHORT_OUTAGES = ["database hanging", "model 503", "sidecar killed"];

const END_WITHIN_MS = 240_000;
/** Shorter than the test's time limit, so that the drill reports its own failure. */
export const SHORT_END_WITHIN_MS = 80_000;

/** `seconds` is the length of each outage. `away` names the dependencies, null for those of the form. Throws for an unknown name. */
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
      const endWithinMs = short ? SHORT_END_WITHIN_MS : END_WITHIN_MS;
      reports.push(await runOutageDrill(stage, dependency, { seconds, round: index + 1, endWithinMs }));
    }
    return { text: outageTable(reports), violations: reports.flatMap(({ violations }) => violations) };
  });
}

/**
 * Formats the reports as a table. Requests are those of one task during the outage. The list's times are until it contained the tasks that
 * ended in the outage, from its end, and all tasks, from the last one's end.
 */
function outageTable(reports: readonly OutageReport[]): string {
  return columns(
    ["away", "seconds", "taken", "requests", "most", "failed", "unknown", "on again", "caught up", "listed"],
    reports.map((report) => [
      report.dependency,
      Math.round(report.seconds),
      report.taken,
      report.meanRequests.toFixed(1),
      report.mostRequests,
      report.failedCalls,
      report.unknownCalls,
      ms(report.backMs),
      ms(report.caughtUpMs),
      ms(report.listedMs),
    ]),
  );
}
