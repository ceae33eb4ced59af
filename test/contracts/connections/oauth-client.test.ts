/** The OAuth client with the mock app over the real egress and sidecar, and the fake: one contract. */
import { faultsContract } from "./faults-suite.ts";
import { oauthClientContract } from "./oauth-client-suite.ts";
import { startFakeProvider, startRealProvider } from "./providers.ts";

oauthClientContract("the fake in memory", startFakeProvider);
oauthClientContract("the adapter and the mock app", async () => await startRealProvider());
faultsContract("the fake in memory", startFakeProvider);
faultsContract("the adapter and the mock app", async () => await startRealProvider({ timeoutMs: 700 }));
