/** Calls of apps' actions in memory: the port of a tenant over the provider in memory. Each account is one of the provider's. */
import type { Account } from "../../core/connections/account.ts";
import { asNotSent, failed, notSent, ok, type Result } from "../../core/base/errors.ts";
import type { AppCallsPort } from "../../core/ports/app-calls.ts";
import type { AppAccount } from "../../core/ports/apps.ts";
import { type FakeApps, fakeApps } from "./apps.ts";

export interface FakeAppCalls extends AppCallsPort {
  readonly provider: FakeApps;
  /** Connects an account: from now on the provider knows it by this id. */
  connect(account: Pick<Account, "connection">, providerId: string): void;
  disconnect(account: Pick<Account, "connection">): void;
  /** The uploaded files by their keys, and those that a link leads to. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly links: Map<string, Uint8Array>;
}

export function fakeAppCalls(provider: FakeApps = fakeApps()): FakeAppCalls {
  const ids = new Map<string, string>();
  const files = new Map<string, Uint8Array>();
  const links = new Map<string, Uint8Array>();
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
    files,
    links,
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
    async upload({ app, action, name, contentType, read, signal }) {
      const bytes = await read();
      if (!bytes.ok) return asNotSent(bytes.error);
      const target = await provider.apps.requestUpload({ app, action, name, contentType, md5: "0".repeat(32), signal });
      if (!target.ok) return target;
      files.set(target.value.key, bytes.value);
      return ok({ key: target.value.key });
    },
    download({ url, maxBytes, signal }) {
      if (signal.aborted) return Promise.resolve(failed("timeout", "there was not enough time"));
      const { protocol, hostname } = new URL(url);
      const isPublic = protocol === "https:" && !/^(?:\d|localhost$)/.test(hostname);
      if (!isPublic) return Promise.resolve(failed("blocked_by_policy", "Otto may not reach its address"));
      const bytes = links.get(url);
      if (bytes === undefined)
        return Promise.resolve(
          failed("upstream_failed", "its server replied with HTTP 403, so its link may have expired"),
        );
      if (bytes.length > maxBytes) return Promise.resolve(failed("too_large", `it has more than ${maxBytes} bytes`));
      return Promise.resolve(ok({ bytes, contentType: null, release: () => undefined }));
    },
  };
}
