/** Every fault at every endpoint of a provider: the state that it leaves behind, and the sentence that people read. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decideFlowEnd } from "../../../core/connections/provider-faults.ts";
import { FAULTS, type MockFault } from "../../mock-servers/oauth-app.ts";
import { valueOf } from "../value-of.ts";
import { connect } from "./oauth-client-suite.ts";
import { makeFlow, type ProviderUnderTest, REDIRECT } from "./providers.ts";

const AT = { redirectUrl: REDIRECT, state: "the-state" };
const UNREACHABLE = "Crm cannot be reached. Try again later.";
const UNANSWERED = "Crm did not answer. Try again later.";
const REDIRECTED =
  "Crm redirected a request of the sign-in, which Otto does not follow. Check the addresses of the app.";
const NO_DESCRIPTION = "Crm does not describe its sign-in (RFC 8414). Give the addresses of its endpoints instead.";
const REFUSED = (code: string) =>
  `Crm refused the sign-in (${code}). Try again, or ask an administrator to check the app.`;

/** The row of a fault, if all faults without an answer are alike. */
function pick<T>(fault: MockFault, unanswered: T, redirected: T, refused: T): T {
  if (fault === "refusal") return refused;
  return fault === "redirect" ? redirected : unanswered;
}

export function faultsContract(name: string, open: () => Promise<ProviderUnderTest>): void {
  describe(`faults of a provider: ${name}`, () => {
    let provider: ProviderUnderTest;

    beforeEach(async () => {
      provider = await open();
    });

    afterEach(async () => {
      const hits = provider.canaryHits();
      await provider.close();
      if (hits > 0) throw new Error(`${hits} connections reached the private address`);
    });

    it.each(FAULTS)("discovery: %s", async (fault) => {
      provider.fault("discovery", fault);
      const begun = await provider.port.begin(provider.app, AT);
      const to = fault === "refusal" ? "failed" : "unchanged";
      const why = pick(fault, UNREACHABLE, REDIRECTED, NO_DESCRIPTION);
      expect(!begun.ok && decideFlowEnd("begin", begun.error)).toEqual({ to, why });
    });

    it.each(FAULTS)("registration: %s", async (fault) => {
      provider.fault("registration", fault);
      const begun = await provider.port.begin(provider.app, AT);
      const to = fault === "refusal" ? "failed" : "unchanged";
      const why = pick(fault, UNREACHABLE, REDIRECTED, REFUSED("invalid_redirect_uri"));
      expect(!begun.ok && decideFlowEnd("begin", begun.error)).toEqual({ to, why });
      provider.fault("registration", null);
      expect(await provider.port.begin(provider.app, AT)).toMatchObject({ ok: true });
    });

    it.each(["access_denied", "server_error", "invalid_scope", "<script>alert(1)</script>"])(
      "authorize: the page returns %s",
      async (error) => {
        const begun = valueOf(await provider.port.begin(provider.app, AT));
        const returned = await provider.consent(begun.url, null);
        returned.set("error", error);
        returned.set("error_description", "canary-description");
        const completed = await provider.port.complete(provider.app, makeFlow(begun), returned);
        if (completed.ok) throw new Error("it was connected");
        const end = decideFlowEnd("complete", completed.error);
        expect(end.to).toBe(error === "access_denied" ? "unchanged" : "failed");
        expect(end.why).not.toMatch(/canary|</);
      },
    );

    it.each(FAULTS)("token, with a code: %s", async (fault) => {
      const begun = valueOf(await provider.port.begin(provider.app, AT));
      const returned = await provider.consent(begun.url, "ana");
      provider.fault("token", fault);
      const completed = await provider.port.complete(provider.app, makeFlow(begun), returned);
      const why = pick(fault, UNANSWERED, REDIRECTED, REFUSED("invalid_grant"));
      expect(!completed.ok && decideFlowEnd("complete", completed.error)).toEqual({ to: "failed", why });
      expect(JSON.stringify(completed)).not.toContain("canary");
    });

    it.each(FAULTS)("token, with a refresh token: %s", async (fault) => {
      const { tokens } = await connect(provider);
      provider.fault("token", fault);
      const renewed = await provider.port.refresh(provider.app, tokens);
      if (fault === "refusal") expect(renewed).toEqual({ ok: true, value: "ended" });
      else expect(renewed).toMatchObject({ ok: false, error: { message: pick(fault, UNANSWERED, REDIRECTED, "") } });
      provider.fault("token", null);
      expect(valueOf(await provider.port.refresh(provider.app, tokens))).toMatchObject({ kind: "oauth" });
    });

    it.each(FAULTS)("userinfo: %s", async (fault) => {
      const { tokens } = await connect(provider);
      provider.fault("userinfo", fault);
      expect(await provider.port.identify(provider.app, tokens)).toBeNull();
    });

    it.each(FAULTS)("revocation: %s", async (fault) => {
      const { tokens } = await connect(provider);
      provider.fault("revocation", fault);
      const revoked = await provider.port.revoke(provider.app, tokens);
      // RFC 7009, section 2.2: the status says everything, and the body is ignored.
      if (fault === "refusal" || fault === "bad_json") expect(revoked).toEqual({ ok: true, value: "done" });
      else expect(revoked).toMatchObject({ ok: false, error: { message: pick(fault, UNANSWERED, REDIRECTED, "") } });
      provider.fault("revocation", null);
      expect(await provider.port.revoke(provider.app, tokens)).toEqual({ ok: true, value: "done" });
    });
  });
}
