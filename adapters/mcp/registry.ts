/** The stored MCP servers of a tenant, opened. Sealed values of the rows are read only here. */
import { fromBase64, toBase64 } from "../../core/base/base64.ts";
import type { McpServerAccess, McpServerTable } from "../../core/ports/mcp-server-table.ts";
import { notSent, ok, type Result } from "../../core/base/errors.ts";
import type { McpSecrets } from "../../core/mcp/config.ts";
import { toReferences } from "../../core/mcp/process-config.ts";
import type { Reseal } from "../secrets/resealing.ts";
import type { Sealing } from "../secrets/sealing.ts";
import type { AuthStore, McpServer, SavedAuth } from "./server.ts";

export interface McpRegistry {
  /** The server of this name, as a connection needs it. */
  find(name: string): Promise<Result<McpServer>>;
  /** The results of OAuth for it so far. */
  authOf(name: string): AuthStore;
  sealSecrets(name: string, secrets: McpSecrets): Promise<string>;
}

/** The URL of a process for the protocol package. No request is sent to it. */
const NOWHERE = "http://process.invalid/mcp";

export function openRegistry(
  table: Pick<McpServerTable, "access" | "saveAuth" | "leaseAuth" | "endLease">,
  { sealing, reseal }: { readonly sealing: Pick<Sealing, "seal" | "open">; readonly reseal: Reseal },
  tenant: string,
): McpRegistry {
  const contextOf = (name: string, what: "secrets" | "auth") => `mcp-server ${what} ${JSON.stringify([tenant, name])}`;

  async function seal(value: unknown, context: string): Promise<string> {
    const sealed = await sealing.seal(new TextEncoder().encode(JSON.stringify(value)), context);
    return toBase64(sealed);
  }

  /** Null for a value that no key of the ring opens. */
  async function unseal<T>(name: string, what: "secrets" | "auth", sealed: string): Promise<T | null> {
    const bytes = fromBase64(sealed);
    const context = contextOf(name, what);
    try {
      const opened = JSON.parse(new TextDecoder().decode(await sealing.open(bytes, context))) as T;
      await reseal({ tenant, column: what === "auth" ? "mcp_servers.auth" : "mcp_servers.sealed", sealed, context });
      return opened;
    } catch {
      return null;
    }
  }

  function authOf(name: string): AuthStore {
    /** The sealed text of what was loaded or saved last. */
    let present: string | null = null;
    return {
      async load() {
        const read = await table.access(tenant, name);
        if (!read.ok) return read;
        const { auth } = read.value;
        present = auth;
        if (auth === null) return ok({});
        // Without a value that can be opened, the server requests an authorization again.
        return ok((await unseal<SavedAuth>(name, "auth", auth)) ?? {});
      },
      async save(saved) {
        present = await seal(saved, contextOf(name, "auth"));
        const written = await table.saveAuth(tenant, name, present);
        return written.ok ? ok(undefined) : written;
      },
      async replace(saved) {
        const before = present;
        present = await seal(saved, contextOf(name, "auth"));
        return await table.saveAuth(tenant, name, present, before);
      },
      lease: async (ms) => (present === null ? ok(false) : await table.leaseAuth(tenant, name, present, ms)),
      async release() {
        if (present !== null) await table.endLease(tenant, name, present);
      },
    };
  }

  async function opened({ name, version, settings, sealed, prior }: McpServerAccess): Promise<Result<McpServer>> {
    const secrets = await unseal<McpSecrets>(name, "secrets", sealed);
    if (secrets === null) {
      const message = `The stored settings of the MCP server ${name} can no longer be decrypted. Set it again.`;
      return notSent("not_available", message);
    }
    const { headers, clientSecret, env: variables = [] } = secrets;
    const { url, oauth, process: program } = settings;
    const auth = oauth === null ? null : { ...oauth, clientSecret, store: authOf(name) };
    const started =
      program == null
        ? null
        : {
            command: program.command,
            args: program.args.map(toReferences),
            env: variables,
            network: program.network,
          };
    return ok({ name, url: url ?? NOWHERE, process: started, headers, version, prior, oauth: auth });
  }

  return {
    async find(name) {
      const read = await table.access(tenant, name);
      return read.ok ? await opened(read.value) : read;
    },
    authOf,
    sealSecrets: (name, secrets) => seal(secrets, contextOf(name, "secrets")),
  };
}
