/** Consents of connections in memory: the flows that begin them, and what they leave. */
import { getOwnerPerson } from "../../core/connections/account.ts";
import {
  cleanLabel,
  cleanReason,
  findScopesProblem,
  findTokensProblem,
  FLOW_GRACE_MS,
} from "../../core/connections/rules.ts";
import { toAccountTokens } from "../../core/connections/flow.ts";
import { changeStatus } from "../../core/connections/states.ts";
import { failed, ok } from "../../core/base/errors.ts";
import type { ConnectionTable } from "../../core/ports/connection-table.ts";
import { type ConnectionRows, edit, formatLink, isPresent } from "./connection-rows.ts";

const NO_CONNECTION = failed("not_found", "There is no connection with this id.");
const NO_PERSON = failed("not_found", "There is no person with this id.");
const FLOW_ENDED = failed("gone", "This consent was completed, replaced, or has expired. Begin again.");

type Consents = Pick<
  ConnectionTable,
  "findLinked" | "beginFlow" | "takeFlow" | "complete" | "settle" | "expireOthers" | "restore"
>;

export function fakeConsents(on: ConnectionRows): Consents {
  return {
    findLinked(owned, used) {
      const row = on.findOwned(owned);
      const isUsed = row !== undefined && row.linkUsed !== null && row.linkUsed >= formatLink(used);
      return Promise.resolve(ok({ connection: row === undefined ? null : on.view(row), isUsed }));
    },

    beginFlow(owned, used, flow) {
      const row = on.findOwned(owned);
      if (row === undefined) return Promise.resolve(NO_CONNECTION);
      const link = formatLink(used);
      if (row.linkUsed !== null && row.linkUsed >= link)
        return Promise.resolve(failed("gone", "This link was used. Ask for a new one."));
      on.endFlow(row);
      const { account, until } = flow;
      const flowAccount = account === undefined ? null : { tokens: toAccountTokens(account), until };
      Object.assign(row, { linkUsed: link, flow, flowAccount });
      edit(row, { pendingUntil: flow.until });
      for (const other of on.all())
        if (other.flow !== null && (other.connection.pendingUntil ?? 0) < on.now()) on.endFlow(other);
      return Promise.resolve(ok(on.view(row)));
    },

    takeFlow: (id, nonce) =>
      on.withRow(id, (row) => {
        const { flow, connection } = row;
        if (flow === null || flow.nonce !== nonce) return FLOW_ENDED;
        const isOpen = (connection.pendingUntil ?? 0) > on.now();
        const { flowAccount } = row;
        if (!isOpen) on.endFlow(row);
        else if (flowAccount !== null) row.flowAccount = { ...flowAccount, until: on.now() + FLOW_GRACE_MS };
        row.flow = null;
        edit(row, { pendingUntil: null });
        return isOpen ? ok(flow) : FLOW_ENDED;
      }),

    complete: (id, { tokens, label, scopes, unattended, settingsHash, by }, act) =>
      on.withRow(id, (row) => {
        const problem = findScopesProblem(scopes) ?? findTokensProblem(JSON.stringify(tokens));
        if (problem !== null) return problem;
        if (!on.isKnown(getOwnerPerson(row.connection.owner))) return NO_PERSON;
        const { consent, status } = row.connection;
        const isAccount = tokens?.kind === "account";
        if (isAccount && row.flowAccount?.tokens.providerId !== tokens.providerId) return FLOW_ENDED;
        if (isAccount) row.flowAccount = null;
        on.endFlow(row);
        Object.assign(row, { tokens, version: row.version + 1, leasedUntil: 0 });
        edit(row, {
          unattended,
          settingsHash,
          scopes,
          label: cleanLabel(label),
          connectedBy: by.person,
          consent: consent + 1,
          status: changeStatus(status, "consent"),
          notifiedAt: null,
          why: null,
          expiresAt: tokens?.kind === "oauth" ? tokens.expiresAt : null,
          lastCheckedAt: on.now(),
          updatedAt: on.now(),
        });
        row.hasGivenUp &&= row.revoking.length > 0;
        if (row.revoking.length === 0) edit(row, { revocation: null });
        on.acts.push(act);
        on.fixDefault(row.connection);
        return ok(on.view(row));
      }),

    settle: (id, to, why, of) =>
      on.withRow(id, (row) => {
        const { status, outage } = row.connection;
        if (!isPresent(row, of) || (to === "expired" && status !== "active")) return ok(on.view(row));
        const next = changeStatus(status, to === "failed" ? "fail" : "expire");
        const isOut = status === "active" && next !== "active";
        edit(row, { status: next, why: cleanReason(why), outage: outage + (isOut ? 1 : 0), updatedAt: on.now() });
        if (to === "failed") on.endFlow(row);
        return ok(on.view(row));
      }),

    async expireOthers(provider, hashOf, why) {
      let count = 0;
      for (const row of on.all()) {
        const { provider: from, status, settingsHash, app, outage } = row.connection;
        if (from !== provider || status !== "active" || settingsHash === (await hashOf(app))) continue;
        edit(row, { status: "expired", why: cleanReason(why), outage: outage + 1, updatedAt: on.now() });
        count += 1;
      }
      return ok(count);
    },

    restore: (id) =>
      on.withRow(id, (row) => {
        const { consent, status } = row.connection;
        const isRestored = consent > 0 && row.tokens === null && status !== "active";
        if (!isRestored || changeStatus(status, "renew") !== "active") return ok(on.view(row));
        edit(row, { status: "active", why: null, notifiedAt: null, lastCheckedAt: on.now(), updatedAt: on.now() });
        return ok(on.view(row));
      }),
  };
}
