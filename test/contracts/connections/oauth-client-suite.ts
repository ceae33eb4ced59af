/** The contract of the port for authorizations: the fake and the adapter alike. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decideFlowEnd } from "../../../core/connections/provider-faults.ts";
import type { GrantedTokens } from "../../../core/ports/authorizations.ts";
import { valueOf } from "../value-of.ts";
import { makeFlow, type ProviderUnderTest, REDIRECT } from "./providers.ts";

const AT = { redirectUrl: REDIRECT, state: "the-state" };

/** Connects a user's account. */
export async function connect(provider: ProviderUnderTest, user = "ana"): Promise<GrantedTokens> {
  const begun = valueOf(await provider.port.begin(provider.app, AT));
  const returned = await provider.consent(begun.url, user);
  return valueOf(await provider.port.complete(provider.app, makeFlow(begun), returned));
}

export function oauthClientContract(name: string, open: () => Promise<ProviderUnderTest>): void {
  describe(`authorizations: ${name}`, () => {
    let provider: ProviderUnderTest;

    beforeEach(async () => {
      provider = await open();
    });

    afterEach(async () => {
      await provider.close();
    });

    const accessOf = ({ tokens }: GrantedTokens) => (tokens.kind === "oauth" ? tokens.access : "");

    it("connects two people, each with their own account", async () => {
      const [ana, ben] = [await connect(provider, "ana"), await connect(provider, "ben")];
      expect([accessOf(ana), accessOf(ben)].map((access) => provider.grants.findUser(access)?.id)).toEqual([
        "ana",
        "ben",
      ]);
      expect(ana.scopes).toEqual(["read", "write"]);
      expect(ana.tokens).toMatchObject({ kind: "oauth", expiresAt: expect.any(Number), issuer: expect.any(String) });
      expect(await provider.port.identify(provider.app, ana.tokens)).toBe("ana@acme.example");
      expect(await provider.port.identify(provider.app, ben.tokens)).toBe("ben@acme.example");
    });

    it("sends the state, the exact redirect URL and an S256 challenge, which is new for each consent", async () => {
      const [one, two] = [
        valueOf(await provider.port.begin(provider.app, AT)),
        valueOf(await provider.port.begin(provider.app, AT)),
      ];
      const query = new URL(one.url).searchParams;
      expect(query.get("state")).toBe("the-state");
      expect(query.get("redirect_uri")).toBe(REDIRECT);
      expect(query.get("code_challenge_method")).toBe("S256");
      expect(query.get("code_challenge")).not.toBe(one.verifier);
      expect(query.get("scope")).toBe("read write");
      expect(two.verifier).not.toBe(one.verifier);
    });

    it("registers once for all consents with one redirect URL", async () => {
      await connect(provider, "ana");
      await connect(provider, "ben");
      expect(provider.grants.counts.registrations).toBe(1);
    });

    it("refuses a server that announces PKCE without S256", async () => {
      provider.announce({ pkce: false });
      const begun = await provider.port.begin(provider.app, AT);
      expect(begun).toMatchObject({ ok: false, error: { message: "The server does not support PKCE." } });
      expect(!begun.ok && decideFlowEnd("begin", begun.error).to).toBe("failed");
    });

    it("the code is worth nothing with another verifier, nor twice", async () => {
      const begun = valueOf(await provider.port.begin(provider.app, AT));
      const returned = await provider.consent(begun.url, "ana");
      const other = { ...makeFlow(begun), verifier: "x".repeat(50) };
      expect(await provider.port.complete(provider.app, other, returned)).toMatchObject({ ok: false });
      expect(provider.grants.countActive()).toBe(0);
      valueOf(await provider.port.complete(provider.app, makeFlow(begun), returned));
      expect(await provider.port.complete(provider.app, makeFlow(begun), returned)).toMatchObject({ ok: false });
    });

    it("the code is worth nothing with another redirect URL", async () => {
      const begun = valueOf(await provider.port.begin(provider.app, AT));
      const returned = await provider.consent(begun.url, "ana");
      const other = { ...makeFlow(begun), redirectUrl: `${REDIRECT}/` };
      expect(await provider.port.complete(provider.app, other, returned)).toMatchObject({ ok: false });
      expect(provider.grants.countActive()).toBe(0);
    });

    it("refuses an answer of another issuer, before the code is redeemed (mix-up)", async () => {
      const begun = valueOf(await provider.port.begin(provider.app, AT));
      provider.mixUp("https://attacker.example");
      const returned = await provider.consent(begun.url, "ana");
      const completed = await provider.port.complete(provider.app, makeFlow(begun), returned);
      expect(completed).toMatchObject({
        ok: false,
        error: { message: expect.stringContaining("did not come from Crm") },
      });
      expect(!completed.ok && decideFlowEnd("complete", completed.error).to).toBe("failed");
      expect(provider.grants.counts.exchanges).toBe(0);
    });

    it("refuses an answer without iss of a server that announces it, and accepts it of others", async () => {
      const begun = valueOf(await provider.port.begin(provider.app, AT));
      const returned = await provider.consent(begun.url, "ana");
      returned.delete("iss");
      expect(await provider.port.complete(provider.app, makeFlow(begun), returned)).toMatchObject({ ok: false });
      expect(provider.grants.counts.exchanges).toBe(0);
    });

    it("accepts an answer without iss of a server that announces none", async () => {
      provider.announce({ iss: false });
      expect(accessOf(await connect(provider))).not.toBe("");
    });

    it("an error of another issuer does not count as the provider's", async () => {
      const begun = valueOf(await provider.port.begin(provider.app, AT));
      const forged = new URLSearchParams({
        error: "access_denied",
        state: "the-state",
        iss: "https://attacker.example",
      });
      const completed = await provider.port.complete(provider.app, makeFlow(begun), forged);
      expect(completed).toMatchObject({ error: { message: expect.stringContaining("did not come from Crm") } });
    });

    it("refuses parameters that are sent twice", async () => {
      const begun = valueOf(await provider.port.begin(provider.app, AT));
      const returned = await provider.consent(begun.url, "ana");
      returned.append("code", "another");
      expect(await provider.port.complete(provider.app, makeFlow(begun), returned)).toMatchObject({ ok: false });
      expect(provider.grants.counts.exchanges).toBe(0);
    });

    it("a person who declines leaves the connection as it was", async () => {
      const begun = valueOf(await provider.port.begin(provider.app, AT));
      const returned = await provider.consent(begun.url, null);
      const completed = await provider.port.complete(provider.app, makeFlow(begun), returned);
      const why = "The consent was declined at Crm. Nothing was connected.";
      expect(!completed.ok && decideFlowEnd("complete", completed.error)).toEqual({ to: "unchanged", why });
    });

    it("renews tokens, which rotate", async () => {
      const { tokens } = await connect(provider);
      const renewed = valueOf(await provider.port.refresh(provider.app, tokens));
      if (renewed === "ended" || renewed.kind !== "oauth" || tokens.kind !== "oauth") throw new Error("not renewed");
      expect(renewed.access).not.toBe(tokens.access);
      expect(renewed.refresh).not.toBe(tokens.refresh);
      expect(renewed.issuer).toBe(tokens.issuer);
      expect(provider.grants.findUser(renewed.access)?.id).toBe("ana");
      expect(valueOf(await provider.port.refresh(provider.app, tokens))).toBe("ended");
      expect(provider.grants.countActive()).toBe(0);
    });

    it("keeps the refresh token of a server that does not rotate", async () => {
      provider.grants.rules = { ...provider.grants.rules, rotates: false };
      const { tokens } = await connect(provider);
      const renewed = valueOf(await provider.port.refresh(provider.app, tokens));
      expect(renewed).toMatchObject({ refresh: tokens.kind === "oauth" ? tokens.refresh : "" });
    });

    it("a grant that its owner ended at the provider is ended", async () => {
      const { tokens } = await connect(provider);
      provider.grants.endGrants("ana");
      expect(valueOf(await provider.port.refresh(provider.app, tokens))).toBe("ended");
    });

    it("tokens of another issuer, or without a refresh token, are not sent", async () => {
      const { tokens } = await connect(provider);
      if (tokens.kind !== "oauth") throw new Error("no tokens");
      expect(valueOf(await provider.port.refresh(provider.app, { ...tokens, issuer: "https://other.example" }))).toBe(
        "ended",
      );
      expect(valueOf(await provider.port.refresh(provider.app, { ...tokens, refresh: null }))).toBe("ended");
      expect(provider.grants.counts.refreshes).toBe(0);
    });

    it("revokes both tokens, and an unknown one is revoked already", async () => {
      const { tokens } = await connect(provider);
      expect(await provider.port.revoke(provider.app, tokens)).toEqual({ ok: true, value: "done" });
      expect(provider.grants.countActive()).toBe(0);
      expect(tokens.kind === "oauth" && provider.grants.findUser(tokens.access)).toBeNull();
      expect(await provider.port.revoke(provider.app, tokens)).toEqual({ ok: true, value: "done" });
    });

    it("a key has no provider to ask", async () => {
      const key = { kind: "key", value: "canary-key" } as const;
      expect(valueOf(await provider.port.refresh(provider.app, key))).toBe("ended");
      expect(await provider.port.identify(provider.app, key)).toBeNull();
      expect(await provider.port.revoke(provider.app, key)).toEqual({ ok: true, value: "done" });
    });
  });
}
