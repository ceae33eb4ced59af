/** Statements of the tables' owner, whom no policy binds in tests. */
import { neon, neonConfig } from "@neondatabase/serverless";
import type { TestDatabase } from "../../../scripts/database/test-database.ts";

export async function runAsOwner(
  { endpoint, ownerUrl }: Pick<TestDatabase, "endpoint" | "ownerUrl">,
  statement: string,
): Promise<Record<string, unknown>[]> {
  neonConfig.fetchEndpoint = endpoint;
  return await neon(ownerUrl, { disableWarningInBrowsers: true }).query(statement);
}
