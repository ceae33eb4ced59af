/** Whether people can be sent to a provider: it describes itself, and Otto can register there. Nothing is stored. */
import { ok, type Result } from "../../core/base/errors.ts";
import { refuseProvider } from "../../core/connections/provider-faults.ts";
import { callEndpoints, type EndpointAccess } from "./call-endpoint.ts";
import { findServer, type ServerCache } from "./discover.ts";
import { toProviderFailure } from "./to-failure.ts";

/** `title` names the app in failures. */
export async function checkSignIn(
  access: EndpointAccess & { readonly cache: ServerCache },
  { title, issuer }: { readonly title: string; readonly issuer: string },
): Promise<Result<void>> {
  const domains = [URL.parse(issuer)?.host ?? ""];
  try {
    return await callEndpoints(access, domains, async (send) => {
      const server = await findServer({ title }, { kind: "issuer", issuer }, { send, cache: access.cache });
      if (!server.ok) return server;
      return server.value.registration === null
        ? refuseProvider(`${title} registers no clients, so it needs a client_id: add it under MCP servers with one.`)
        : ok(undefined);
    });
  } catch (thrown) {
    return toProviderFailure(thrown, { title }, "begin");
  }
}
