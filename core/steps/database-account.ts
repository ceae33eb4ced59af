/**
 * The account of a call that queries a database of the tenant: the database itself, which is shared. Chosen when the call is prepared,
 * so that nobody approves a query that its lists refuse, and compared just before the query.
 */
import { type Failure, failed, notSent } from "../base/errors.ts";
import type { Account } from "../connections/account.ts";
import type { AccountRuling } from "../gateway/account.ts";
import type { DatabasesPort, FoundDatabase } from "../ports/databases.ts";
import type { RunnableCall } from "../task/decision.ts";
import type { Tool } from "../tool/tool.ts";

const NO_DATABASES = notSent("not_available", "Databases cannot be reached here.").error;
const OTHER_DATABASE = failed(
  "blocked_by_policy",
  "This call would query another database than the one that it was prepared for. Make the call again.",
  { field: "database_name" },
).error;

/** Chooses the database of a call. `given` are its checked arguments. */
export async function ruleDatabase(
  tool: Tool,
  given: unknown,
  databases: Pick<DatabasesPort, "find"> | undefined,
): Promise<AccountRuling> {
  if (databases === undefined) return { kind: "refused", failure: NO_DATABASES };
  const found = await databases.find(tool.queries?.(given as never) ?? null);
  if (!found.ok) return { kind: "refused", failure: found.error };
  return { kind: "account", account: toAccount(found.value), askOwner: null };
}

/** Returns why a prepared call may not run now; null if its database is still the one that it was prepared for. */
export async function findDatabaseRefusal(
  tool: Tool,
  { account, arguments: given }: Pick<RunnableCall, "account" | "arguments">,
  databases: Pick<DatabasesPort, "find"> | undefined,
): Promise<Failure | null> {
  const ruling = await ruleDatabase(tool, given, databases);
  if (ruling.kind === "refused") return ruling.failure;
  const isSame = ruling.kind === "account" && ruling.account.connection === account?.connection;
  return isSame ? null : OTHER_DATABASE;
}

function toAccount({ id, name }: FoundDatabase): Account {
  return {
    connection: id,
    app: "database",
    provider: "database",
    owner: { kind: "shared" },
    label: name,
    consent: 1,
    delegates: false,
  };
}
