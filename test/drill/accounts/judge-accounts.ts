/** Judges the tasks of an office by what the app received, and the office after a drill. */
import type { OAuthApp } from "../../mock-servers/oauth-app.ts";
import type { ApiRequest } from "../../mock-servers/oauth-app-api.ts";
import { eachAtOnce, type EventBody, type LedgerBody, type TaskBody } from "../api-client.ts";
import { formatActed } from "./account-script.ts";
import type { Member, Office, OfficeTask } from "./office.ts";

const JUDGED_AT_ONCE = 8;

/** A row of the ledger with the account of its call. */
export interface AccountRow extends LedgerBody {
  readonly account?: { readonly owner: { readonly kind: string; readonly id?: string } } | null;
}

/** All evidence of an ended task. `notes` are the requests at the app that carry its text. */
export interface ActedEvidence {
  readonly drill: string;
  readonly member: Pick<Member, "user" | "person">;
  readonly task: Pick<TaskBody, "status" | "output">;
  readonly events: readonly EventBody[];
  readonly ledger: readonly AccountRow[];
  readonly notes: readonly ApiRequest[];
  /** A kill may leave the outcome of a call unknown. */
  readonly wasKilled: boolean;
}

/** A task ends once; its note arrives at most once, and only with a credential of its own person. */
export function judgeActed({ drill, member, task, events, ledger, notes, wasKilled }: ActedEvidence): string[] {
  const found: string[] = [];
  const check = (holds: boolean, otherwise: string): void => {
    if (!holds) found.push(`${drill}: ${otherwise}`);
  };
  const { id: user } = member.user;
  const ends = events.filter(({ type }) => type === "task.completed").length;
  check(task.status === "completed", `ended as ${task.status}`);
  check(task.output?.text === formatActed(drill, user), `answered ${JSON.stringify(task.output?.text)}`);
  check(ends === 1, `task.completed ${ends} times`);
  for (const { credential } of notes)
    check(credential === null || isOf(credential, user), `a credential of another person arrived: ${credential}`);
  const effects = notes.filter((note) => note.user !== null).length;
  check(effects <= 1, `its note was added ${effects} times`);
  const states = ledger.filter(({ tool }) => tool.endsWith("add_note")).map(({ state }) => state);
  const [isConfirmed, isUnknown] = [states.includes("confirmed"), states.includes("unknown")];
  check(isConfirmed || (isUnknown && wasKilled), `the ledger says ${states.join(" and ")}`);
  check(!isConfirmed || effects > 0, "its note is confirmed, and was never added");
  for (const { account, tool } of ledger)
    check(
      account === undefined || account === null || account.owner.id === member.person,
      `${tool} acted through the account of ${account?.owner.id ?? "everyone"}`,
    );
  return found;
}

/** The mock app's tokens contain their user's name. */
function isOf(credential: string, user: string): boolean {
  return credential.startsWith(`canary-access-${user}-`);
}

/** Reads and judges ended tasks. */
export async function judgeTasks(
  office: Office,
  app: OAuthApp,
  tasks: readonly OfficeTask[],
  wasKilled: boolean,
): Promise<string[]> {
  const notes = Map.groupBy(
    app.requests.filter(({ method }) => method === "POST"),
    ({ body }) => (JSON.parse(body) as { readonly text: string }).text,
  );
  const found = await eachAtOnce(tasks, JUDGED_AT_ONCE, async (one) => {
    const { id, drill, member } = one;
    const [task, events, ledger] = await Promise.all([
      office.readTask(one),
      member.api.events(id),
      member.api.pages<AccountRow>(`/v1/tasks/${id}/ledger`),
    ]);
    return judgeActed({ drill, member, task, events, ledger, notes: notes.get(drill) ?? [], wasKilled });
  });
  return found.flat();
}

/** Nothing waits or runs any more. */
export async function judgeOpen(office: Office): Promise<string[]> {
  const open = await office.listOpen();
  return open.map(({ id, status }) => `${id} is still ${status} although every account is connected`);
}
