/** Calls of apps' actions in memory: the port of a tenant over the provider in memory. Each account is one of the provider's. */
import type { Account } from "../../core/connections/account.ts";
import { notSent, ok, type Result } from "../../core/base/errors.ts";
import type { AppCallsPort } from "../../core/ports/app-calls.ts";
import type { AppAccount } from "../../core/ports/apps.ts";
import { type FakeApps, fakeApps } from "./apps.ts";

export interface FakeAppCalls extends AppCallsPort {
  readonly provider: FakeApps;
  /** Connects an account: from now on the provider knows it by this id. */
  connect(account: Pick<Account, "connection">, providerId: string): void;
  disconnect(account: Pick<Account, "connection">): void;
}

export function fakeAppCalls(provider: FakeApps = fakeApps()): FakeAppCalls {
  const ids = new Map<string, string>();
  const find = (account: Account | null): Result<AppAccount | null> => {
    if (account === null) return ok(null);
    const { connection, owner } = account;
    const providerId = ids.get(connection);
    const cause = { kind: "connection_ended", connection } as const;
    if (providerId === undefined)
      return notSent("permission_denied", "The access of this account has ended.", { cause });
    return ok({ connection, providerId, entity: `t_1.${owner.kind === "person" ? owner.id : "shared"}` });
  };
  return {
    provider,
    connect: ({ connection }, providerId) => void ids.set(connection, providerId),
    disconnect: ({ connection }) => void ids.delete(connection),
    async execute({ account, ...call }) {
      const through = find(account);
      return through.ok ? await provider.apps.execute({ ...call, account: through.value }) : through;
    },
    async probe({ account, ...lookup }) {
      const through = find(account);
      return through.ok ? await provider.apps.probe({ ...lookup, account: through.value }) : through;
    },
  };
}
