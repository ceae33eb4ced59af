/**
 * Calls of actions through the accounts of one tenant: finds what the provider calls an account, sends one request, and
 * writes one line. Files go through egress (`app-files.ts`). An account that the provider says has ended expires here too.
 */
import { type AppFilesParts, downloadAppFile, uploadAppFile } from "./app-files.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import type { Account } from "../../core/connections/account.ts";
import type { AppCallLine, AppCallsPort } from "../../core/ports/app-calls.ts";
import type { AppAccount, AppLookup, AppReply, AppsPort } from "../../core/ports/apps.ts";
import type { ConnectionsPort } from "../../core/ports/connections.ts";
import type { ProviderAccounts } from "../../core/ports/provider-accounts.ts";

export interface AppCallsParts extends AppFilesParts {
  readonly apps: AppsPort;
  readonly accounts: ProviderAccounts;
  readonly connections: Pick<ConnectionsPort, "refused">;
  readonly log: (line: AppCallLine) => void;
}

export function openAppCalls(parts: AppCallsParts): AppCallsPort {
  const { apps, now } = parts;
  return {
    async execute({ account, ...call }) {
      const through = await findAccount(parts, account);
      if (!through.ok) return through;
      const startedAt = now();
      const replied = await apps.execute({ ...call, account: through.value });
      log(parts, { ...call, account }, { did: "execute", id: call.requestId, startedAt }, toLogged(replied));
      if (account !== null && !replied.ok && replied.error.cause?.kind === "connection_ended")
        await parts.connections.refused(account, replied.error.message);
      return replied;
    },
    async probe({ account, ...lookup }) {
      const through = await findAccount(parts, account);
      if (!through.ok) return through;
      const startedAt = now();
      const probed = await apps.probe({ ...lookup, account: through.value });
      const id = lookup.requestIds[0] ?? "";
      const found = probed.ok && probed.value.kind === "happened" ? ok(probed.value.reply) : null;
      const refusal = probed.ok && probed.value.kind === "not_happened" ? probed.value.failure : null;
      const logged = found ?? (refusal === null ? null : { ok: false as const, error: refusal });
      log(
        parts,
        { ...lookup, account },
        { did: "look_up", id, startedAt },
        logged === null ? UNKNOWN : toLogged(logged),
      );
      return probed;
    },
    upload: (file) => uploadAppFile(parts, file),
    download: (wanted) => downloadAppFile(parts, wanted),
  };
}

async function findAccount({ accounts }: AppCallsParts, account: Account | null): Promise<Result<AppAccount | null>> {
  return account === null ? ok(null) : await accounts.find(account);
}

type Logged = Pick<AppCallLine, "outcome" | "code" | "log_id">;

const UNKNOWN: Logged = { outcome: "unknown", log_id: null };

function toLogged(replied: Result<AppReply>): Logged {
  if (replied.ok) return { outcome: "happened", log_id: replied.value.logId };
  const { code, happened } = replied.error;
  return { outcome: happened === "no" ? "not_happened" : "unknown", code, log_id: null };
}

function log(
  { log: write, now }: AppCallsParts,
  { app, action, account }: Pick<AppLookup, "app" | "action"> & { readonly account: Account | null },
  { did, id, startedAt }: { readonly did: AppCallLine["did"]; readonly id: string; readonly startedAt: number },
  logged: Logged,
): void {
  const ms = now() - startedAt;
  write({ app, action, did, account: account?.connection ?? null, request_id: id, ms, ...logged });
}
